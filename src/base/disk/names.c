/* SPDX-License-Identifier: Zlib */
#include "base/disk/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/dir.h"

int names_add(struct names *names, const char *name)
{
	if (!array_reserve(names->items, names->n, names->room) ||
		!(names->items[names->n] = strdup(name)))
		return names->error = -ENOMEM;
	names->n++;
	return 0;
}

bool names_contain(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct names *names)
{
	if (names->n)
		qsort(names->items, names->n, sizeof(*names->items), compare_names);
}

bool names_contain_sorted(const struct names *names, const char *name)
{
	return names->n &&
	       bsearch(&name, names->items, names->n, sizeof(*names->items), compare_names);
}

int names_add_dir(struct names *names, int fd)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(fd, ".", &r);
	const struct dirent *d;

	while (r == 0 && (d = dir_next(dir, &r)))
		r = names_add(names, d->d_name);
	return r;
}

void names_finish(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct names){0};
}
