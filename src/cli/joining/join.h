/* SPDX-License-Identifier: Zlib */
/*
 * join: one file that both sides changed, as both changes together.
 *
 * Each makes *ret, in which what both sides changed at one place is as ours has it, and says in
 * *clash where that is (NULL: nowhere), for people. b is NULL where both sides added the file.
 */
#pragma once

#include "base/buffer.h"

/* Lines. both: those that the sides added at one place are both kept, where their first words
 * differ (all but the last of each line). */
int join_lines(const struct bytes *b, const struct bytes *o, const struct bytes *t, bool both,
	struct bytes **ret, char **clash);
/* Lines of cells below a line with the names of the columns. keys (NULL-ended, or NULL): of those
 * names the first whose column has another value in each line says which rows are the same; without
 * one they stand in their order. -ENOTSUP: they are no such tables. */
int join_rows(const struct bytes *b, const struct bytes *o, const struct bytes *t,
	const char *const *keys, struct bytes **ret, char **clash);
/* Pixels of PNG files; the result is one of the canonical form (codec/image/png.h). -ENOTSUP: one
 * is none, or of another size than the others, or b is NULL. */
int join_image(struct bytes *b, struct bytes *o, struct bytes *t, struct bytes **ret, char **clash);
/* Fields of a JSON file. Lists of objects are joined as lines are. -ENOTSUP: one is no JSON. */
int join_json(const struct bytes *b, const struct bytes *o, const struct bytes *t,
	struct bytes **ret, char **clash);
