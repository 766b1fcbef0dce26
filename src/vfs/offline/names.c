/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

int names_add(struct names *names, const char *name)
{
	if (!array_room(names->at, names->n, names->room) || !(names->at[names->n] = strdup(name)))
		return names->error = -ENOMEM;
	names->n++;
	return 0;
}

bool names_has(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->at[i], name) == 0)
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct names *names)
{
	if (names->n)
		qsort(names->at, names->n, sizeof(*names->at), by_name);
}

int names_add_dir(struct names *names, int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;
	int r = d ? 0 : -errno;

	if (!d && own >= 0)
		close(own);
	while (r == 0 && (errno = 0, entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = names_add(names, entry->d_name);
	if (r == 0)
		r = -errno;
	if (d)
		closedir(d);
	return r;
}

void names_finish(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	*names = (struct names){0};
}
