/* SPDX-License-Identifier: Zlib */
/* structure: the operations of struct format and format_tree (formats/format.h) that classify names
 * (classify.c), add objects (add.c) and open or create a map (open.c). */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Find the name class of a name in dir, and whether `object` (ENTRY_ROOT: none) can get this name
 * (format_tree.classify). -EACCES: raw/ is read-only. */
int tw_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e);
/* Add an object or part without content (format_tree.add). *s is replaced, except for a part of a
 * new object. -EINVAL: a scratch name. -ENOSPC: too many objects. */
int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
/* Find the id of a part of a new object (made since the mount). -ENOENT: the directory is not of a
 * new object, or has no such part. Defined in classify.c. */
int tw_part(const struct tw_map *m, entry_id dir, const char *name, bool is_dir, entry_id *ret);
/* Open the map of src, or create one if it has no files (format.open). *ret gets this format. */
int tw_map_open(const struct format *format, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e);
