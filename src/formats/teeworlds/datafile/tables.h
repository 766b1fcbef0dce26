/* SPDX-License-Identifier: Zlib */
/* tables: read the tables of a datafile as raw bytes, without checking their entries. */
#pragma once

#include "formats/teeworlds/datafile/datafile.h"

struct datafile_tables {
	struct datafile_header h;
	uint64_t file_size;
	uint64_t items_at, data_at; /* offsets of these sections in the file */
	struct bytes *raw;          /* item types, offsets, sizes */
	struct bytes *items;        /* the items section */
	/* Within raw; data_sizes is NULL in version 3. */
	const uint8_t *types, *item_offsets, *data_offsets, *data_sizes;
};

/* Read the tables. -EINVAL: a section exceeds the file, or a header field is invalid; size and
 * swaplen are not checked. The caller zeroes *t before, and finishes it in any case. */
int datafile_read_tables(
	const struct file *file, uint64_t file_size, struct datafile_tables *t, struct error *e);
void datafile_tables_finish(struct datafile_tables *t);
