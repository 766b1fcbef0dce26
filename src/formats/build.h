/* SPDX-License-Identifier: Zlib */
/*
 * build: the map that follows from a base and a tree.
 *
 * A function, and the only way to a map that is to be written: the same base and the same tree give
 * the same map and the same words, in whatever order the tree came to be. Neither is changed.
 *
 * What it decides, in this order:
 *   identity    an object of the base belongs to the file that is now at the object's path in the
 *               base; if there is none, to the file that was moved from that path. A directory
 *               stays what it came from. A file with neither is a new object.
 *   contents    those that are not parsed yet are parsed; all are applied in the order of their
 *               paths, raw/ first. A content that needs others is tried again while each round
 *               makes progress.
 *   places      objects where they stand; those that nothing stands for leave the map.
 *   the rest    references, counts, what a game needs: the format's finalize.
 * Conditions of the whole map are for `check` of the result.
 *
 * On a worker. Cheap if all contents are parsed already; else they are parsed in parallel, one on
 * each processor.
 */
#pragma once

#include "formats/format.h"

/*
 * What differs from the base, and the directories that it is in. Lists are in the order of paths:
 * what is in a directory follows it, names in a directory are in order (name_compare), and the root
 * is the first.
 */
struct build_input {
	uint32_t parent;  /* the directory's place in the list; of the root 0 */
	const char *name; /* of the root "" */
	bool is_dir;
	bool is_removed; /* nothing stands there; `from` did, in the base or in the tree */
	entry_id origin; /* what it came from, in the base; ENTRY_NONE: it was made */
	entry_id hidden; /* what stands at this path in the base, unless that is `from`; or NONE */
	const struct extent *bytes;    /* bytes that were closed; NULL: what `from` shows */
	const struct extent *accepted; /* ... before those, if `in` is refused; NULL: none */
	/* The parsed values of `in` and `last`; if `in` is NULL, the first is that of the file that
	 * `from` shows. NULL: not parsed yet. build parses again if a value is for another entry.
	 */
	struct parsed *parsed, *accepted_parsed;
	bool is_refused; /* ... by a save or a close before */
	bool has_mtime;  /* a program set its time, to mtime */
	struct timespec mtime;
};

enum build_outcome {
	BUILD_SAME,    /* as in the base */
	BUILD_WRITTEN, /* another content, or time where maps keep those */
	BUILD_NEW,
	BUILD_ABSENT, /* ... but its parts never came: it is in no map */
	BUILD_MOVED,
	BUILD_GONE,     /* it left the map */
	BUILD_EMPTIED,  /* a part that is always there was removed, and is empty */
	BUILD_NEEDED,   /* ... or stays, since its object cannot be without it */
	BUILD_REPLACED, /* what stood there before left, and something else has its path */
	BUILD_KEPT,     /* its file has a name that means nothing; the object stays as it was */
	BUILD_SCRATCH,  /* the name means nothing */
	BUILD_REFUSED,  /* and why */
};

struct build_output {
	enum build_outcome outcome;
	/* Of what it hides, of itself where it is gone, or of what stands there where it is
	 * refused; else BUILD_SAME. */
	enum build_outcome hidden_outcome;
	entry_id id;        /* in the result, before its numbers were dealt; or ENTRY_NONE */
	bool is_unresolved; /* of BUILD_REFUSED: other files that it needs are not there */
	bool has_accepted;  /* ... what was accepted before is in the result */
	/* The parsed values of `in` and `last` for this entry; owned references, or NULL. */
	struct parsed *parsed, *accepted_parsed;
	char *reason; /* ... may be NULL where memory was short */
};

struct build_result {
	struct snapshot *map;
	struct build_output *outputs; /* as many as the tree has, in its order */
	size_t n, n_refused;
};

struct build_options {
	/* The map to be saved. Else only contents are applied, and objects keep the names and
	 * numbers of the base: the map that a mount shows. */
	bool places_objects;
	/* A map that was built before, or NULL. Blobs that it composed of the same contents are
	 * taken from it. */
	const struct snapshot *previous;
	/* Told of each line that a person should know of the result; on the caller's thread, only
	 * if placed. */
	format_say say;
	void *arg;
};

/* All is borrowed for the call. 0: *ret has a map, without the entries that were refused, and is
 * the caller's to finish. -errno: there is nothing to finish. */
int build(const struct snapshot *base, const struct build_input *entries, size_t n,
	const struct build_options *how, struct build_result *ret, struct error *e);
void build_result_finish(struct build_result *b);
