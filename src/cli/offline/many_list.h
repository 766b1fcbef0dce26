/* SPDX-License-Identifier: Zlib */
/* many_list: which maps were named, by themselves or with their folder. */
#ifndef CLI_OFFLINE_MANY_LIST_H
#define CLI_OFFLINE_MANY_LIST_H

#include "cli/offline/offline.h"

struct many_map {
	char *shown; /* as it is called in messages and output */
	char *path;  /* below top */
	size_t top;
};

struct many_list {
	struct many_map *maps;
	size_t n, room;
	struct sandbox_rule *tops; /* directories that are open: of a folder, or of a map */
	size_t n_tops, room_tops;
	int wrong; /* something could not be found or read, and was told: -errno */
};

/* Outside the sandbox. -ENOMEM; all else is told and put into wrong. */
int many_list_add(struct many_list *l, const char *name);
void many_list_finish(struct many_list *l);

#endif
