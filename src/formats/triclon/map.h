/* SPDX-License-Identifier: Zlib */
/*
 * map: a Triclon map in memory.
 *
 * Such maps are small (an index of a point has 16 bits), so memory holds the whole map file, the
 * places of its lists, and the text of the four mounted files. A map is immutable once it is
 * returned. docs/triclon.md says what of the format is certain and what is assumed.
 */
#pragma once

#include "base/buffer.h"
#include "formats/format.h"

enum {
	TCM_TAG_SIZE = 4,
	TCM_NAME_MAX = 255,      /* bytes: the length of a name is one byte */
	TCM_TEXT_MAX = 64 << 20, /* bytes of a mounted table; info.json has less */
	TCM_FILE_MAX = 16 << 20, /* bytes of a map: mapfs sets this bound */
};

/* The files of the mount. The entry of a file has twice its number. Points come before the terrain,
 * which refers to them, so that a copy file by file is accepted. */
enum tcm_file { TCM_INFO = 1, TCM_POINTS, TCM_TERRAIN, TCM_OBJECTS, TCM_FILES };

/* Properties that the description of the format leaves open: byte order, unit of the sizes of
 * terrain and objects, unit of the size of the points. And the answers. */
enum tcm_question { TCM_ENDIAN, TCM_LISTS, TCM_SIZE, TCM_QUESTIONS };
enum { TCM_LITTLE, TCM_BIG };            /* byte order */
enum { TCM_NONE, TCM_BYTES, TCM_COUNT }; /* unit of a list's size; NONE: no size (points only) */

extern const struct tcm_kind {
	const char *name;       /* "points.csv" */
	const char *header[3];  /* of a table: the names of its two columns, NULL-ended */
	unsigned width;         /* of a table: bytes of a number */
	bool coordinate[2];     /* the number is signed or a float; else it is unsigned */
	enum tcm_question unit; /* of a table: the question for the unit of its size */
	const char *size;       /* for messages: "the size of the points" */
} tcm_kinds[TCM_FILES];

extern const struct tcm_words {
	const char *key;
	const char *words[5]; /* by answer; NULL: no such one. endian: 2 and 3 mean 0 and 1 */
	const char *all;      /* for messages: "bytes or count" */
} tcm_questions[TCM_QUESTIONS];

/* The answer for a word (for endian 0 or 1, although it has four), or -1. */
int tcm_answer(enum tcm_question q, const char *word);

struct tcm_variant {
	const char *tag; /* the first four letters of the file; a static string of open.c */
	int answers[TCM_QUESTIONS];
	bool real; /* coordinates are 32-bit floats */
};

/* Write the variant as options, without its tag: "endian=little,lists=bytes,points=none". */
void tcm_variant_describe(const struct tcm_variant *v, char text[64]);

/* The content of a file that has this variant. */
struct tcm_content {
	struct tcm_variant variant;
	/* The records in the variant's byte order; for info.json the bytes of both names, each
	 * behind its length. `data` is NULL if the file has no such list. */
	struct tcm_list {
		const uint8_t *data;
		size_t n; /* records; for info.json bytes */
	} lists[TCM_FILES];
};

struct tcm_map {
	struct snapshot base;
	struct bytes *file;
	struct tcm_content content;     /* its lists point into file */
	struct bytes *texts[TCM_FILES]; /* of the mounted files */
	bool had_objects;               /* the map had an objects list at the mount */
	bool fresh;                     /* a version of a map that was opened without a file */
};

static inline const struct tcm_map *tcm_map_of(const struct snapshot *s)
{
	return (const struct tcm_map *)s;
}

/* Are the file, the answers of the variant, and the number of points equal? */
bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b);

/* Number 0 or 1 of a record, as it is stored, and as a value, which can be NaN; is it a float? And
 * the float that is stored so. */
uint32_t tcm_stored(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i);
double tcm_value(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i);
bool tcm_is_real(const struct tcm_variant *v, enum tcm_file list, unsigned which);
float tcm_float(uint32_t stored);
/* The largest index of the terrain, and the first record that has it, counted from 0. -1, and
 * *ret_record unchanged, if the terrain has none. */
int64_t tcm_max_index(const struct tcm_content *c, size_t *ret_record);

/* Load and append a number of `width` bytes in the variant's byte order. */
uint32_t tcm_load(const uint8_t *p, unsigned width, const struct tcm_variant *v);
void tcm_append(struct buffer *to, uint32_t n, unsigned width, const struct tcm_variant *v);

/* info.c, table.c. Show: append the text of a mounted file. Parse: read a written text, and append
 * the list that a map of this content stores for it; info.json also changes *as (at first c's).
 * -EINVAL; -EFBIG: a table over TCM_TEXT_MAX; -ENOMEM, which may be in to->error only. */
void tcm_info_show(const struct tcm_content *c, struct buffer *to);
int tcm_info_parse(const struct tcm_content *c, const struct extent *in, struct tcm_variant *as,
	struct buffer *to, struct error *e);
void tcm_table_show(const struct tcm_content *c, enum tcm_file table, struct buffer *to);
int tcm_table_parse(const struct tcm_content *c, enum tcm_file table, const struct extent *in,
	struct buffer *to, struct error *e);

/* open.c: for struct format. After tcm_open, which makes an empty map if src has no files, format.c
 * sets the format of the snapshot. -EINVAL: the map is invalid. -EFBIG: as tcm_load_file. */
bool tcm_probe(const struct source *src, const uint8_t *head, size_t n);
int tcm_open(const struct source *src, const struct format_context *ctx, struct snapshot **ret,
	struct error *e);

/* edit.c. Make a version of `before` with this content, which is copied, as a file of the variant
 * `as`, of any size. NULL: the first version; the caller sets its format, had_objects and fresh.
 * -ENOMEM. */
int tcm_map_make(const struct tcm_map *before, const struct tcm_content *c,
	const struct tcm_variant *as, struct tcm_map **ret, struct error *e);
/* Load the file. -EFBIG: it has more than TCM_FILE_MAX bytes. */
int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e);

/* edit.c, preview.c. */
extern const struct format_edit tcm_edit;
extern const struct format_preview tcm_preview;
