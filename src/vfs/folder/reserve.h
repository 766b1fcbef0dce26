/* SPDX-License-Identifier: Zlib */
/*
 * reserve: descriptors that only the saves of a folder use. Maps that are open take one each, and
 * changed ones two, until no more can be had; then opening and closing fail with EMFILE, and a save
 * still works. Owner's thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { RESERVE_MAX = 24 };

struct reserve {
	int dirfd; /* borrowed; the others are copies of it */
	int fds[RESERVE_MAX];
	size_t n, size;
	unsigned saves;
};

/* Take RESERVE_MAX descriptors, or a quarter of the limit if that is less. */
void reserve_init(struct reserve *r, int dirfd);
void reserve_finish(struct reserve *r);

/* Around each save. They may overlap. */
void reserve_open(struct reserve *r);
void reserve_close(struct reserve *r);

/* Are descriptors about to run out? */
bool reserve_is_near(const struct reserve *r);
