/* SPDX-License-Identifier: Zlib */
/*
 * vanish: what would be gone with the mount, and why: drafts, files that were never closed, and
 * scratch that no editor's habit explains.
 */
#pragma once

#include "vfs/tree/node.h"

/* Would its content be copied out, did the mount end now? */
bool vanish_would(const struct overlay *o, const struct upper *u);
/* Why it would; the text is in buffer, or lives as long as u is what it is. */
enum { VANISH_REASON_MAX = NAME_MAX + 100 };
const char *vanish_reason(
	const struct overlay *o, const struct upper *u, char *buffer, size_t room);
/* n was closed: whoever looks after the mount hears, once, of a file whose ending alone keeps it
 * from being a part of the map. */
void vanish_tell(struct vfs *v, struct node *n);

/* Was it made by a tool of a file that stands beside it, and so is made again whenever somebody
 * wants? */
bool vanish_derived(const struct overlay *o, const struct upper *u);
/* Does it, or a scratch directory that it is in, have such a name as below? */
bool vanish_harmless(const struct overlay *o, const struct upper *u);

/* Is this the name of a file that an editor or a tool leaves lying about, and that holds nothing
 * which is not elsewhere? */
bool vanish_explained(const char *name);
