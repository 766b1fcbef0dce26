/* SPDX-License-Identifier: Zlib */
/* tables: the tables of a datafile as they stand in it, before anybody looked at them closely. */
#pragma once

#include "formats/teeworlds/datafile/datafile.h"

/* The file's tables as spans, and where its sections begin. */
struct datafile_tables {
	struct datafile_header h;
	uint64_t file_size;
	uint64_t items_at, data_at; /* bytes from the file's begin */
	struct bytes *raw;          /* item types, offsets, sizes */
	struct bytes *items;
	const uint8_t *types, *item_offsets, *data_offsets, *data_sizes; /* within raw */
};

/* Each section lies within the file, and no count is negative; else -EINVAL. To be finished in any
 * case. */
int datafile_read_tables(
	const struct file *file, uint64_t file_size, struct datafile_tables *t, struct error *e);
void datafile_tables_finish(struct datafile_tables *t);
