/* SPDX-License-Identifier: Zlib */
/*
 * vanish: what would be gone with the mount, and why: drafts, files that were never closed, and
 * scratch that no editor's habit explains.
 */
#pragma once

#include "vfs/tree/inode.h"

/* Would its content be copied out, did the mount end now? */
bool lost_at_end(const struct overlay *o, const struct oentry *u);
/* Why it would; the text is in buffer, or lives as long as u is what it is. */
enum { LOST_REASON_MAX = NAME_MAX + 100 };
const char *lost_reason(const struct overlay *o, const struct oentry *u, char *buffer, size_t room);
/* n was closed: whoever looks after the mount hears, once, of a file whose ending alone keeps it
 * from being a part of the map. */
void lost_note(struct vfs *v, struct inode *n);

/* Was it made by a tool of a file that stands beside it, and so is made again whenever somebody
 * wants? */
bool is_by_product(const struct overlay *o, const struct oentry *u);
/* Does it, or a scratch directory that it is in, have such a name as below? */
bool lost_is_harmless(const struct overlay *o, const struct oentry *u);

/* Is this the name of a file that an editor or a tool leaves lying about, and that holds nothing
 * which is not elsewhere? */
bool is_editor_file(const char *name);
