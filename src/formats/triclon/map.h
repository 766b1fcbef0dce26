/* SPDX-License-Identifier: Zlib */
/*
 * map: a Triclon map in memory.
 *
 * Such maps are small (an index of a point has 16 bits), so all of one is held: what the file
 * stores, and the four files of the mount as they are shown. Everything is immutable once the map
 * is anybody else's; versions share what they have in common. What of the format is certain and
 * what is assumed: docs/triclon.md.
 */
#ifndef FORMATS_TRICLON_MAP_H
#define FORMATS_TRICLON_MAP_H

#include "base/buffer.h"
#include "formats/format.h"

enum {
	TCM_NAME_MAX = 255,      /* bytes: the length of a name is one byte */
	TCM_TEXT_MAX = 64 << 20, /* bytes of a mounted file */
	TCM_FILE_MAX = 16 << 20, /* bytes of a map; a bound of ours, since all is held */
};

/* The files of the mount; as entries they are one more, since the root is 0. */
enum tcm_file { TCM_INFO, TCM_TERRAIN, TCM_POINTS, TCM_OBJECTS, TCM_FILES };

static inline entry_id tcm_id(enum tcm_file f)
{
	return ((entry_id)f + 1) * 2;
}

static inline enum tcm_file tcm_file_of(entry_id id)
{
	return (enum tcm_file)(id / 2 - 1);
}

/* Their names; and of tables, how many bytes a record of two equal halves has. */
extern const char *const tcm_names[TCM_FILES];
extern const unsigned tcm_widths[TCM_FILES];

/* What the format's page leaves open, and the answers; as the words of -o and info.json. */
enum tcm_question { TCM_ENDIAN, TCM_LISTS, TCM_SIZE, TCM_QUESTIONS };
enum { TCM_LITTLE, TCM_BIG };            /* byte order */
enum { TCM_NONE, TCM_BYTES, TCM_COUNT }; /* what the sizes of lists count; that of the points */

extern const struct tcm_words {
	const char *key;
	const char *words[4]; /* by answer; NULL: that is none */
	const char *all;      /* for people: "bytes or count" */
} tcm_questions[TCM_QUESTIONS];

/* The answer that a word is; -1: none. */
int tcm_answer(enum tcm_question q, const char *word);

struct tcm_variant {
	const char *tag; /* the first four letters of the file: one of open.c's */
	int answers[TCM_QUESTIONS];
	bool real; /* coordinates are 32-bit floats */
};

struct tcm_map {
	struct snapshot base;
	struct tcm_variant variant;
	struct bytes *name, *author;      /* as stored, in whatever encoding */
	struct bytes *records[TCM_FILES]; /* of tables, little-endian; NULL: there is no list */
	struct bytes *texts[TCM_FILES];   /* what the mount shows */
	bool had_objects;                 /* there was such a list at the mount */
	bool fresh;                       /* made of no file and not written yet */
};

static inline const struct tcm_map *tcm_map_of(const struct snapshot *s)
{
	return (const struct tcm_map *)s;
}

/* An empty map; and one that shares all parts of m. NULL: no memory. */
struct tcm_map *tcm_map_new(const struct format *f);
struct tcm_map *tcm_map_copy(const struct tcm_map *m);
/* Would both be the same file (by the same tag)? */
bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b);

/* For the maker of m: takes b in the place of *part. */
void tcm_set(struct bytes **part, struct bytes *b);
size_t tcm_count(const struct tcm_map *m, enum tcm_file table);
/* The largest index of the terrain, and which record has it; -1 without records. */
int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record);

/* Of a variant whose coordinates are floats. */
static inline float tcm_float(uint32_t stored)
{
	union {
		uint32_t stored;
		float f;
	} u = {stored};

	return u.f;
}

/* A number of 2 or 4 bytes; and n bytes of them, little-endian if they are big and otherwise too.
 */
uint32_t tcm_load(const uint8_t *p, unsigned width, bool big);
void tcm_append_numbers(
	struct buffer *to, const uint8_t *p, size_t n, unsigned width, bool swapped);

/* The file. The buffer's error is sticky. */
void tcm_encode(const struct tcm_map *m, struct buffer *to);

/* info.c, table.c: a file's text; and what was written to it as the new content of m, which is its
 * maker's to drop after an error. */
void tcm_info_show(const struct tcm_map *m, struct buffer *to);
int tcm_info_parse(struct tcm_map *m, const struct extent *in, struct error *e);
int tcm_table_parse(
	struct tcm_map *m, enum tcm_file table, const struct extent *in, struct error *e);

/* table.c, for the maker of m: an empty table; the text of a file anew. */
int tcm_clear(struct tcm_map *m, enum tcm_file f, struct error *e);
int tcm_show(struct tcm_map *m, enum tcm_file f, struct error *e);

/* open.c: struct format's functions of these names, for the format f, and all bytes of a file that
 * is no larger than a map may be. */
bool tcm_probe(const struct source *src, const uint8_t *head, size_t n);
int tcm_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e);
int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e);

/* preview.c. */
extern const struct format_preview tcm_preview;

/* structure.c: struct format's functions of these names. */
int tcm_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e);
int tcm_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
int tcm_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e);
int tcm_check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);

#endif
