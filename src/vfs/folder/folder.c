/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/folder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "vfs/folder/disk.h"
#include "vfs/folder/level.h"
#include "vfs/folder/opened.h"

enum { LISTINGS_MS = 1000 };

int folder_create(int dirfd, const char *path, const struct vfs_options *o, struct pool *pool,
	struct vfs_host *host, struct folder **ret, struct error *e)
{
	struct folder *f = calloc(1, sizeof(*f));
	CLEANUP(close_fd) int fd = -1;

	if (!f) {
		close(dirfd);
		return error_set(e, -ENOMEM, "out of memory");
	}
	f->dirfd = dirfd;
	reserve_init(&f->reserve, dirfd);
	f->path = path;
	f->options = o;
	f->pool = pool;
	f->host = host;
	TAILQ_INIT(&f->recent.all);
	TAILQ_INIT(&f->held.all);
	f->by_index = calloc(1, sizeof(struct map *));
	f->n_maps = 1;
	if (!f->by_index || !level_get(f, NULL, "")) {
		folder_destroy(f);
		return error_set(e, -ENOMEM, "out of memory");
	}
	fd = disk_open(f, f->by_number[0], true);
	if (fd < 0) {
		folder_destroy(f);
		return error_set(e, fd, "cannot open: %s", strerror(-fd));
	}
	*ret = f;
	return 0;
}

void folder_destroy(struct folder *f)
{
	struct opened *o;

	if (!f)
		return;
	listings_tick(f, true);
	while ((o = opened_next(f, NULL)))
		opened_close(f, o);
	table_finish(f);
	reserve_finish(&f->reserve);
	close(f->dirfd);
	free(f);
}

void folder_writers(struct folder *f, void (*fn)(void *arg, uint64_t ino), void *arg)
{
	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o))
		if (o->v)
			vfs_writers(o->v, fn, arg);
}

int folder_timeout(struct folder *f)
{
	int soonest = f->n_listings ? LISTINGS_MS : -1;

	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o)) {
		int t = o->v && o->v->vol->access != VOLUME_UNLOCKED ? vfs_timeout(o->v) : -1;

		if (t >= 0 && (soonest < 0 || t < soonest))
			soonest = t;
	}
	return soonest;
}

void folder_tick(struct folder *f)
{
	listings_tick(f, false);
	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o))
		if (o->v)
			vfs_tick(o->v);
}
