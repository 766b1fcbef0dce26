/* SPDX-License-Identifier: Zlib */
/*
 * build: the map that follows from a base and a tree.
 *
 * A function, and the only way to a map that is to be written: the same base and the same tree give
 * the same map and the same words, in whatever order the tree came to be. Neither is changed.
 *
 * What it decides, in this order:
 *   identity    an object is the file's that stands at its path in the base; if none does, the
 *               file's that came from there, wherever that stands; directories are what they came
 *               from. What has neither is new.
 *   contents    parsed if they are not yet, and applied in the order of their paths, raw/ first;
 *               what needs others is tried again as long as that gets anything on.
 *   places      objects where they stand; those that nothing stands for leave the map.
 *   the rest    references, counts, what a game needs: the format's finalize.
 * Conditions of the whole map are for `check` of the result.
 *
 * On a worker; cheap where all contents are parsed already. Of those that are not as many are
 * parsed at a time as there are processors.
 */
#pragma once

#include "formats/format.h"

/*
 * What differs from the base, and the directories that it is in. Lists are in the order of paths:
 * what is in a directory follows it, names in a directory are in order (name_compare), and the root
 * is the first.
 */
struct tree_entry {
	uint32_t up;      /* the directory's place in the list; of the root 0 */
	const char *name; /* of the root "" */
	bool dir;
	bool gone;      /* nothing stands there; `from` did, in the base or in the tree */
	entry_id from;  /* what it came from, in the base; ENTRY_NONE: it was made */
	entry_id hides; /* what stands at this path in the base, unless that is `from`; or NONE */
	const struct extent *in;   /* bytes that were closed; NULL: what `from` shows */
	const struct extent *last; /* ... before those, if `in` is refused; NULL: none */
	/* What was parsed of them; NULL: nothing yet. Of those that are valid for another entry now
	 * build parses anew. */
	struct parsed *parsed, *last_parsed;
	bool refused; /* ... by a save or a close before */
	bool timed;   /* somebody set its time: this one */
	struct timespec mtime;
};

enum build_fate {
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

struct built_entry {
	enum build_fate fate;
	/* Of what it hides, of itself where it is gone, or of what stands there where it is
	 * refused; else BUILD_SAME. */
	enum build_fate old;
	entry_id id; /* in the result, before its numbers were dealt; or ENTRY_NONE */
	bool waits;  /* of BUILD_REFUSED: other files that it needs are not there */
	bool last;   /* ... what was accepted before is in the result */
	/* What was parsed of `in` and `last` for this entry; owned references, or NULL. */
	struct parsed *parsed, *last_parsed;
	char *why; /* ... may be NULL where memory was short */
};

struct built {
	struct snapshot *map; /* NULL: none follows (finalize failed), and the error says why */
	struct built_entry *entries; /* as many as the tree has, in its order */
	size_t n, n_refused;
};

/*
 * placed: the map to be saved. Else no object is placed: the map shows what files of the base
 * follow from those that were written, by the base's own names. like (may be NULL): a map that was
 * built before; what it composed of the same contents is taken from it. say: what a person should
 * know of the result, a line each. Whoever gets 0 has to finish *ret; a map is there even where
 * entries were refused, without those.
 */
struct build_how {
	bool placed;
	const struct snapshot *like;
	format_say say;
	void *arg;
};

int build(const struct snapshot *base, const struct tree_entry *entries, size_t n,
	const struct build_how *how, struct built *ret, struct error *e);
void built_finish(struct built *b);
