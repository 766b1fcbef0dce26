/* SPDX-License-Identifier: Zlib */
/*
 * called: what a mount calls files of an archive that it saved, where their own names would come
 * out otherwise: of several with one name the numbers (~2) are dealt anew when one of them goes.
 *
 * A line for each such entry: its place in the manifest, a blank, the name that is shown.
 */
#ifndef FORMATS_TORCHLIGHT_WIRE_CALLED_H
#define FORMATS_TORCHLIGHT_WIRE_CALLED_H

#include "base/buffer.h"

struct called {
	char *text;
	const char **names; /* by entry; NULL: its own. NULL itself: all have their own */
};

/* A text that may hold anything, for n entries; NULL: nothing. -EINVAL names the line. */
int called_read(const struct bytes *text, uint32_t n, struct called *ret, struct error *e);
void called_finish(struct called *c);
void called_put(struct buffer *out, uint32_t entry, const char *name);

#endif
