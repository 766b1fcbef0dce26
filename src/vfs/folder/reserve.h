/* SPDX-License-Identifier: Zlib */
/* reserve: descriptors kept back for the saves of a folder. An open map uses one descriptor and a
 * changed one two (its journal), until the limit of the process is reached. Then opening a map, and
 * closing a file whose map has no journal yet, fail with EMFILE, but a save still finds
 * descriptors. Owner's thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { RESERVE_MAX = 24 };

struct reserve {
	int dirfd; /* borrowed; the others are copies of it */
	int fds[RESERVE_MAX];
	size_t n, size; /* descriptors held now, and to be held */
	unsigned saves; /* running saves */
};

/* Take RESERVE_MAX descriptors, or a quarter of the process's limit if that is less; fewer if no
 * more can be had. */
void reserve_init(struct reserve *r, int dirfd);
void reserve_finish(struct reserve *r);

/* Before a save: close the descriptors, so that the save can use them. */
void reserve_open(struct reserve *r);
/* After a save: take the descriptors back when no other save runs. */
void reserve_close(struct reserve *r);

/* Are descriptors about to run out: is the lowest free one, plus `size`, beyond the limit? */
bool reserve_is_near(const struct reserve *r);
