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
	struct sidecar_cache *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->dirfd = dirfd;
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void sidecar_cache_destroy(struct sidecar_cache *b)
{
	if (!b)
		return;
	names_finish(&b->names);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static int read_names(struct sidecar_cache *b, struct error *e)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(b->dirfd, ".", &r);
	const struct dirent *d;

	names_finish(&b->names);
	b->is_read = false;
	b->read_ms = clock_ms();
	while (r == 0 && (d = dir_next(dir, &r)))
		if (strstr(d->d_name, ".mapfs-"))
			r = names_add(&b->names, d->d_name);
	if (r < 0)
		return error_set(e, r, "cannot list the map's directory: %s", strerror(-r));
	names_sort(&b->names);
	b->is_read = true;
	return 0;
}

int sidecar_cache_each(struct sidecar_cache *b, const char *stem,
	int (*fn)(void *arg, const char *name), void *arg, struct error *e)
{
	size_t length = strlen(stem), i;
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (!b->is_read || clock_ms() - b->read_ms >= KEPT_MS)
		r = read_names(b, e);
	i = r == 0 ? array_bisect(k, b->names.n, strcmp(b->names.items[k], stem) >= 0) : 0;
	for (; r == 0 && i < b->names.n && strncmp(b->names.items[i], stem, length) == 0; i++)
		r = fn(arg, b->names.items[i]);
	pthread_mutex_unlock(&b->lock);
	return r;
}
