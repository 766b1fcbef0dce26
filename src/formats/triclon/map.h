/* SPDX-License-Identifier: Zlib */
/*
 * map: a Triclon map in memory.
 *
 * Such maps are small (an index of a point has 16 bits), so all of one is held: the file,
 * where in it what stands, and the four files of the mount as they are shown. Everything is
 * immutable once the map is anybody else's. What of the format is certain and what is assumed:
 * docs/triclon.md.
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

/* What the format's page leaves open, and the answers; as the words of -o and info.json. */
enum tcm_question { TCM_ENDIAN, TCM_LISTS, TCM_SIZE, TCM_QUESTIONS };
enum { TCM_LITTLE, TCM_BIG };            /* byte order */
enum { TCM_NONE, TCM_BYTES, TCM_COUNT }; /* what the sizes of lists count; that of the points */

extern const struct tcm_kind {
	const char *name;
	/* Of a table: its two columns; bytes of each number. */
	const char *header[3];
	unsigned width;
	bool coordinate[2];       /* else it is counted from 0 */
	enum tcm_question counts; /* what its size counts */
	const char *size;         /* for people: "the size of the points" */
} tcm_kinds[TCM_FILES];

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

/* What a file says, if it is read in that way. */
struct tcm_content {
	struct tcm_variant variant;
	/* Where the records stand, in the variant's byte order; of info.json the bytes of both
	 * names, each behind its length. NULL: there is no such list. */
	struct tcm_list {
		const uint8_t *at;
		size_t n;
	} lists[TCM_FILES];
};

struct tcm_map {
	struct snapshot base;
	struct bytes *file;
	struct tcm_content content;     /* its lists stand in file */
	struct bytes *texts[TCM_FILES]; /* what the mount shows */
	bool had_objects;               /* there was such a list at the mount */
	bool fresh;                     /* made of no file and not written yet */
};

static inline const struct tcm_map *tcm_map_of(const struct snapshot *s)
{
	return (const struct tcm_map *)s;
}

/* Would both be the same file (by the same tag)? */
bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b);

/* One of the two numbers of a record, as it is stored, and what it says: a float may be no number.
 */
uint32_t tcm_stored(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i);
double tcm_value(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i);
bool tcm_is_real(const struct tcm_variant *v, enum tcm_file list, unsigned which);
float tcm_float(uint32_t stored);
/* The largest index of the terrain, and which record has it; -1 without records. */
int64_t tcm_max_index(const struct tcm_content *c, size_t *ret_record);

/* Numbers of a file. */
uint32_t tcm_load(const uint8_t *p, unsigned width, const struct tcm_variant *v);
void tcm_append(struct buffer *to, uint32_t n, unsigned width, const struct tcm_variant *v);

/* info.c, table.c: a file's text; and what a map with that content stores instead of it, once that
 * was written to the file. info.json changes what the file is to be, too. */
void tcm_info_show(const struct tcm_content *c, struct buffer *to);
int tcm_info_parse(const struct tcm_content *c, const struct extent *in, struct tcm_variant *as,
	struct buffer *to, struct error *e);
void tcm_table_show(const struct tcm_content *c, enum tcm_file table, struct buffer *to);
int tcm_table_parse(const struct tcm_content *c, enum tcm_file table, const struct extent *in,
	struct buffer *to, struct error *e);

/* open.c: struct format's functions of these names. */
bool tcm_probe(const struct source *src, const uint8_t *head, size_t n);
int tcm_open(const struct source *src, const struct format_context *ctx, struct snapshot **ret,
	struct error *e);

/* edit.c. A version of `before` (NULL: of no map yet) with that content, as a file of the variant
 * `as`. */
int tcm_map_make(const struct tcm_map *before, const struct tcm_content *c,
	const struct tcm_variant *as, struct tcm_map **ret, struct error *e);
/* All bytes of a file that is no larger than a map may be. */
int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e);

/* edit.c, preview.c. */
extern const struct format_edit tcm_edit;
extern const struct format_preview tcm_preview;
