/* SPDX-License-Identifier: Zlib */
/* run: draw layers by their rules: those of the named maps (tools/common/whole.h reads and writes
 * the maps), or the one layer of a directory, for example in a mount. Also check files of rules. */
#pragma once

#include "tools/automap/automap.h"
#include "tools/common/whole.h"

struct automap_run {
	struct whole whole; /* the first name may be a layer's directory */
	/* automap_run sets `file`, and `layers` for a layer's directory. It sets `files`, the
	 * callbacks, is_dry_run and has_no_limit in a copy for each map. */
	struct automap how;
	const char *rules; /* a file of rules for all layers, or a directory of them; or NULL */

	/* Set by automap_run, and released at its end. */
	struct bytes *file;    /* rules for all layers, or NULL */
	struct images *images; /* directories with files of rules; NULL if there is `file` */
};

/* The tool of the one format that has rules. */
const struct automap_tool *automap_find_tool(void);
/* Is the name that of a layer's directory on disk, ROOT/groups/GROUP/layers/LAYER? */
bool automap_is_layer(const char *name);
/* Enter the sandbox, and draw the layers, or list their configurations. Returns the exit code. */
int automap_run(struct automap_run *run);
/* Print the first faults of each file of rules and the number of others; with no_limit, all. debug:
 * report what the kernel lacks for the sandbox. Returns the exit code. */
int automap_check(char **names, int n, bool debug, bool no_limit);
/* Print the configurations of files of rules. debug as for automap_check. Returns the exit code. */
int automap_list(char **names, int n, bool debug);
