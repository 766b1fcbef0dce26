/* SPDX-License-Identifier: Zlib */
/*
 * map: a Triclon map in memory.
 *
 * Such maps are small (an index of a point has 16 bits), so all of one is held: what the file
 * stores, and the four files of the mount as they are shown. Everything is immutable once the map
 * is anybody else's; versions share what they have in common. What of the format is certain and
 * what is assumed: docs/triclon.md.
 */
#pragma once

#include "base/buffer.h"
#include "formats/format.h"

enum {
	TCM_TAG_SIZE = 4,
	TCM_NAME_MAX = 255,      /* bytes: the length of a name is one byte */
	TCM_TEXT_MAX = 64 << 20, /* bytes of a mounted file */
	TCM_FILE_MAX = 16 << 20, /* bytes of a map; a bound of ours, since all is held */
};

/* The files of the mount; the entry of each has twice its number. Points come before what refers to
 * them, so that a copy file by file is accepted. */
enum tcm_file { TCM_INFO = 1, TCM_POINTS, TCM_TERRAIN, TCM_OBJECTS, TCM_FILES };

extern const struct tcm_kind {
	const char *name;
	/* Of a table: its two columns; bytes of each number. */
	const char *header[3];
	unsigned width;
	bool coordinate[2]; /* else it is counted from 0 */
	const char *size;   /* for people: "the size of the points" */
} tcm_kinds[TCM_FILES];

/* What the format's page leaves open, and the answers; as the words of -o and info.json. */
enum tcm_question { TCM_ENDIAN, TCM_LISTS, TCM_SIZE, TCM_QUESTIONS };
enum { TCM_LITTLE, TCM_BIG };            /* byte order */
enum { TCM_NONE, TCM_BYTES, TCM_COUNT }; /* what the sizes of lists count; that of the points */

extern const struct tcm_words {
	const char *key;
	const char *words[5]; /* by answer; NULL: that is none */
	const char *all;      /* for people: "bytes or count" */
} tcm_questions[TCM_QUESTIONS];

/* The answer that a word is; -1: none. */
int tcm_answer(enum tcm_question q, const char *word);

struct tcm_variant {
	const char *tag; /* the first four letters of the file: one of open.c's */
	int answers[TCM_QUESTIONS];
	bool real; /* coordinates are 32-bit floats */
};

/* "endian=little,lists=bytes,points=none" */
void tcm_variant_describe(const struct tcm_variant *v, char text[64]);

struct tcm_map {
	struct snapshot base;
	struct tcm_variant variant;
	/* As in the file: both names, each behind its length; the records of a list, little-endian.
	 * NULL: there is no such list. */
	struct bytes *stored[TCM_FILES];
	struct bytes *texts[TCM_FILES]; /* what the mount shows */
	bool had_objects;               /* there was such a list at the mount */
	bool fresh;                     /* made of no file and not written yet */
};

static inline const struct tcm_map *tcm_map_of(const struct snapshot *s)
{
	return (const struct tcm_map *)s;
}

/* One that shares all parts of m; m is NULL: one without any. */
int tcm_map_new(
	const struct format *f, const struct tcm_map *m, struct tcm_map **ret, struct error *e);
/* Would both be the same file (by the same tag)? */
bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b);

size_t tcm_count(const struct tcm_map *m, enum tcm_file table); /* records */
/* The largest index of the terrain, and which record has it; -1 without records. */
int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record);

/* Numbers of a file. */
uint32_t tcm_load(const uint8_t *p, unsigned width, bool big);
void tcm_append(struct buffer *to, uint32_t v, unsigned width, bool big);

/* One of the two numbers of each record of a list. */
struct tcm_column {
	const uint8_t *at;
	size_t n;
	unsigned width;
	bool big, coordinate, real;
};

/* Of n records of that kind. */
struct tcm_column tcm_column(const struct tcm_variant *v, enum tcm_file table, const uint8_t *at,
	size_t n, unsigned which);
struct tcm_column tcm_map_column(const struct tcm_map *m, enum tcm_file table, unsigned which);
uint32_t tcm_stored(const struct tcm_column *c, size_t i);
float tcm_float(uint32_t stored);
double tcm_value(const struct tcm_column *c, size_t i); /* may be no number if they are floats */

/* The file. The buffer's error is sticky. */
void tcm_encode(const struct tcm_map *m, struct buffer *to);

/* info.c, table.c: a file's text; and what a map stores where m does, once that was written to the
 * file. What of the variant info.json says is changed in m, which is its maker's to drop after an
 * error. */
void tcm_info_show(const struct tcm_map *m, struct buffer *to);
int tcm_info_parse(struct tcm_map *m, const struct extent *in, struct buffer *to, struct error *e);
void tcm_table_show(const struct tcm_map *m, enum tcm_file table, struct buffer *to);
int tcm_table_parse(const struct tcm_map *m, enum tcm_file table, const struct extent *in,
	struct buffer *to, struct error *e);

/* open.c: struct format's functions of these names, for the format f. */
bool tcm_probe(const struct source *src, const uint8_t *head, size_t n);
int tcm_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e);

/* edit.c. For the maker of m: what the file stores, taken out of the buffer, and shown. All bytes
 * of a file that is no larger than a map may be. */
int tcm_put(struct tcm_map *m, enum tcm_file f, struct buffer *stored, struct error *e);
int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e);

/* edit.c, structure.c, preview.c. */
extern const struct format_edit tcm_edit;
extern const struct format_tree tcm_tree;
extern const struct format_preview tcm_preview;

/* structure.c: the file that a name in a directory is; 0: none. */
enum tcm_file tcm_file_named(entry_id dir, const char *name);
