/* SPDX-License-Identifier: Zlib */
/*
 * remember: what the kernel remembers of listings. It keeps a listing until a request of its own
 * makes, takes or renames a name in the directory, or it is told to forget the directory and then
 * finds that its time is another. The first it knows when the request was answered; the second may
 * come while a listing is read, so the time alone must tell.
 */
#pragma once

#include "box.h"

/* All directories are listed, and remembered as they are. */
void box_remember(struct box *b);
/* The directory of which the kernel would show another listing than there is, or NULL; borrowed. */
const char *box_misremembers(struct box *b);
void box_forget_listings(struct box *b);

/* For box.c: the kernel heard, or did. */
void remember_told(struct box *b, uint64_t ino);
void remember_done(struct box *b, uint64_t dir);
void remember_drop(struct box *b); /* the mount is gone */
