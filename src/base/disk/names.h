/* SPDX-License-Identifier: Zlib */
/* names: a list of names or paths. All zeros is an empty one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **at;
	size_t n, room;
	int error; /* of an earlier names_add */
};

int names_add(struct names *names, const char *name); /* -ENOMEM */
bool names_has(const struct names *names, const char *name);
void names_sort(struct names *names); /* in order of their bytes */
/* Is the name in a list that names_sort sorted? */
bool names_has_sorted(const struct names *names, const char *name);
/* Adds what is in a directory on disk (fd is borrowed), in no order. -errno. */
int names_add_dir(struct names *names, int fd);
void names_finish(struct names *names);
#define CLEANUP_NAMES __attribute__((cleanup(names_finish)))
