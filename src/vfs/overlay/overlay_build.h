/* SPDX-License-Identifier: Zlib */
/* overlay_build: the differences of an overlay, and the map that is built from them. Call
 * overlay_build_begin on the overlay's thread, then, on any thread, overlay_build_run or _view, and
 * at last, even if that failed, overlay_build_finish. The inputs point into the overlay, which must
 * not change while they are used. */
#pragma once

#include "vfs/overlay/overlay.h"
#include "vfs/volume/options.h"
#include "vfs/volume/report.h"

struct overlay_build {
	struct snapshot *base;
	struct build_input *inputs;
	struct oentry **oentries; /* oentries[i] belongs to inputs[i]; owned by the overlay */
	size_t n;
	struct snapshot *previous; /* overlay.unsaved, or else overlay.view (build_options) */
	struct build_result result;
	struct report format_report; /* lines of the format about the map */
};

/* List the differences from the base. After a failure there is nothing to finish. */
int overlay_build_begin(const struct overlay *o, struct overlay_build *ret, struct error *e);
/* Build the map to be saved. On failure there is no map. */
int overlay_build_run(struct overlay_build *s, struct error *e);
/* Keep the parsed values in the overlay, even if a save fails later. On the overlay's thread. */
void overlay_build_keep_parsed(struct overlay_build *s);
/* Add advice of tools about the built map to format_report. `advise` may be NULL. Any thread. */
void overlay_build_advise(struct overlay_build *s, vfs_advise advise);
/* Build the map that a mount shows: no object is placed. */
int overlay_build_view(struct overlay_build *s);
/* overlay_build_begin and overlay_build_run; after a failure there is nothing to finish. */
int overlay_build(const struct overlay *o, struct overlay_build *ret, struct error *e);
void overlay_build_finish(struct overlay_build *s);

/* Does the new map differ from the base, by the outcomes of its inputs? */
bool overlay_build_differs(const struct overlay_build *s);
/* Is any file new in the map, or moved? */
bool overlay_build_moves(const struct overlay_build *s);
/* Path of input i, malloc'ed, or NULL if memory is exhausted. For BUILD_KEPT it is the path that
 * the object has in the base. */
char *overlay_build_kept_path(const struct overlay_build *s, size_t i);
/* Call fn for each difference between the new map and the base, and for each BUILD_KEPT, in the
 * order of paths. A removed file comes before the one now at its path. A new directory stands for
 * all that is in it. Leaves differences out if memory is exhausted. */
void overlay_build_each(const struct overlay_build *s,
	void (*fn)(void *arg, enum build_outcome outcome, const char *path), void *arg);
/* Report the same, removals first; counts saved paths after the eighth. May raise the code. */
void overlay_build_report(const struct overlay_build *s, struct report *report);
