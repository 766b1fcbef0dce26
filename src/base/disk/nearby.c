/* SPDX-License-Identifier: Zlib */
#include "base/disk/nearby.h"

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

struct nearby {
	int dirfd;
	pthread_mutex_t lock; /* protects the members below */
	bool is_read;
	int64_t read_ms;
	struct names names; /* sorted */
};

struct nearby *nearby_create(int dirfd)
{
	struct nearby *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->dirfd = dirfd;
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void nearby_destroy(struct nearby *b)
{
	if (!b)
		return;
	names_finish(&b->names);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static int read_names(struct nearby *b, struct error *e)
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

int nearby_each(struct nearby *b, const char *stem, int (*fn)(void *arg, const char *name),
	void *arg, struct error *e)
{
	size_t length = strlen(stem), i;
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (!b->is_read || clock_ms() - b->read_ms >= KEPT_MS)
		r = read_names(b, e);
	i = r == 0 ? array_first(k, b->names.n, strcmp(b->names.at[k], stem) >= 0) : 0;
	for (; r == 0 && i < b->names.n && strncmp(b->names.at[i], stem, length) == 0; i++)
		r = fn(arg, b->names.at[i]);
	pthread_mutex_unlock(&b->lock);
	return r;
}
