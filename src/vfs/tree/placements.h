/* SPDX-License-Identifier: Zlib */
/*
 * placements: where the objects stood at the last save, as paths of this mount say it.
 *
 * Numbers in paths are those of the mount (rule 1): they say a place among the objects by what they
 * had at the mount. The map that was saved deals them anew, and by that map's numbers the journal
 * is read. So a number in it is that of the first object there before which this one would stand.
 */
#ifndef VFS_TREE_PLACEMENTS_H
#define VFS_TREE_PLACEMENTS_H

#include "vfs/tree/node.h"

struct placements;

void placements_free(struct placement *p, size_t n);
/* Those of a save that the map is now of; taken over. */
void placements_keep(struct vfs *v, struct placement *p, size_t n);
void placements_finish(struct vfs *v);

/* A number for the journal. Those of several names in a gap are one, so that the names have to
 * differ by the zeros before it. */
struct log_number {
	uint64_t number;
	unsigned zeros;
};

/* Does the name begin with a position? Its digits. home: it is a path of the mount. */
size_t placements_digits(const struct node *dir, const char *name, bool is_dir, bool home);
/* What the number of such a name in dir is in the map that was saved last; false: it cannot be
 * said.
 */
bool placements_number(
	const struct node *dir, const char *name, bool is_dir, bool home, struct log_number *ret);

#endif
