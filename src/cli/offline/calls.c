/* SPDX-License-Identifier: Zlib */
#include "cli/offline/calls.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* As a mount would show it. */
static int look(struct offline *t, const struct spot *s, struct seen *ret)
{
	const struct volume *vol = t->vol;
	struct error e = ERROR_INIT;
	struct entry en;
	int r = overlay_stat(t->tree, s, &en, NULL);

	if (r < 0)
		return r;
	*ret = (struct seen){.spot = *s, .mtime = en.has_mtime ? en.mtime : vol->mtime};
	ret->mode = s->dir ? S_IFDIR | vol->dir_mode : S_IFREG | vol->file_mode;
	if (!s->dir && !en.writable)
		ret->mode &= ~(mode_t)0222;
	if (!s->dir && !en.sized)
		(void)vol->format->size(vol->now, en.id, &en.size, &e);
	ret->size = s->dir ? 0 : en.size;
	return 0;
}

int offline_lookup(struct offline *t, const struct seen *dir, const char *name, struct seen *ret)
{
	struct spot s;
	int r = overlay_lookup(t->tree, &dir->spot, name, &s);

	return r < 0 ? r : look(t, &s, ret);
}

int offline_find(struct offline *t, const char *path, struct seen *ret)
{
	struct spot s;
	int r = overlay_find(t->tree, path, &s);

	return r < 0 ? r : look(t, &s, ret);
}

static int add_name(void *arg, const char *name, const struct spot *s)
{
	(void)s;
	return names_add(arg, name);
}

int offline_names(struct offline *t, const struct seen *dir, bool sorted, struct names *ret)
{
	int r;

	*ret = (struct names){0};
	r = overlay_list(t->tree, &dir->spot, add_name, ret);
	if (r < 0)
		names_finish(ret);
	else if (sorted)
		names_sort(ret);
	return r;
}

/* What of [off, off + n) is in the file. A size that is not known counts as none, and then it takes
 * the read to tell why. */
static size_t within(const struct seen *file, uint64_t off, size_t n)
{
	return off >= file->size ? 0 : n < file->size - off ? n : (size_t)(file->size - off);
}

static void unreadable(struct offline *t, const struct error *why)
{
	t->told = t->why = *why;
	error_context(&t->told, "%s", strerror(EIO));
}

ssize_t offline_read_at(
	struct offline *t, const struct seen *file, uint64_t off, void *dst, size_t n)
{
	struct error why = ERROR_INIT;
	int r;

	n = within(file, off, n);
	r = overlay_read(t->tree, &file->spot, off, dst, n, &why);
	unreadable(t, &why);
	return r < 0 ? r : (ssize_t)n;
}

/* Several pieces are under way: some are read while one is written to where it goes. Each is small
 * enough for malloc to give the memory of the last one again (command_begin), and large enough to
 * hand it from thread to thread for little. */
enum { PIECE = 256 << 10, PIECES = 8 };

struct piece {
	struct job job;
	struct offline *t;
	const struct seen *file;
	uint64_t off;
	size_t n;
	void *data;
	bool done;
	int r;
	struct error why;
};

struct reading {
	struct offline *t;
	const struct seen *file;
	uint64_t next;
	struct piece pieces[PIECES];
	unsigned first, n; /* of those under way */
};

static void piece_run(struct job *j)
{
	struct piece *p = (struct piece *)j;

	p->data = malloc(p->n + 1);
	p->r = p->data ? overlay_read(p->t->tree, &p->file->spot, p->off, p->data, p->n, &p->why)
		       : -ENOMEM;
}

static void piece_done(struct job *j)
{
	((struct piece *)j)->done = true;
}

static void reading_ask(struct reading *g)
{
	struct piece *p = &g->pieces[(g->first + g->n++) % PIECES];

	*p = (struct piece){.job = {piece_run, piece_done, NULL},
		.t = g->t,
		.file = g->file,
		.off = g->next,
		.n = within(g->file, g->next, PIECE)};
	g->next += PIECE;
	pool_submit(g->t->pool, &p->job);
}

static struct piece *reading_wait(struct reading *g)
{
	struct piece *p = &g->pieces[g->first];
	struct pollfd fd = {.fd = pool_fd(g->t->pool), .events = POLLIN};

	while (!p->done) {
		(void)poll(&fd, 1, -1);
		pool_complete(g->t->pool);
	}
	g->first = (g->first + 1) % PIECES;
	g->n--;
	return p;
}

int offline_read(struct offline *t, const struct seen *file, offline_data fn, void *arg)
{
	struct reading g = {.t = t, .file = file};
	int r = 0;

	unreadable(t, &(struct error)ERROR_INIT);
	do {
		struct piece *p;

		if (!g.n)
			reading_ask(&g);
		while (g.n < PIECES && g.next < file->size)
			reading_ask(&g);
		p = reading_wait(&g);
		if (r == 0)
			r = p->r;
		if (p->r < 0 && !t->why.code)
			unreadable(t, &p->why);
		if (r == 0 && p->n)
			r = fn(arg, p->data, p->n);
		free(p->data);
	} while (g.n || (r == 0 && g.next < file->size));
	return r;
}
