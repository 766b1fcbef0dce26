/* SPDX-License-Identifier: Zlib */
/*
 * datafile: the container of a Teeworlds map, as tables.
 *
 *     header       magic "DATA" or "ATAD", then i32 version (3 or 4), size, swaplen,
 *                  num_item_types, num_items, num_data, item_size, data_size
 *     item_types   {i32 type, start, num} each
 *     item_offsets i32 each, into the items
 *     data_offsets i32 each, into the data
 *     data_sizes   i32 each: inflated sizes; version 4 only
 *     items        {u16 id, u16 type, i32 size, size bytes} each
 *     data         zlib streams; in version 3 the bytes themselves
 *
 * All little-endian, also where the magic is reversed (libtw2 doc/datafile.md, DDNet's
 * engine/shared/datafile.cpp). A file whose integers are big-endian is refused by its version.
 *
 * Refused and accepted: layout-teeworlds.md, rule 25.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { DATAFILE_HEADER_SIZE = 36 };

struct datafile_header {
	int32_t version, size, swaplen;
	int32_t num_item_types, num_items, num_data;
	int32_t item_size, data_size;
};

/*
 * Fills the empty map m (from tw_map_new): items in file order, blobs as extents of the source's
 * file; sets shared->file_version. -EINVAL names the field, its value and its bound. Memory follows
 * the file's size.
 */
int datafile_read(const struct source *src, struct tw_map *m, struct error *e);

/* verify.c, struct format's same. Blobs are compared as they are stored, where both are. */
bool tw_same(const struct snapshot *a, const struct snapshot *b);
