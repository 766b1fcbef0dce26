/* SPDX-License-Identifier: Zlib */
/* structure: the operations of struct format and struct format_tree that classify names
 * (classify.c), add objects (add.c) and open or create a map (open.c). */
#pragma once

#include "formats/teeworlds/model/map.h"

/* format_tree.classify. */
int tw_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e);
/* format_tree.add. */
int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
/* Find the id of a part of a new object (made since the mount). -ENOENT: the directory is not of a
 * new object, or has no such part. Defined in classify.c. */
int tw_part(const struct tw_map *m, entry_id dir, const char *name, bool is_dir, entry_id *ret);
/* format.open; the snapshot gets this format. */
int tw_map_open(const struct format *format, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e);
