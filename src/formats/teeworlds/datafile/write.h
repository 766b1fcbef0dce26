/* SPDX-License-Identifier: Zlib */
/*
 * write: a map as a file, laid out as the reference writer does it (DDNet's
 * engine/shared/datafile.cpp): header, item types ascending, offsets, sizes, items by type and
 * position, blobs by number; nothing between or after them; magic DATA, version 4 (a version-3 map
 * stays one), size and swaplen right whatever the file had.
 *
 * A blob is copied as it is stored where its coding fits the file's version. Blobs that left the
 * map are left out and the rest numbered anew, but where items of unknown meaning might name them
 * (tw_all_known): then one byte stands in their place, as for those of no bytes.
 */
#pragma once

#include "formats/teeworlds/datafile/number.h"

/* Where a data item went. */
struct plan_blob {
	bool copied;        /* as the map's file holds it */
	bool made;          /* the stored bytes of a composed blob */
	uint64_t off, size; /* bytes in the written file */
};

struct tw_plan {
	struct plan plan;
	struct numbering numbers;
	struct plan_blob *blobs; /* by number */
	enum blob_coding coding;
	uint64_t size;
};

/* struct format's encode. force: decode and encode every blob that is sound, instead of copying.
 * -EFBIG where the file would have more than 2^31 - 1 bytes or items. */
int datafile_write(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e);
/* Reads tables and blobs back: tables as intended, copied blobs byte for byte, others inflated. */
int datafile_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e);
