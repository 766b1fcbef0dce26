/* SPDX-License-Identifier: Zlib */
/*
 * finalize: build the table of the archive to be saved (struct tl_table).
 *
 * Unchanged records and entries keep their content and order. A moved or new file joins the record
 * of its directory; if there is none, a record is added in the style of the archive. New names
 * become upper case (ASCII), because the game looks up upper-case names only.
 */
#pragma once

#include "formats/torchlight/model/map.h"

/* Make the version of s to be saved (format_tree.finalize); if n is FORMAT_UNPLACED, a reference to
 * s. Sets is_absent in p for new files without content. say, which may be NULL, gets all that users
 * should know about the new archive. -ENOMEM only. */
int tl_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	format_say say, void *arg, struct error *e);
/* Would a save of b, which is finalized, give the file of a again (format_edit.same)? */
bool tl_same(const struct snapshot *a, const struct snapshot *b);
