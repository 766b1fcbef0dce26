/* SPDX-License-Identifier: Zlib */
/*
 * structure: struct format's calls about which objects there are (formats/format.h says what they
 * do): what a name means (classify.c), new objects (add.c), a map of a file and a new one (open.c).
 */
#pragma once

#include "formats/teeworlds/model/map.h"

int tw_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e);
int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
/* The id of a part of an object that was made since the mount; -ENOENT. */
int tw_part(const struct tw_map *m, entry_id dir, const char *name, bool is_dir, entry_id *ret);
/* open.c: struct format's open, for the format that the snapshot is to be of. */
int tw_map_open(const struct format *format, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e);
