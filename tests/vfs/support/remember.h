/* SPDX-License-Identifier: Zlib */
/*
 * remember: models the kernel's cache of listings. The kernel keeps a listing until one of its own
 * requests creates, removes or renames a name in the directory, or until the directory is
 * invalidated and has a new time. The first is known when the request is answered; the second may
 * come while a listing is read, so only the time decides.
 */
#pragma once

#include "box.h"

/* List all directories, and remember the listings. */
void box_remember(struct box *b);
/* Find a directory whose remembered listing is stale. Returns its path, borrowed, or NULL. */
const char *box_find_stale_listing(struct box *b);
void box_forget_listings(struct box *b);

/* For box.c: the kernel got an invalidation, or made a change. */
void remember_invalidated(struct box *b, uint64_t ino);
void remember_changed(struct box *b, uint64_t dir);
void remember_drop(struct box *b); /* the mount ended */
