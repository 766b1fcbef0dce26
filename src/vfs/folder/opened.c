/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/opened.h"

#include <errno.h>
#include <stdio.h>

#include "vfs/folder/disk.h"

/* The number of unused maps that stay open, and how many maps each trim looks at. */
enum { RECENT_MAX = 32, LOOKS = 4 };

static void list_remove(struct opened *o)
{
	if (!o->list)
		return;
	TAILQ_REMOVE(&o->list->all, o, siblings);
	o->list->n--;
	o->list = NULL;
}

static void list_add(struct opened_list *l, struct opened *o)
{
	list_remove(o);
	o->list = l;
	TAILQ_INSERT_TAIL(&l->all, o, siblings);
	l->n++;
}

struct opened *opened_next(const struct folder *f, const struct opened *o)
{
	struct opened *next = o ? TAILQ_NEXT(o, siblings) : TAILQ_FIRST(&f->recent.all);

	return next || (o && o->list == &f->held) ? next : TAILQ_FIRST(&f->held.all);
}

void opened_touch(struct folder *f, struct opened *o)
{
	list_add(&f->recent, o);
}

/* Callbacks of a map's vfs, passed on to the folder's host. */

static void pass_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct vfs_host *real = ((struct opened *)h)->folder->host;

	real->invalidate(real, inos, n, then);
}

static void pass_forget_name(
	struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct vfs_host *real = ((struct opened *)h)->folder->host;

	real->forget_name(real, parent, name, then);
}

static void pass_note(struct vfs_host *h, const char *line)
{
	struct opened *o = (struct opened *)h;
	CLEANUP(free) char *whole = NULL;

	if (asprintf(&whole, "%s: %s", o->path, line) >= 0)
		o->folder->host->note(o->folder->host, whole);
}

static void pass_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	struct opened *o = (struct opened *)h;
	CLEANUP(free) char *whole = NULL;

	if (*what && asprintf(&whole, "%s: %s", o->path, what) < 0)
		return;
	o->folder->host->progress(o->folder->host, *what ? whole : "", done, total);
}

int opened_new(struct folder *f, struct map *m, struct opened **ret)
{
	struct opened *o = calloc(1, sizeof(*o));
	int r = -ENOMEM;

	if (o)
		o->path = level_path(m->in, m->name);
	if (o && o->path)
		r = shared_dir_get(f, m->in, &o->dir);
	if (r < 0) {
		if (o)
			free(o->path);
		free(o);
		return r;
	}
	o->host = (struct vfs_host){pass_invalidate, pass_forget_name, pass_note, pass_progress};
	o->folder = f;
	o->map = m;
	m->opened = o;
	opened_touch(f, o);
	*ret = o;
	return 0;
}

bool opened_changed(const struct opened *o)
{
	return o->state == OPENED && o->v->vol->access == VOLUME_WRITABLE && !vfs_unchanged(o->v);
}

/* Must the map stay open to keep its inode numbers? A save may have renumbered entries, so numbers
 * that the kernel knows would mean others after a reopen. */
static bool holds_numbers(const struct opened *o)
{
	struct stamp now = stamp_of(&o->v->vol->map_stat);

	return !stamp_same(&now, &o->map->stamp) && (o->map->known || o->v->inodes.n > 1);
}

bool opened_idle(const struct opened *o)
{
	if (o->v && holds_numbers(o))
		return false;
	return o->state != OPENED_SOON && !o->calls && (!o->v || vfs_idle(o->v));
}

void opened_close(struct folder *f, struct opened *o)
{
	struct map *m = o->map;

	list_remove(o);
	if (o->v) {
		m->known |= o->v->inodes.n > 1;
		m->stamp = stamp_of(&o->v->vol->map_stat);
	}
	vfs_destroy(o->v);
	shared_dir_unref(o->dir);
	free(o->path);
	free(o);
	m->opened = NULL;
	map_settle(f, m);
}

static void close_unused(struct folder *f, size_t most, size_t looks)
{
	for (size_t i = 0; i < looks && f->recent.n > most; i++) {
		struct opened *o = TAILQ_FIRST(&f->recent.all);

		if (opened_idle(o))
			opened_close(f, o);
		else
			list_add(&f->held, o);
	}
}

void opened_trim(struct folder *f)
{
	close_unused(f, RECENT_MAX, LOOKS);
}

void opened_make_room(struct folder *f)
{
	if (reserve_is_near(&f->reserve))
		close_unused(f, 1, f->recent.n);
}
