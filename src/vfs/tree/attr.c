/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/attr.h"

#include <errno.h>

void node_touch(struct node *n, unsigned mask)
{
	clock_gettime(CLOCK_REALTIME, &n->ctime);
	if (mask & ATTR_MTIME) {
		n->mtime = n->ctime;
		n->timed = false;
		n->changed = n->dir;
	}
	if (mask & ATTR_ATIME)
		n->atime = n->ctime;
	n->set |= mask;
}

void node_keep_time(struct node *n)
{
	struct entry en;

	if (!n->vol->format->keeps_times || n->lens == LENS_NONE || (n->set & ATTR_MTIME) ||
		node_entry(n, &en, NULL) < 0 || !en.has_mtime)
		return;
	n->mtime = en.mtime;
	n->timed = true;
	n->set |= ATTR_MTIME;
}

static bool has_stamp(const struct node *n)
{
	return n->timed && (n->set & ATTR_MTIME) && n->parent && !n->dir && n->lens != LENS_NEW &&
	       !node_scratch(n);
}

/* What has no time of its own shows the map's: to set that is no change. */
static const struct timespec *shown_time(const struct node *n, const struct entry *en)
{
	return en->has_mtime ? &en->mtime : &n->vol->mtime;
}

/* The model may know times to a coarser grain: then this says yes, and the save finds nothing new.
 */
bool node_is_stamped(const struct node *n)
{
	const struct timespec *shown;
	struct entry en;

	if (!n->vol->format->keeps_times || !has_stamp(n) || node_entry(n, &en, NULL) < 0)
		return false;
	shown = shown_time(n, &en);
	return shown->tv_sec != n->mtime.tv_sec || shown->tv_nsec != n->mtime.tv_nsec;
}

bool node_stamped(const struct vfs *v)
{
	if (!v->vol->format->keeps_times)
		return false;
	for (const struct node *n = NULL; (n = node_next(v, n));)
		if (node_is_stamped(n))
			return true;
	return false;
}

int node_stamps(const struct vfs *v, struct placement **p, size_t *n)
{
	struct placement *all;

	if (!node_stamped(v))
		return 0;
	all = reallocarray(*p, *n + v->nodes.n, sizeof(*all));
	if (!all)
		return -ENOMEM;
	*p = all;
	for (const struct node *k = NULL; (k = node_next(v, k));)
		if (node_is_stamped(k))
			all[(*n)++] =
				(struct placement){.id = k->id, .stamp = true, .mtime = k->mtime};
	return 0;
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
	if (n->lens != LENS_NONE) {
		r = node_entry(n, &en, NULL);
		if (r < 0 && !n->stage)
			return r;
	}
	a.atime = a.mtime = a.ctime = *shown_time(n, &en);
	if (n->dir) {
		a.mode = S_IFDIR | vol->dir_mode;
		a.nlink = 2;
	} else {
		a.nlink = n->parent != NULL;
		a.mode = S_IFREG | vol->file_mode;
		if (!en.writable)
			a.mode &= ~(mode_t)0222;
		a.size = n->stage ? spool_size(n->stage->spool) : en.size;
	}
	a.brief = node_is_root(n) && vol->index;
	override(n, &a);
	*ret = a;
	return n->dir || n->stage || en.sized ? 0 : -EAGAIN;
}

/* Through an open file one without a name may be opened again. Else it was found by a name that it
 * had, which the kernel held a moment too long, and what is written to it would be in no file. */
static bool is_lost(const struct node *n)
{
	return !n->parent && !n->handles && !node_is_root(n);
}

int file_may_write(const struct node *n)
{
	struct entry en;
	int r;

	if (n->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	if (is_lost(n))
		return -ESTALE;
	/* What has no lens of content yet (a new object, the other form) is written from nothing.
	 */
	if (node_scratch(n) || n->stage)
		return 0;
	r = node_entry(n, &en, NULL);
	if (r < 0)
		return r;
	return en.writable ? 0 : -EACCES;
}

uint64_t file_most_of(const struct volume *vol, entry_id id)
{
	struct entry en = {0};

	(void)vol->format->stat(vol->now, id, &en, NULL);
	return en.most ? en.most : FORMAT_MOST;
}

uint64_t file_most(const struct node *n)
{
	return !node_scratch(n) ? file_most_of(n->vol, n->id) : FORMAT_MOST;
}
