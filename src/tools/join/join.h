/* SPDX-License-Identifier: Zlib */
/*
 * join: merge one file that both sides changed. Each function merges another kind of file. Where
 * both sides changed one place differently, the result has it as in ours, and `clashes` lists it.
 * Memory errors may be left in out.error and clashes.error.
 */
#pragma once

#include "base/buffer.h"

enum which { BASE, OURS, THEIRS, SIDES };

struct join {
	struct bytes *sides[SIDES]; /* of the caller; NULL for the base if both added the file */
	/* Results, zeroed and freed by the caller: the merged file, and a text that lists the
	 * clashes, empty if there are none. */
	struct buffer out, clashes;
};

/* Merge texts by lines. both: keep lines that both sides added at one place, unless two different
 * lines of several words are equal up to the last one. */
int join_lines(struct join *j, bool both);
/* Merge tables whose first line names the columns. keys: column names, NULL-terminated, or NULL.
 * The first one with unique values identifies the rows; without one, rows are merged in their
 * order. -ENOTSUP: the files are no such tables; adds nothing. */
int join_rows(struct join *j, const char *const *keys);
/* Merge PNG files by pixels. Unrefs each side that it reads, and sets it to NULL. The result is a
 * PNG file in canonical form (codec/image/png.h). -ENOTSUP: the base is missing, a file is no PNG
 * file or too large, or sizes differ. */
int join_image(struct join *j);
/* Merge JSON files by fields. Lists of objects are merged as lines are. -ENOTSUP: a file is no JSON
 * object or list; adds nothing. */
int join_json(struct join *j);
/* Merge nothing, but list in `clashes` the keys whose values differ between two JSON objects, ours
 * and theirs. -ENOTSUP: a file is no JSON object; adds nothing. */
int join_list_json_differences(struct join *j);
