/* SPDX-License-Identifier: Zlib */
/*
 * automap: draw layers whose tiles follow from other tiles, by files of rules beside the maps. A
 * format that has such layers has a struct automap_tool.
 *
 * The tool reads and writes files only through struct automap_files: the files of a map without a
 * mount, of a mount, or of a directory copied from one. Paths are relative to the map's root.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

struct automap_files {
	/* Call take for each name in a directory (not the root), in order, until it returns
	 * nonzero. Returns that, -ENOENT or -ENOTDIR: no such directory, or another -errno. */
	int (*list)(void *arg, const char *dir, int (*take)(void *arg, const char *name),
		void *take_arg);
	/* Read a file. The caller drops *ret (bytes_unref). -ENOENT. */
	int (*read)(void *arg, const char *path, struct bytes **ret, struct error *e);
	/* Replace the content of a file. source returns the next bytes, up to n; 0 at the end, or
	 * -errno. */
	int (*write)(void *arg, const char *path, ssize_t (*source)(void *arg, void *dst, size_t n),
		void *source_arg, struct error *e);
	void *arg;
};

/* Kinds of reports about a layer, whose path is `where`. */
enum automap_report {
	AUTOMAP_DRAWN,  /* a layer was changed; in a dry run, would be */
	AUTOMAP_LISTED, /* a configuration that can draw the layer */
	AUTOMAP_NOTE,   /* a remark about a layer that is drawn */
	AUTOMAP_LEFT,   /* why a layer is left unchanged that should be drawn */
	AUTOMAP_FAULT,  /* a fault in rules; `where` is their file */
};

struct automap {
	struct automap_files files;
	/* Read a file of rules by its name; otherwise as files.read. */
	int (*rules)(void *arg, const char *file, struct bytes **ret, struct error *e);
	void (*say)(void *arg, enum automap_report what, const char *where, const char *text);
	void *arg;

	/* Paths or shell patterns of the layers to draw, NULL-ended. NULL: all that name a
	 * configuration, except physics layers. */
	const char *const *layers;
	bool automatic;    /* only layers that are flagged to be drawn whenever they change */
	bool is_dry_run;   /* write nothing */
	bool has_no_limit; /* allow any amount of work; otherwise -E2BIG (tools/common/work.h) */
	bool list; /* draw nothing; list configurations for these layers, even if they name none */
	/* Overrides of the layer's own settings, or NULL: the name or number of a configuration;
	 * the layer that the first run reads (one of automap_tool.references); a file for `rules`;
	 * the seed of random numbers. */
	const char *config, *reference, *file;
	const int32_t *seed;
};

struct automap_tool {
	/* Draw the layers. Any thread; callbacks run on it. -ENOENT if an element of `layers`
	 * matches no layer; nothing was drawn then. -E2BIG if the rules are too much work; some
	 * layers may be drawn. A layer that cannot be drawn for another reason is reported
	 * (AUTOMAP_LEFT) and is no failure. */
	int (*draw)(const struct automap *how, struct error *e);
	/* Report each fault in rules: "line 3: ...". -EFBIG. */
	int (*check)(const struct bytes *rules, void (*fault)(void *arg, const char *text),
		void *arg, struct error *e);
	/* List the names of all configurations, in the order of their numbers. -EFBIG. */
	int (*list)(const struct bytes *rules, void (*config)(void *arg, const char *name),
		void *arg, struct error *e);
	/* Directories where games and their users keep rules, NULL-ended: absolute, or below the
	 * user's home directory ("~/"). */
	const char *const *rules_dirs;
	const char *const *references; /* values for automap.reference, NULL-ended */
};
