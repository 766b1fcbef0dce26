/* SPDX-License-Identifier: Zlib */
#include "cli/offline/copied.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct one {
	struct hash_link link; /* first */
	uint64_t number;
	char path[];
};

const char *copied_from(const struct copied *c, uint64_t number)
{
	struct hash_link *l = hash_find(&c->all, hash_number(number));

	while (l && ((struct one *)l)->number != number)
		l = hash_again(l);
	return l ? ((struct one *)l)->path : NULL;
}

int copied_add(struct copied *c, uint64_t number, const char *path)
{
	size_t n = strlen(path) + 1;
	struct one *one = hash_room(&c->all) ? malloc(sizeof(*one) + n) : NULL;

	if (!one)
		return -ENOMEM;
	one->number = number;
	memcpy(one->path, path, n);
	hash_add(&c->all, &one->link, hash_number(number));
	return 0;
}

void copied_each(const struct copied *c, void (*fn)(void *arg, const char *path), void *arg)
{
	for (struct hash_link *l = NULL; (l = hash_next(&c->all, l));)
		fn(arg, ((struct one *)l)->path);
}

void copied_finish(struct copied *c)
{
	struct hash_link *next = hash_next(&c->all, NULL);

	for (struct hash_link *l; (l = next);) {
		next = hash_next(&c->all, l);
		free(l);
	}
	hash_finish(&c->all);
}
