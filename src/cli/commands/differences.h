/* SPDX-License-Identifier: Zlib */
/* differences: what differs between two maps, in lines for people. */
#ifndef CLI_COMMANDS_DIFFERENCES_H
#define CLI_COMMANDS_DIFFERENCES_H

#include "cli/merging/merged.h"

struct differences {
	struct merge m; /* the maps are base and ours, once they are read */
	struct buffer out;
	bool brief;              /* files are only named */
	bool full;               /* all that is long is told */
	int images;              /* the directory of pictures of images that changed, or -1 */
	bool different, trouble; /* result */
};

/* Prints all. Objects are found again where they stand now (m.numbered). -errno: it ended before.
 */
int differences_tell(struct differences *d);
/* A picture of both maps as a whole, where one can be drawn. */
void differences_draw(struct differences *d);

#endif
