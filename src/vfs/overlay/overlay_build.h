/* SPDX-License-Identifier: Zlib */
/* staged: a tree, and the map that was built of it. */
#pragma once

#include "vfs/overlay/overlay.h"
#include "vfs/volume/options.h"
#include "vfs/volume/report.h"

struct overlay_build {
	struct snapshot *base;
	struct build_input *entries;
	struct oentry **oentries; /* of the entries; the overlay's */
	size_t n;
	struct snapshot *like; /* the map that was built last (struct build_options) */
	struct build_result built;
	struct report format_report; /* what the format says of the map */
};

/* What differs is listed; and then, on any thread, the map built. Good as long as the overlay is
 * not changed. -errno: no map follows, and the reason is in e. */
int overlay_build_begin(const struct overlay *o, struct overlay_build *ret, struct error *e);
int overlay_build_run(struct overlay_build *s, struct error *e);
/* On the overlay's thread, while it is not changed: what the build parsed is kept there, whatever
 * else came of it. */
void overlay_build_keep_parsed(struct overlay_build *s);
/* Add what tools know of the built map to what the format says. `advise` may be NULL. */
void overlay_build_advise(struct overlay_build *s, vfs_advise advise);
/* ... or, instead of overlay_build_run, no object is placed: a map for a mount to show. */
int overlay_build_view(struct overlay_build *s);
/* Both; after a failure there is nothing to finish. */
int overlay_build(const struct overlay *o, struct overlay_build *ret, struct error *e);
void overlay_build_finish(struct overlay_build *s);

/* Is the map another one than the base, as far as the tree tells? */
bool overlay_build_differs(const struct overlay_build *s);
/* ... has it what was made, or stands elsewhere than there? */
bool overlay_build_moves(const struct overlay_build *s);
/* An entry's path; of a BUILD_KEPT one that at which its object stood. malloc'ed, NULL: no memory.
 */
char *overlay_build_kept_path(const struct overlay_build *s, size_t i);
/* What the new map has otherwise than the base, path by path: at each, what is gone, then what
 * stands there. */
void overlay_build_each(const struct overlay_build *s,
	void (*fn)(void *arg, enum build_outcome fate, const char *path), void *arg);
/* The same for people. */
void overlay_build_report(const struct overlay_build *s, struct report *report);
