/* SPDX-License-Identifier: Zlib */
/*
 * datafile: read and verify the container format of Teeworlds maps.
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
 * All integers are little-endian, even if the magic is reversed (libtw2 doc/datafile.md, DDNet's
 * engine/shared/datafile.cpp). A big-endian file is refused because of its version.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { DATAFILE_HEADER_SIZE = 36 };

struct datafile_header {
	int32_t version, size, swaplen;
	int32_t num_item_types, num_items, num_data;
	int32_t item_size, data_size;
};

/* Read src->files[0] into the empty map m (from tw_map_new): items in file order, blobs as extents
 * of the file, which are not verified, the index, file, trailing, and shared->file_version. -EINVAL
 * names field, value and bound. Memory use is proportional to the file. On failure only free m. */
int datafile_read(const struct source *src, struct tw_map *m, struct error *e);

/* Are the items and blobs of a and b equal, so that no save is needed (format_edit.same)? Compares
 * blobs of one coding as stored, others decoded. Materializes the blobs of b. False on an error. */
bool tw_same(const struct snapshot *a, const struct snapshot *b);
