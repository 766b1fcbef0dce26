/* SPDX-License-Identifier: Zlib */
/*
 * cp: copy parts of one map into another, with all that they refer to. A format that can do so has
 * a struct cp_tool.
 */
#pragma once

#include "formats/format.h"

/* A part to copy. */
struct cp_part {
	char *path; /* in the source map; owned by the caller */
	entry_id id;
	/* A pattern matched it. Then a physics layer, or the group of the game layer, is left out
	 * instead of refused. */
	bool is_match;
};

struct cp {
	const struct cp_part *parts; /* borrowed */
	size_t n_parts;
	/* A directory of the changed map. ENTRY_NONE: by the kind of a part; a layer goes to the
	 * only group that has the name of its own. */
	entry_id target;
	int32_t x, y;       /* move groups by so many tiles, -CP_TILES_MAX to CP_TILES_MAX */
	bool settings;      /* append the setting lines that the changed map lacks */
	bool no_references; /* references become none, instead of copying their objects */
};

enum { CP_TILES_MAX = 1000000 };

enum cp_event { CP_ADDED, CP_REUSED, CP_LEFT_OUT };

/* The result for a part, an object that it refers to, or the settings. Valid during report(). */
struct cp_line {
	enum cp_event event;
	const char *from;   /* path in the source map */
	const char *to;     /* path in the new map; NULL for CP_LEFT_OUT */
	const char *detail; /* the reason of CP_LEFT_OUT, or more about the part; or NULL */
};

struct cp_calls {
	void (*report)(void *arg, const struct cp_line *l);
	format_say note; /* what the save changes besides */
	void *arg;       /* of both */
};

struct cp_tool {
	/* Copy parts of `from` into a new version of `to`, both just opened. *ret is NULL if
	 * nothing was copied. Calls report() at the end. -EINVAL, -EIO: refused; e
	 * begins with the path of a part in `from`, if it is about one. Any thread. The budget of
	 * `from` must outlive *ret. */
	int (*copy)(const struct snapshot *from, const struct snapshot *to, const struct cp *how,
		const struct cp_calls *calls, struct snapshot **ret, struct error *e);
};
