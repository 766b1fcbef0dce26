/* SPDX-License-Identifier: Zlib */
/*
 * join: one file that both sides changed, as both changes together.
 */
#pragma once

#include "base/buffer.h"

enum which { BASE, OURS, THEIRS, SIDES };

struct join {
	struct bytes *of[SIDES]; /* of the base NULL, where both sides added the file */
	/* Result: the file, in which what both sides changed at one place is as ours has it, and
	 * where that is, for people; nothing: nowhere. */
	struct buffer out, told;
};

/* Lines. both: those that the sides added at one place are both kept, where their first words
 * differ (all but the last of each line). */
int join_lines(struct join *j, bool both);
/* Lines of cells below a line with the names of the columns. keys (NULL-ended, or NULL): of those
 * names the first whose column has another value in each line says which rows are the same; without
 * one they stand in their order. -ENOTSUP: they are no such tables, and nothing is added. */
int join_rows(struct join *j, const char *const *keys);
/* Pixels of PNG files, which are dropped once they are read; the result is one of the canonical
 * form (codec/image/png.h). -ENOTSUP: one is none, or too large for a picture, or of another size
 * than the others, or not there. */
int join_image(struct join *j);
/* Fields of a JSON file. Lists of objects are joined as lines are. -ENOTSUP: one is no JSON, and
 * nothing is added. */
int join_json(struct join *j);
