/* SPDX-License-Identifier: Zlib */
/*
 * rawindex_kinds: what the seven kinds of .RAW files are made of.
 */
#pragma once

#include <stdbool.h>

#include "formats/torchlight/text/raw/rawindex.h"

enum raw_type {
	RAW_TEXT, /* SS */
	RAW_U8,
	RAW_I32,
	RAW_U32,
	RAW_I64,
	RAW_TEXTS, /* u8 n, n x SS */
	RAW_IDS,   /* u32 n, n x i64 */
	RAW_MENU,  /* u32, one of raw_menus */
	RAW_STATE, /* u32, one of raw_states */
	RAW_TYPES
};

enum { RAW_COLUMNS_MAX = 10, RAW_SECTIONS_MAX = 4, RAW_MENUS = 20, RAW_STATES = 7 };

struct raw_column {
	const char *name;
	enum raw_type type;
};

struct raw_kind {
	const char *name;            /* the file's, without ".RAW" */
	unsigned count_bytes;        /* of the number of records: 2 or 4 */
	const char *const *sections; /* NULL-ended names of several lists, or NULL */
	bool first_column_apart;     /* all first cells, then all the others */
	struct raw_column columns[RAW_COLUMNS_MAX];
	unsigned n_columns;
};

extern const char *const raw_menus[RAW_MENUS];
extern const char *const raw_states[RAW_STATES];
