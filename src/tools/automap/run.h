/* SPDX-License-Identifier: Zlib */
/*
 * run: draw the layers of the named maps by their rules, as tools/common/whole.h reads and writes
 * them; or the layer of one directory, such as a mount has; or check files of rules.
 */
#pragma once

#include "tools/automap/automap.h"
#include "tools/common/whole.h"

struct automap_run {
	struct whole whole; /* the first name may be a layer's directory */
	/* The run sets `file`, and `layers` for a layer's directory. Its files, callbacks and dry
	 * are set in a copy for each map. */
	struct automap how;
	const char *rules; /* a file of rules for all layers, or a directory of them; or NULL */

	/* Set by automap_run, and released at its end. */
	struct bytes *file;    /* of rules for all layers, or NULL */
	struct images *images; /* directories with files of rules */
};

/* The tool of the one format that has rules. */
const struct automap_tool *automap_find_tool(void);
/* Is the name that of a layer's directory, ROOT/groups/GROUP/layers/LAYER? */
bool automap_is_layer(const char *name);
/* Enter the sandbox, and draw the layers, or list their configurations. Returns the exit code. */
int automap_run(struct automap_run *run);
/* Print what is wrong with files of rules, of each the first faults and how many more there are.
 * no_limit: all of them. Returns the exit code. */
int automap_check(char **names, int n, bool debug, bool no_limit);
/* Print the configurations of files of rules. Returns the exit code. */
int automap_list(char **names, int n, bool debug);
