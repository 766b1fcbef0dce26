/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "vfs/folder/disk.h"

/* Maps that nobody uses and that stay open; how many of them are looked at when it is too many; and
 * how long a map that cannot be opened is not tried again. */
enum { RECENT_MAX = 32, LOOKS = 4 };

/* What a map's vfs says to its host. */

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

/* The two lists */

static void list_remove(struct opened *o)
{
	struct opened_list *l = o->list;

	if (!l)
		return;
	*(o->older ? &o->older->newer : &l->oldest) = o->newer;
	*(o->newer ? &o->newer->older : &l->newest) = o->older;
	l->n--;
	o->list = NULL;
}

static void list_add(struct opened_list *l, struct opened *o)
{
	list_remove(o);
	o->list = l;
	o->older = l->newest;
	o->newer = NULL;
	*(l->newest ? &l->newest->newer : &l->oldest) = o;
	l->newest = o;
	l->n++;
}

struct opened *open_next(const struct folder *f, const struct opened *o)
{
	if (!o)
		return f->recent.oldest ? f->recent.oldest : f->held.oldest;
	if (o->newer)
		return o->newer;
	return o->list == &f->recent ? f->held.oldest : NULL;
}

void open_touch(struct folder *f, struct opened *o)
{
	list_add(&f->recent, o);
}

bool open_changed(const struct opened *o)
{
	return o->state == OPENED && !o->v->vol->unlocked && !o->v->vol->read_only &&
	       !vfs_idle(o->v);
}

struct writers {
	const struct opened *o;
	void (*fn)(void *arg, const char *path);
	void *arg;
};

static void pass_writer(void *arg, const char *path)
{
	struct writers *w = arg;
	CLEANUP(free) char *whole = NULL;

	if (asprintf(&whole, "%s/%s", w->o->path, path) >= 0)
		w->fn(w->arg, whole);
}

void open_writers(const struct opened *o, void (*fn)(void *arg, const char *path), void *arg)
{
	struct writers w = {o, fn, arg};

	vfs_writers(o->v, pass_writer, &w);
}

/* A save deals numbers anew, perhaps: what the kernel knows has to stay what it is. */
static bool holds_numbers(const struct opened *o)
{
	struct stamp now = stamp_of(&o->v->vol->opened);

	return !stamp_same(&now, &o->map->stamp) && (o->map->known || o->v->nodes.n > 1);
}

bool open_idle(const struct opened *o)
{
	if (o->v && holds_numbers(o))
		return false;
	return o->state != OPENED_SOON && !o->calls && (!o->v || vfs_idle(o->v));
}

void open_close(struct folder *f, struct opened *o)
{
	struct map *m = o->map;

	list_remove(o);
	if (o->v) {
		m->known |= o->v->nodes.n > 1;
		m->stamp = stamp_of(&o->v->vol->opened);
	}
	vfs_destroy(o->v);
	shared_dir_unref(o->dir);
	free(o->path);
	free(o);
	m->opened = NULL;
	map_settle(f, m);
}

void open_trim(struct folder *f)
{
	for (int i = 0; i < LOOKS && f->recent.n > RECENT_MAX; i++) {
		struct opened *o = f->recent.oldest;

		if (open_idle(o))
			open_close(f, o);
		else
			list_add(&f->held, o);
	}
}

/* Opening */

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

static int load(struct opening *g)
{
	struct folder *f = g->folder;
	struct map *m = g->o->map;
	struct vfs_options options = *f->options;
	char name[NAME_MAX + 1];
	int dirfd, r;

	options.unlocked = true;
	r = disk_target(f, m->in, m->name, &dirfd, name);
	options.shared_dir = r == -EINVAL;
	if (options.shared_dir) {
		dirfd = g->o->dir->fd;
		snprintf(name, sizeof(name), "%s", m->name);
	} else if (r < 0) {
		return error_set(&g->e, r, "cannot be opened: %s", strerror(-r));
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

	g->r = load(g);
	if (g->r < 0) {
		volume_destroy(g->vol);
		g->vol = NULL;
	}
}

/* Another directory's that has the same file open. */
static struct opened *find_same(
	const struct folder *f, const struct opened *o, const struct stat *st)
{
	struct opened *i = open_next(f, NULL);

	while (i && (i == o || i->state != OPENED || i->map->replaced ||
			    i->v->vol->opened.st_dev != st->st_dev ||
			    i->v->vol->opened.st_ino != st->st_ino))
		i = open_next(f, i);
	return i;
}

/* One file is one directory's: the other's is closed if nobody uses it. */
static int take_from_others(struct opening *g)
{
	struct opened *other = find_same(g->folder, g->o, &g->vol->opened);

	if (!other)
		return 0;
	if (!open_idle(other))
		return error_set(&g->e, -EBUSY, "is the same file as %s, which is in use there",
			other->path);
	open_close(g->folder, other);
	return 0;
}

static void run_waiting(struct folder *f, struct opened *o)
{
	struct call *c = o->waiting, *next;

	o->waiting = NULL;
	o->waiting_end = &o->waiting;
	o->calls++;
	for (; c; c = next) {
		next = c->next;
		folder_submit(f, c);
	}
	o->calls--;
}

/* It goes, and those that waited hear r. */
static void give_up(struct folder *f, struct opened *o, int r)
{
	struct call *c = o->waiting, *next;

	o->state = OPENED_FAILED;
	open_close(f, o);
	for (; c; c = next) {
		next = c->next;
		call_done(c, r);
	}
}

/* What may go well the next time is nothing to show. */
static bool passes(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EINTR || r == -ESTALE;
}

static void finish(struct opening *g)
{
	struct folder *f = g->folder;
	struct opened *o = g->o;
	struct stamp now;

	if (g->r == 0) {
		now = stamp_of(&g->vol->opened);
		if (!stamp_same(&now, &o->map->stamp)) {
			map_replace(f, o->map);
			g->r = -ESTALE;
		}
	}
	if (g->r == 0)
		g->r = take_from_others(g);
	if (g->r == 0)
		g->r = vfs_create(TAKE(g->vol), f->pool, &o->host, &o->v, &g->e);
	volume_destroy(g->vol);
	if (passes(g->r)) {
		give_up(f, o, g->r);
		return;
	}
	o->state = g->r < 0 ? OPENED_FAILED : OPENED;
	o->why = g->e;
	o->failed_ms = clock_ms();
	run_waiting(f, o);
	open_trim(f);
}

/* What comes back from a journal is done by jobs, which are waited for; another map whose tables
 * were read meanwhile waits until that is over. */
static void opening_done(struct job *j)
{
	struct opening *g = (struct opening *)j;
	struct folder *f = g->folder;

	g->job.next = NULL;
	*f->ready_end = &g->job;
	f->ready_end = &g->job.next;
	if (f->creating)
		return;
	f->creating = true;
	while (f->ready) {
		g = (struct opening *)f->ready;
		f->ready = g->job.next;
		if (!f->ready)
			f->ready_end = &f->ready;
		finish(g);
		free(g);
	}
	f->creating = false;
}

static int opened_new(struct folder *f, struct map *m, struct opened **ret)
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
	o->host = (struct vfs_host){pass_invalidate, f->host->forget_name ? pass_forget_name : NULL,
		pass_note, pass_progress};
	o->folder = f;
	o->map = m;
	o->waiting_end = &o->waiting;
	m->opened = o;
	open_touch(f, o);
	*ret = o;
	return 0;
}

static int begin(struct folder *f, struct map *m)
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

void open_wait(struct folder *f, struct map *m, struct call *c)
{
	int r = m->opened ? 0 : begin(f, m);
	struct opened *o = m->opened;

	if (r < 0) {
		call_done(c, r);
		return;
	}
	call_keep(c);
	c->next = NULL;
	*o->waiting_end = c;
	o->waiting_end = &c->next;
}

struct opened *open_made(
	struct folder *f, struct level *in, const char *name, struct volume *vol, struct error *e)
{
	struct map *m = map_new(f, in, name, &vol->opened);
	struct opened *o = NULL;

	if (!m || opened_new(f, m, &o) < 0) {
		volume_destroy(vol);
		if (m)
			map_replace(f, m);
		error_set(e, -ENOMEM, "out of memory");
		return NULL;
	}
	vol->index = m->index;
	o->made = true;
	if (vfs_create(vol, f->pool, &o->host, &o->v, e) == 0) {
		o->state = OPENED;
		return o;
	}
	o->state = OPENED_FAILED;
	open_close(f, o);
	map_replace(f, m);
	return NULL;
}
