/* SPDX-License-Identifier: Zlib */
/*
 * bindat_file: the shape of a compiled data file, for bindat_decode and bindat_encode.
 */
#pragma once

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/number.h"

enum bindat_type {
	BINDAT_INTEGER = 1,
	BINDAT_FLOAT,
	BINDAT_DOUBLE,
	BINDAT_UNSIGNED,
	BINDAT_STRING,
	BINDAT_BOOL,
	BINDAT_INTEGER64,
	BINDAT_TRANSLATE,
	BINDAT_NOTE,
	BINDAT_TYPES
};

enum { BINDAT_VERSION = 2 };

/* The id of "". */
#define BINDAT_EMPTY UINT32_C(0xFFFFFFFF)

extern const struct bindat_type_facts {
	const char *word;
	enum number_kind number; /* of no strings, as is range: what it may be, for people */
	const char *range;
} bindat_types[BINDAT_TYPES];

static inline bool bindat_is_string(uint32_t type)
{
	return type == BINDAT_STRING || type == BINDAT_TRANSLATE || type == BINDAT_NOTE;
}

static inline size_t bindat_value_size(uint32_t type)
{
	return type == BINDAT_DOUBLE || type == BINDAT_INTEGER64 ? 8 : 4;
}

struct bindat_string {
	uint32_t id;
	struct ss s;
};

/* A file whose table is sound; it points into the bytes. */
struct bindat_file {
	const uint8_t *data;
	size_t size;
	struct bindat_string *strings; /* by id */
	size_t n_strings;
	size_t tree;     /* where the root block begins */
	bool has_empty;  /* the table has an entry for "" */
	bool uses_empty; /* a field refers to "" */
	bool extra_word; /* the word 0 after a table of no entries */
};

/* What walk meets; each may be NULL. */
struct bindat_visitor {
	int (*open)(void *arg, unsigned depth, uint32_t name, struct error *e);
	int (*value)(void *arg, const struct bindat_value *v, struct error *e);
	int (*close)(void *arg, unsigned depth, uint32_t name, struct error *e);
	void *arg;
};

/* Checks the whole file, to its last byte. -EIO. */
int bindat_file_open(const uint8_t *data, size_t size, struct bindat_file *ret, struct error *e);
void bindat_file_close(struct bindat_file *f);
#define CLEANUP_BINDAT __attribute__((cleanup(bindat_file_close)))

/* NULL: not in the table. */
const struct bindat_string *bindat_find(const struct bindat_file *f, uint32_t id);

int bindat_walk(const struct bindat_file *f, const struct bindat_visitor *v, struct error *e);
