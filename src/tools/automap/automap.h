/* SPDX-License-Identifier: Zlib */
/*
 * automap: layers whose tiles follow from other tiles by rules that lie beside maps. A format that
 * has such layers has a struct automap_tool.
 *
 * It works on files alone, be they of a tree without a mount, of a mount, or of a directory that
 * was copied from one: paths are relative to the map's root.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

struct automap_files {
	/* The names in a directory, in order; -ENOENT, or what take gave. */
	int (*list)(void *arg, const char *dir, int (*take)(void *arg, const char *name),
		void *take_arg);
	int (*read)(void *arg, const char *path, struct bytes **ret, struct error *e);
	/* source gives up to n bytes that follow, 0 at the end, or -errno. */
	int (*write)(void *arg, const char *path, ssize_t (*source)(void *arg, void *dst, size_t n),
		void *source_arg, struct error *e);
	void *arg;
};

enum automap_said {
	AUTOMAP_DRAWN,  /* what has become of a layer */
	AUTOMAP_LISTED, /* the configurations that a layer can be drawn by */
	AUTOMAP_NOTE,
	AUTOMAP_LEFT,  /* why a layer that was meant stays as it is */
	AUTOMAP_FAULT, /* of rules: `where` is their file */
};

struct automap {
	struct automap_files files;
	/* A file of rules, by a name in a directory. -ENOENT. */
	int (*rules)(void *arg, const char *file, struct bytes **ret, struct error *e);
	void (*say)(void *arg, enum automap_said what, const char *where, const char *text);
	void *arg;

	/* Which layers, by paths or patterns of the shell, NULL-ended; NULL: those that say by what
	 * they are drawn. */
	const char *const *layers;
	bool automatic; /* of those, such as are to be drawn whenever they change */
	bool dry;       /* nothing is written */
	bool no_limit;  /* of the work (tools/common/work.h), which is -E2BIG otherwise */
	bool list;      /* list the configurations for each design layer, and draw nothing */
	/* What counts instead of what a layer says; NULL: that. The name or number of a
	 * configuration; what the first run reads, a word of references; a file of rules; a number.
	 */
	const char *config, *reference, *file;
	const int32_t *seed;
};

struct automap_tool {
	/* On any thread. -ENOENT: `layers` names what is no layer, and nothing was done. -E2BIG:
	 * the rules are too much work. Else a layer that cannot be drawn is said, and not a
	 * failure. */
	int (*draw)(const struct automap *how, struct error *e);
	/* All that is wrong with rules: "line 3: ...". -EFBIG. */
	int (*check)(const struct bytes *rules, void (*fault)(void *arg, const char *text),
		void *arg, struct error *e);
	/* The names of all configurations, in the order of their numbers. -EFBIG. */
	int (*list)(const struct bytes *rules, void (*config)(void *arg, const char *name),
		void *arg, struct error *e);
	/* Directories in which games and their users keep rules, NULL-ended: absolute, or below the
	 * user's home directory ("~/"). */
	const char *const *dirs;
	const char *const *references; /* NULL-ended */
};
