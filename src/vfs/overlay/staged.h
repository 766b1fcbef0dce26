/* SPDX-License-Identifier: Zlib */
/* staged: a tree, and the map that was built of it. */
#pragma once

#include "vfs/overlay/overlay.h"
#include "vfs/volume/options.h"
#include "vfs/volume/report.h"

struct staged {
	struct snapshot *base;
	struct tree_entry *entries;
	struct upper **uppers; /* of the entries; the overlay's */
	size_t n;
	struct snapshot *like; /* the map that was built last (struct build_how) */
	struct built built;
	struct report said; /* what the format says of the map */
};

/* What differs is listed; and then, on any thread, the map built. Good as long as the overlay is
 * not changed. -errno: no map follows, and the reason is in e. */
int staged_begin(const struct overlay *o, struct staged *ret, struct error *e);
int staged_run(struct staged *s, struct error *e);
/* On the overlay's thread, while it is not changed: what the build parsed is kept there, whatever
 * else came of it. */
void staged_keep(struct staged *s);
/* Add what tools know of the built map to what the format says. `advise` may be NULL. */
void staged_advise(struct staged *s, vfs_advise advise);
/* ... or, instead of staged_run, no object is placed: a map for a mount to show. */
int staged_view(struct staged *s);
/* Both; after a failure there is nothing to finish. */
int staged_build(const struct overlay *o, struct staged *ret, struct error *e);
void staged_finish(struct staged *s);

/* Is the map another one than the base, as far as the tree tells? */
bool staged_differs(const struct staged *s);
/* ... has it what was made, or stands elsewhere than there? */
bool staged_moves(const struct staged *s);
/* An entry's path; of a BUILD_KEPT one that at which its object stood. malloc'ed, NULL: no memory.
 */
char *staged_kept_path(const struct staged *s, size_t i);
/* What the new map has otherwise than the base, path by path: at each, what is gone, then what
 * stands there. */
void staged_each(const struct staged *s,
	void (*fn)(void *arg, enum build_fate fate, const char *path), void *arg);
/* The same for people. */
void staged_report(const struct staged *s, struct report *report);
