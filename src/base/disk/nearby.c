/* SPDX-License-Identifier: Zlib */
#include "base/disk/nearby.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/threads/clock.h"

enum { KEPT_MS = 1000 };

struct nearby {
	int dirfd;
	pthread_mutex_t lock; /* over the rest */
	bool read;
	int64_t read_ms;
	char **names; /* sorted */
	size_t n, room;
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

static void forget(struct nearby *b)
{
	while (b->n)
		free(b->names[--b->n]);
	b->read = false;
}

void nearby_destroy(struct nearby *b)
{
	if (!b)
		return;
	forget(b);
	free(b->names);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct nearby *b, const char *name)
{
	if (!array_room(b->names, b->n, b->room))
		return -ENOMEM;
	b->names[b->n] = strdup(name);
	return b->names[b->n] ? (b->n++, 0) : -ENOMEM;
}

static int read_names(struct nearby *b, struct error *e)
{
	int fd = openat(b->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		r = error_errno(e, "cannot list the map's directory");
		if (fd >= 0)
			close(fd);
		return r;
	}
	forget(b);
	b->read_ms = clock_ms();
	while (r == 0 && (d = readdir(dir)))
		if (strstr(d->d_name, ".mapfs-"))
			r = add(b, d->d_name);
	closedir(dir);
	if (r < 0)
		return error_set(e, r, "no memory to list the map's directory");
	if (b->n)
		qsort(b->names, b->n, sizeof(*b->names), by_name);
	b->read = true;
	return 0;
}

int nearby_each(struct nearby *b, const char *stem, int (*fn)(void *arg, const char *name),
	void *arg, struct error *e)
{
	size_t length = strlen(stem), i;
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (!b->read || clock_ms() - b->read_ms >= KEPT_MS)
		r = read_names(b, e);
	i = r == 0 ? array_first(k, b->n, strcmp(b->names[k], stem) >= 0) : b->n;
	for (; r == 0 && i < b->n && strncmp(b->names[i], stem, length) == 0; i++)
		r = fn(arg, b->names[i]);
	pthread_mutex_unlock(&b->lock);
	return r;
}
