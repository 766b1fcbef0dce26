/* SPDX-License-Identifier: Zlib */
/*
 * write: write a map to a file, and verify it. The layout is that of the reference writer (DDNet's
 * engine/shared/datafile.cpp): header, item types ascending, offsets, sizes, items by type and
 * position, blobs by number, with no gaps and nothing after them. The magic is DATA and the version
 * 4 (3 if the map had 3). size and swaplen are always correct.
 *
 * A blob is copied in stored form if its coding fits the version. Removed blobs are not written,
 * and the others are renumbered, unless items of unknown meaning may refer to them (tw_all_known).
 * In that case, and for empty blobs, one NUL byte is written instead.
 */
#pragma once

#include "formats/teeworlds/datafile/number.h"

/* A data item in the written file. */
struct plan_blob {
	bool is_copied;     /* a copy of bytes in the map's file, which may be damaged */
	bool is_composed;   /* the stored bytes of a composed blob */
	uint64_t off, size; /* position in the written file */
};

struct tw_plan {
	struct plan plan; /* first */
	struct numbering numbers;
	struct plan_blob *blobs; /* by number */
	enum blob_coding coding; /* of all blobs in the written file */
	uint64_t size;           /* of the written file */
};

/* Write a map to outs[0] (format_edit.encode). plan_free frees *ret. force: decode and encode each
 * blob instead of copying it; a damaged one is copied. -EIO: a damaged blob has another coding than
 * the file. -EFBIG: the file would have more than 2^31 - 1 bytes. */
int datafile_write(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e);
/* Verify a written file (format_edit.verify): compare its tables and blobs with the map. Copied
 * and composed blobs (plan_blob) are compared in stored form, others decoded. -EIO: they differ. p
 * is not NULL. */
int datafile_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e);
