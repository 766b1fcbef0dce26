/* SPDX-License-Identifier: Zlib */
/* rows: a JSON array of records, possibly a very long one: quads, sound sources, or the points of
 * an envelope. To read from the middle of a long array, the offsets of some of its rows are
 * measured once and kept in the budget. */
#pragma once

#include "codec/blob.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/lens/record.h"

enum {
	TW_ROW_MAX = TW_ELEMENT_MAX, /* most integers of a row */
	TW_ROWS_AT_ONCE = 256,       /* arrays of up to this many rows are written as a whole */
};

struct tw_rows {
	const struct tw_map *m;
	const struct tw_key *keys;
	uint32_t n;
	uint32_t n_ints; /* integers of a row that are shown */
	/* Get the integers of row i < n, at least n_ints; v has room for TW_ROW_MAX. */
	int (*get)(void *arg, uint32_t i, int32_t *v, struct error *e);
	void *arg;
	/* The blob that keeps the rows' offsets (blob_derive), and a key that no other text of rows
	 * has there. Not used if there are at most TW_ROWS_AT_ONCE rows. */
	struct blob *blob;
	uint64_t key;
};

/* Write the array as the next value of w. Rows before the file offset `off` may be skipped. The
 * first skip in a long array formats all rows, to find their offsets. If jsonw_done(w) before the
 * end of the array, the array is left open. */
int tw_rows_write(struct jsonw *w, const struct tw_rows *rows, uint64_t off, struct error *e);

/* Read element i of a written array into v, which has room for TW_ROW_MAX; the first old->n_ints
 * integers are valid. Absent keys take the values of old row i, or initial values if there is none.
 * *ret_differs becomes true if the row differs or is new, else it stays. names finds objects by
 * name; NULL if no key is a reference. -EINVAL: a key is not in old->keys, or has a wrong value. */
int tw_rows_read(const struct json_at *at, const struct tw_rows *old, uint32_t i,
	const struct tw_naming *names, int32_t *v, bool *ret_differs, struct error *e);
