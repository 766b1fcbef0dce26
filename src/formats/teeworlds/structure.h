/* SPDX-License-Identifier: Zlib */
/*
 * structure: struct format's calls about which objects there are (formats/format.h says what they
 * do): new names (classify.c), new objects (add.c), the map to be written (finalize/finalize.c), a
 * new map (create.c), two maps compared (datafile/same.c).
 */
#ifndef FORMATS_TEEWORLDS_STRUCTURE_H
#define FORMATS_TEEWORLDS_STRUCTURE_H

#include "formats/teeworlds/model/map.h"

int tw_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e);
int tw_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret);
entry_id tw_object(entry_id id);
bool tw_alternate(entry_id dir, const char *name, char *ret);
entry_id tw_form(entry_id id, const char *name);
int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
/* The id of a part of an object that was made since the mount; -ENOENT. */
int tw_part(const struct tw_map *m, entry_id dir, const char *name, bool is_dir, entry_id *ret);
int tw_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e);
int tw_shown_as(const struct snapshot *settled, entry_id id, char *name);
int tw_finalize(const struct snapshot *s, const struct placement *p, size_t n,
	struct snapshot **ret, void (*say)(void *arg, const char *line), void *arg,
	struct error *e);
bool tw_same(const struct snapshot *a, const struct snapshot *b);
/* format.c: a map with nothing in it, for the options. */
int tw_map_begin(const struct format_context *ctx, struct tw_map **ret, struct error *e);
int tw_create(
	const char *name, const struct format_context *ctx, struct snapshot **ret, struct error *e);

#endif
