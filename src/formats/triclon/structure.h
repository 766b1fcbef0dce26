/* SPDX-License-Identifier: Zlib */
/* structure: which of the four files are in the map. Functions of struct format. */
#ifndef FORMATS_TRICLON_STRUCTURE_H
#define FORMATS_TRICLON_STRUCTURE_H

#include "formats/triclon/map.h"

/* The entry of a name below the root, or -ENOENT. */
int tcm_id_of(const char *name, entry_id *ret);
const char *tcm_name_of(entry_id id);

int tcm_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e);
int tcm_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret);
int tcm_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e);
int tcm_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
int tcm_settle(const struct snapshot *s, const struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e);
int tcm_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const char *line), void *arg, struct error *e);

#endif
