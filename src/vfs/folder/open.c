/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/threads/clock.h"
#include "vfs/folder/disk.h"

struct opening {
	struct job job; /* first */
	struct opened *o;
	struct folder *folder;
	struct volume *vol;
	struct error e;
	int r;
};

static void note_opened(void *arg, const char *line)
{
	struct opened *o = arg;

	o->host.note(&o->host, line);
}

static int load_map(struct opening *g)
{
	struct folder *f = g->folder;
	struct map *m = g->o->map;
	struct vfs_options options = *f->options;
	char name[NAME_MAX + 1];
	int dirfd, r;

	options.unlocked = true;
	r = disk_target(f, m->in, m->name, &dirfd, name);
	if (r == -EINVAL) {
		dirfd = g->o->dir->fd;
		options.sidecars = g->o->dir->sidecars;
		snprintf(name, sizeof(name), "%s", m->name);
	} else if (r < 0) {
		return error_set(&g->e, r, "cannot open: %s", strerror(-r));
	}
	r = volume_open(dirfd, name, &options, &g->vol, &g->e);
	if (r == 0) {
		g->vol->index = m->index;
		g->vol->reopened = m->known;
		r = volume_load(g->vol, note_opened, g->o, &g->e);
	}
	return r;
}

static void opening_run(struct job *j)
{
	struct opening *g = (struct opening *)j;

	g->r = load_map(g);
	if (g->r < 0) {
		volume_destroy(g->vol);
		g->vol = NULL;
	}
}

/* Find a map that has the same file open under another name (a link). */
static struct opened *find_same(
	const struct folder *f, const struct opened *o, const struct stat *st)
{
	struct opened *i = opened_next(f, NULL);

	while (i && (i == o || i->state != OPENED || i->map->replaced ||
			    i->v->vol->map_stat.st_dev != st->st_dev ||
			    i->v->vol->map_stat.st_ino != st->st_ino))
		i = opened_next(f, i);
	return i;
}

/* A file is open as one map only: close the other map, or fail if that is in use. */
static int close_other(struct opening *g)
{
	struct opened *other = find_same(g->folder, g->o, &g->vol->map_stat);

	if (!other)
		return 0;
	if (!opened_idle(other))
		return error_set(
			&g->e, -EBUSY, "is the same file as %s, which is in use", other->path);
	opened_close(g->folder, other);
	return 0;
}

static void run_waiting(struct folder *f, struct opened *o)
{
	struct call *c;

	o->calls++;
	while ((c = calls_take(&o->waiting)))
		o->again(f, c);
	o->calls--;
}

/* Close the map, and fail the waiting calls with r. */
static void abandon_map(struct folder *f, struct opened *o, int r)
{
	struct calls waiting = o->waiting;
	struct call *c;

	o->state = OPENED_FAILED;
	opened_close(f, o);
	while ((c = calls_take(&waiting)))
		call_done(c, r);
}

/* Is the error temporary? Then fail the calls instead of showing error.txt. */
static bool is_temporary(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EINTR || r == -ESTALE;
}

static void finish_opening(struct opening *g)
{
	struct folder *f = g->folder;
	struct opened *o = g->o;
	struct stamp now;

	if (g->r == 0) {
		now = stamp_of(&g->vol->map_stat);
		if (!stamp_same(&now, &o->map->stamp)) {
			map_replace(f, o->map);
			g->r = -ESTALE;
		}
	}
	if (g->r == 0)
		g->r = close_other(g);
	if (g->r == 0)
		g->r = vfs_create(g->vol, f->pool, &o->host, &o->v, &g->e);
	if (g->r < 0)
		volume_destroy(g->vol);
	if (is_temporary(g->r)) {
		abandon_map(f, o, g->r);
		return;
	}
	o->state = g->r < 0 ? OPENED_FAILED : OPENED;
	o->why = g->e;
	o->failed_ms = clock_ms();
	run_waiting(f, o);
	opened_trim(f);
	opened_make_room(f);
}

static void opening_done(struct job *j)
{
	struct opening *g = (struct opening *)j;

	finish_opening(g);
	free(g);
}

static int begin_opening(struct folder *f, struct map *m)
{
	struct opening *g = calloc(1, sizeof(*g));
	struct opened *o;
	int r = g ? opened_new(f, m, &o) : -ENOMEM;

	if (r < 0) {
		free(g);
		return r == -ENOENT ? -ESTALE : r;
	}
	*g = (struct opening){.job = {opening_run, opening_done, NULL}, .o = o, .folder = f};
	pool_submit(f->pool, &g->job);
	return 0;
}

void open_wait(struct folder *f, struct map *m, struct call *c,
	void (*again)(struct folder *f, struct call *c))
{
	int r = m->opened ? 0 : begin_opening(f, m);

	if (r < 0) {
		call_done(c, r);
		return;
	}
	m->opened->again = again;
	calls_add(&m->opened->waiting, c);
}

int open_made(struct folder *f, struct level *in, const char *name, struct volume *vol,
	struct opened **ret, struct error *e)
{
	struct map *m = map_new(f, in, name, &vol->map_stat);
	struct opened *o = NULL;
	int r = m ? opened_new(f, m, &o) : -ENOMEM;

	/* Has another directory taken the name since the file was created? */
	if (r == 0 && o->dir->fd != vol->dirfd)
		r = -ESTALE;
	if (r == 0) {
		vol->index = m->index;
		o->made = true;
		r = vfs_create(vol, f->pool, &o->host, &o->v, e);
	}
	if (r == 0) {
		o->state = OPENED;
		*ret = o;
		return 0;
	}
	if (o) {
		o->state = OPENED_FAILED;
		opened_close(f, o);
	}
	if (m)
		map_replace(f, m);
	return r;
}
