/* SPDX-License-Identifier: Zlib */
/*
 * rows: records as the elements of a JSON array, of which there may be very many: quads, sound
 * sources, points of an envelope.
 */
#pragma once

#include "codec/blob.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/lens/record.h"

enum {
	TW_ROW_MAX = TW_ELEMENT_MAX, /* integers of a row */
	TW_ROWS_AT_ONCE = 256,       /* rows that are written as soon as one of them is looked at */
};

struct tw_rows {
	const struct tw_map *m;
	const struct tw_key *keys;
	uint32_t n;
	uint32_t n_ints; /* of a row */
	/* The integers of row i < n; v has room for TW_ROW_MAX. */
	int (*get)(void *arg, uint32_t i, int32_t *v, struct error *e);
	void *arg;
	/* Of more than TW_ROWS_AT_ONCE rows: with what it is remembered where their texts begin,
	 * and by which key. */
	struct blob *blob;
	uint64_t key;
};

/*
 * The array, as the next value of w. Text before `off`, an offset in the file, may be passed over:
 * of many rows the first time all are looked at. Where w is done before the end of the array, that
 * is left open.
 */
int tw_rows_write(struct jsonw *w, const struct tw_rows *rows, uint64_t off, struct error *e);

/* What was written as element i, as integers: what it leaves out is that of the row in its place,
 * or where there is none what is initial. *ret_differs (never cleared): it is another one. names:
 * as for tw_record_read. */
int tw_rows_read(const struct json_at *at, const struct tw_rows *old, uint32_t i,
	const struct tw_naming *names, int32_t *v, bool *ret_differs, struct error *e);
