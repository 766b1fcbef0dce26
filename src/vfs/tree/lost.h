/* SPDX-License-Identifier: Zlib */
/* lost: files that the end of the mount would lose, and why: refused contents, files that were
 * never closed, and scratch files other than by-products and editors' files. */
#pragma once

#include "vfs/tree/inode.h"

/* Would the file be copied out if the mount ended now? False for a directory. */
bool lost_at_end(const struct overlay *o, const struct oentry *u);
/* Why a file of lost_at_end would be. The text is in buffer, or valid until u changes. */
enum { LOST_REASON_MAX = NAME_MAX + 100 };
const char *lost_reason(const struct overlay *o, const struct oentry *u, char *buffer, size_t room);
/* Note, once, why n is scratch. Does so only if the file would be lost, and the format gives a
 * reason for its name (such as a wrong ending). Called when n was closed. */
void lost_note(struct vfs *v, struct inode *n);

/* Can the scratch file be made again: by a tool from a file beside it, or as a generated file? */
bool is_by_product(const struct overlay *o, const struct oentry *u);
/* Is it, or its scratch directory, an editor's file? False for the backup of a refused new file. */
bool lost_is_harmless(const struct overlay *o, const struct oentry *u);

/* Do editors or tools give this name to files whose content is also elsewhere? */
bool is_editor_file(const char *name);
