/* SPDX-License-Identifier: Zlib */
#include <errno.h>

#include "vfs/node.h"

bool node_scratch(const struct node *n)
{
	return !n->has_id || n->frozen;
}

int node_entry(const struct node *n, struct entry *ret, struct error *e)
{
	const struct snapshot *s = n->frozen ? n->frozen : n->vol->now;

	return n->vol->format->stat(s, n->id, ret, e);
}

void node_touch(struct node *n, unsigned mask)
{
	clock_gettime(CLOCK_REALTIME, &n->ctime);
	if (mask & ATTR_MTIME)
		n->mtime = n->ctime;
	if (mask & ATTR_ATIME)
		n->atime = n->ctime;
	n->set |= mask;
}

static void override(const struct node *n, struct attr *a)
{
	if (n->set & ATTR_MODE)
		a->mode = (a->mode & S_IFMT) | (n->mode & 07777);
	if (n->set & ATTR_UID)
		a->uid = n->uid;
	if (n->set & ATTR_GID)
		a->gid = n->gid;
	if (n->set & ATTR_ATIME)
		a->atime = n->atime;
	if (n->set & ATTR_MTIME)
		a->mtime = n->mtime;
	if (n->set)
		a->ctime = n->ctime;
}

int node_attr(struct vfs *v, struct node *n, struct attr *ret)
{
	const struct volume *vol = n->vol;
	struct entry en = {.writable = true, .sized = true};
	struct attr a = {.ino = n->ino, .uid = vol->uid, .gid = vol->gid, .nlink = 1};
	int r;

	(void)v;
	if (n->has_id) {
		r = node_entry(n, &en, NULL);
		if (r < 0 && !n->stage)
			return r;
	}
	a.atime = a.mtime = a.ctime = en.has_mtime ? en.mtime : vol->mtime;
	if (n->dir) {
		a.mode = S_IFDIR | vol->dir_mode;
		a.nlink = 2;
	} else {
		a.mode = S_IFREG | vol->file_mode;
		if (!en.writable)
			a.mode &= ~(mode_t)0222;
		a.size = n->stage ? spool_size(n->stage->spool) : en.size;
	}
	override(n, &a);
	*ret = a;
	return n->dir || n->stage || en.sized ? 0 : -EAGAIN;
}
