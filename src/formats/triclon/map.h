/* SPDX-License-Identifier: Zlib */
/*
 * map: a Triclon map in memory, and the mount's entries.
 *
 * Such maps are small, so all of one is held as records, whatever byte order it is stored in;
 * encoding them by the variant gives the file back byte for byte. What of the format is certain and
 * what is assumed: docs/triclon.md.
 */
#ifndef FORMATS_TRICLON_MAP_H
#define FORMATS_TRICLON_MAP_H

#include "base/buffer.h"
#include "formats/format.h"

enum {
	TCM_TEXT_MAX = 255,       /* bytes of a name: its length is one byte */
	TCM_FILE_MAX = 256 << 20, /* bytes; a bound of ours, since all is held in memory */
};

enum tcm_table { TCM_TERRAIN, TCM_POINTS, TCM_OBJECTS, TCM_TABLES };

/* Entries: the root is ENTRY_ROOT. */
enum { TCM_ID_INFO = 1, TCM_ID_TABLE = 2 /* + enum tcm_table */, TCM_ID_END = 5 };

/* Terrain: index, type. Points: x, y. Objects: x, type. As the 16 or 32 bits that are stored. */
struct tcm_record {
	uint32_t v[2];
};

/* A table: immutable, ref-counted. */
struct tcm_list {
	atomic_uint refs;
	uint64_t text_size; /* of its CSV */
	uint64_t *marks;    /* where the line of every TCM_MARK-th record begins */
	size_t n;
	struct tcm_record records[];
};

enum { TCM_MARK = 256 };

/* What the format's page leaves open, and how a file answers it. */
enum tcm_size { TCM_NONE, TCM_BYTES, TCM_COUNT };

struct tcm_variant {
	char tag[4];
	bool big;             /* byte order */
	enum tcm_size lists;  /* what the size of a list counts; never TCM_NONE */
	enum tcm_size points; /* is there a size before the points, and what does it count */
	bool real;            /* coordinates are 32-bit floats */
};

struct tcm_map {
	struct snapshot base;
	struct tcm_variant variant;
	struct bytes *name, *author;
	struct tcm_list *lists[TCM_TABLES]; /* that of objects: NULL where there never was one */
	bool had_objects;                   /* when it was mounted */
	bool has_objects;                   /* is the list written */
	bool fresh;                         /* made by create and not written yet */
};

static inline const struct tcm_map *tcm_map_of(const struct snapshot *s)
{
	return (const struct tcm_map *)s;
}

/* A map that shares all parts of m; NULL for an empty one. NULL: no memory. */
struct tcm_map *tcm_map_copy(const struct tcm_map *m);
void tcm_map_free(struct snapshot *s); /* struct format's free */
bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b);

/* The largest index of the terrain's records, and which record has it; -1 without records. */
int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record);

/* The file. The buffer's error is sticky. */
void tcm_encode(const struct tcm_map *m, struct buffer *to);
uint64_t tcm_encoded_size(const struct tcm_map *m);

/* list.c: the tables as CSV */
extern const char *const tcm_table_files[TCM_TABLES];
/* Of n records (NULL: all zero bits) of a table; NULL: no memory. */
struct tcm_list *tcm_list_new(enum tcm_table table, bool real, const void *records, size_t n);
struct tcm_list *tcm_list_ref(struct tcm_list *l);
void tcm_list_unref(struct tcm_list *l);
DEFINE_CLEANUP(struct tcm_list, tcm_list_unref);
bool tcm_list_same(const struct tcm_list *a, const struct tcm_list *b);
void tcm_list_get(const struct tcm_list *l, enum tcm_table table, bool real, uint64_t off,
	uint8_t *dst, size_t n);
/* Judge what was written to a table of m: struct format's parse. */
int tcm_list_parse(const struct tcm_map *m, enum tcm_table table, const struct extent *in,
	struct tcm_list **ret, struct error *e);

/* info.c: info.json */
void tcm_info_show(const struct tcm_map *m, struct buffer *to);
/* *ret is a copy of m with what was written, or NULL: nothing changed. */
int tcm_info_parse(
	const struct tcm_map *m, const struct extent *in, struct tcm_map **ret, struct error *e);

#endif
