/* SPDX-License-Identifier: Zlib */
#include "base/disk/sidecar_cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/dir.h"
#include "base/disk/names.h"
#include "base/threads/clock.h"

enum { KEPT_MS = 1000 };

struct sidecar_cache {
	int dirfd;
	pthread_mutex_t lock; /* protects the members below */
	bool is_read;
	int64_t read_ms;
	struct names names; /* sorted */
};

struct sidecar_cache *sidecar_cache_create(int dirfd)
{
	struct sidecar_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->dirfd = dirfd;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void sidecar_cache_destroy(struct sidecar_cache *c)
{
	if (!c)
		return;
	names_finish(&c->names);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static int read_names(struct sidecar_cache *c, struct error *e)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(c->dirfd, ".", &r);
	const struct dirent *d;

	names_finish(&c->names);
	c->is_read = false;
	c->read_ms = clock_ms();
	while (r == 0 && (d = dir_next(dir, &r)))
		if (strstr(d->d_name, ".mapfs-"))
			r = names_add(&c->names, d->d_name);
	if (r < 0)
		return error_set(e, r, "cannot list the map's directory: %s", strerror(-r));
	names_sort(&c->names);
	c->is_read = true;
	return 0;
}

int sidecar_cache_each(struct sidecar_cache *c, const char *stem,
	int (*fn)(void *arg, const char *name), void *arg, struct error *e)
{
	size_t length = strlen(stem), i;
	int r = 0;

	pthread_mutex_lock(&c->lock);
	if (!c->is_read || clock_ms() - c->read_ms >= KEPT_MS)
		r = read_names(c, e);
	i = r == 0 ? array_bisect(k, c->names.n, strcmp(c->names.items[k], stem) >= 0) : 0;
	for (; r == 0 && i < c->names.n && strncmp(c->names.items[i], stem, length) == 0; i++)
		r = fn(arg, c->names.items[i]);
	pthread_mutex_unlock(&c->lock);
	return r;
}
