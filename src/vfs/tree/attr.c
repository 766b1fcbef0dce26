/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/attr.h"

#include <errno.h>

void attr_take(struct attr *to, const struct attr *from, unsigned mask)
{
	if (mask & ATTR_MODE)
		to->mode = (to->mode & S_IFMT) | (from->mode & 07777);
	if (mask & ATTR_UID)
		to->uid = from->uid;
	if (mask & ATTR_GID)
		to->gid = from->gid;
	if (mask & ATTR_ATIME)
		to->atime = from->atime;
	if (mask & ATTR_MTIME)
		to->mtime = from->mtime;
}

void node_touch(struct node *n, unsigned mask)
{
	struct attr now = {0};

	clock_gettime(CLOCK_REALTIME, &now.ctime);
	now.atime = now.mtime = n->own.ctime = now.ctime;
	attr_take(&n->own, &now, mask & (ATTR_ATIME | ATTR_MTIME));
	if (mask & ATTR_MTIME) {
		n->at->timed = false;
		n->changed = n->at->dir;
	}
	n->set |= mask;
}

int node_attr(struct vfs *v, struct node *n, struct attr *ret)
{
	const struct volume *vol = v->vol;
	const struct upper *u = n->at;
	struct attr a = {.ino = n->ino, .uid = vol->uid, .gid = vol->gid, .nlink = 1};
	struct entry en;
	int r = node_entry(n, &en, NULL);

	if (r < 0)
		return r;
	/* What has no time of its own shows the map's. */
	a.atime = a.mtime = a.ctime = en.has_mtime ? en.mtime : vol->mtime;
	if (u->timed)
		a.mtime = u->mtime;
	/* A directory has 1, which tells find(1) nothing about its subdirectories. */
	if (u->dir) {
		a.mode = S_IFDIR | vol->dir_mode;
	} else {
		a.nlink = u->up != NULL;
		a.mode = S_IFREG | vol->file_mode;
		if (!en.writable)
			a.mode &= ~(mode_t)0222;
		a.size = en.size;
	}
	a.brief = node_is_root(n) && vol->index;
	attr_take(&a, &n->own, n->set);
	if (n->set)
		a.ctime = n->own.ctime;
	*ret = a;
	return u->dir || en.sized ? 0 : -EAGAIN;
}

/* Through an open file one without a name may be opened again. Else it was found by a name that it
 * had, which the kernel held a moment too long, and what is written to it would be in no file. */
static bool is_lost(const struct node *n)
{
	return !n->at->up && !n->handles && !node_is_root(n);
}

int file_may_write(const struct node *n)
{
	struct entry en;
	int r;

	if (n->vfs->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	if (is_lost(n))
		return -ESTALE;
	if (node_scratch(n) || n->stage)
		return 0;
	r = node_entry(n, &en, NULL);
	if (r < 0)
		return r;
	return en.writable ? 0 : -EACCES;
}

uint64_t file_most(const struct node *n)
{
	const struct snapshot *s = n->vfs->tree->shape;
	struct entry en = {0};
	entry_id id, parsed_id;

	if (!node_scratch(n) && overlay_identify(n->vfs->tree, n->at, &id, &parsed_id, NULL) == 0) {
		s = n->vfs->tree->shape;
		(void)s->format->stat(s, id, &en, NULL);
	}
	return en.most ? en.most : FORMAT_MOST;
}
