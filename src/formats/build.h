/* SPDX-License-Identifier: Zlib */
/*
 * build: make a map from a base and an overlay.
 *
 * This is the only way to make a map that is to be written. The result depends on the base and the
 * overlay only, not on the order of the operations that made the overlay. Neither is changed.
 *
 * A build has these steps:
 *   identities  An object of the base belongs to the file that is now at the object's path in the
 *               base; if there is none, to the file that was moved from that path. A directory
 *               keeps its origin. Every other file is a new object.
 *   contents    Parse the contents that are not parsed yet. Apply all of them in the order of
 *               their paths, raw/ first. Repeat those that need others while any succeeds.
 *   placements  Objects go where their files are. An object whose file has a scratch name stays;
 *               an object without a file leaves the map.
 *   finalize    The format derives the rest: references, counts, what a game needs.
 * format_edit.check checks the result as a whole.
 *
 * Not for the owner's thread. A build is cheap if all contents are parsed already; else it parses
 * them in parallel (parallel_each).
 */
#pragma once

#include "formats/format.h"

/* Build input: a path of the overlay, which differs from the base or is a directory on the way to
 * one that does. The array is sorted by path: the root is first, the contents of a directory follow
 * it, and the names in a directory are sorted (name_compare). */
struct build_input {
	uint32_t parent;  /* index of the directory; 0 for the root */
	const char *name; /* "" for the root */
	bool is_dir;
	bool is_removed; /* a whiteout: `origin` had this path, in the base or in the overlay */
	entry_id origin; /* the entry of the base that it came from; ENTRY_NONE if new */
	entry_id hidden; /* the entry of the base at this path, if not `origin`; or ENTRY_NONE */
	const struct extent *bytes;    /* the content; NULL: the file shows its origin */
	const struct extent *accepted; /* accepted content, if `bytes` are refused; or NULL */
	/* Parsed values of `bytes` and of `accepted`; of the origin's bytes, where those are NULL.
	 * NULL: not parsed yet. A value for another entry is parsed again. */
	struct parsed *parsed, *accepted_parsed;
	bool is_refused; /* an earlier save or close refused `bytes` */
	bool has_mtime;  /* mtime is valid: a program set it */
	struct timespec mtime;
};

enum build_outcome {
	BUILD_SAME,    /* as in the base */
	BUILD_WRITTEN, /* another content, or another time if maps keep times */
	BUILD_NEW,     /* a new object, part or directory */
	BUILD_ABSENT,  /* a new object whose parts never came; it is in no map */
	BUILD_MOVED,
	BUILD_REMOVED,  /* removed from the map */
	BUILD_CLEARED,  /* a mandatory entry was removed, and is cleared */
	BUILD_RESTORED, /* a mandatory entry was removed, and stays */
	BUILD_REPLACED, /* the object left the map, and another entry has its path */
	BUILD_KEPT,     /* the file has a scratch name; its object stays unchanged */
	BUILD_SCRATCH,  /* a scratch file */
	BUILD_REFUSED,  /* see `reason` */
};

struct build_output {
	enum build_outcome outcome; /* BUILD_SAME if the input is removed */
	/* Outcome of the second thing at this path: of `hidden`; of `origin`, if the input is
	 * removed; or, if the content is refused, of the file without it. Else BUILD_SAME. */
	enum build_outcome hidden_outcome;
	entry_id id;        /* in the built map before finalize; or ENTRY_NONE */
	bool is_unresolved; /* with BUILD_REFUSED: because of other files, which may change */
	bool has_accepted;  /* with BUILD_REFUSED: the map has the accepted content */
	/* As in build_input, but for `id`; owned references, or NULL. */
	struct parsed *parsed, *accepted_parsed;
	char *reason; /* with BUILD_REFUSED; NULL if memory was exhausted */
};

struct build_result {
	struct snapshot *map;
	struct build_output *outputs; /* one for each input, in the same order */
	size_t n, n_refused;          /* n_refused: those with BUILD_REFUSED */
};

struct build_options {
	/* Build the map to be saved. If false, objects keep the names and numbers of the base, and
	 * only contents are applied: the view. */
	bool places_objects;
	/* A map that was built before, or NULL. The new map shares blobs that it composed of the
	 * same contents. */
	const struct snapshot *previous;
	/* Reports lines for people about the result, on the caller's thread. Not NULL if
	 * places_objects; unused without. */
	format_say say;
	void *arg;
};

/* Build a map without the inputs that are refused. The caller finishes *ret. */
int build(const struct snapshot *base, const struct build_input *entries, size_t n,
	const struct build_options *how, struct build_result *ret, struct error *e);
void build_result_finish(struct build_result *b); /* frees the members, and zeroes them */
