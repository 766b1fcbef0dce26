/* SPDX-License-Identifier: Zlib */
/* names: a list of names or paths. All zeros is an empty one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **items;
	size_t n, room;
	int error; /* -ENOMEM once a names_add has failed; later ones still add */
};

int names_add(struct names *names, const char *name); /* adds a copy; 0 or -ENOMEM */
bool names_contain(const struct names *names, const char *name);
void names_sort(struct names *names); /* by bytes */
/* Is the name in the list, which names_sort has sorted? */
bool names_contain_sorted(const struct names *names, const char *name);
/* Add all names in the directory fd, except "." and "..". Ignores and keeps fd's position. */
int names_add_dir(struct names *names, int fd);
void names_finish(struct names *names);
#define CLEANUP_NAMES __attribute__((cleanup(names_finish)))
