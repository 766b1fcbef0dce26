/* SPDX-License-Identifier: Zlib */
/* rescue: copies of conflicting files of theirs beside the merged map (vfs/files/rescue_dir.h). */
#pragma once

#include "tools/merge/merge_node.h"
#include "vfs/files/rescue_dir.h"

/* Copy the file of each conflict with copies_theirs (merge_node.h) into d, an initialized
 * rescue_dir, at the path that it has in the merged map. The copies are on disk afterwards. A
 * failure leaves no copy. */
int merge_rescue(struct rescue_dir *d, struct merge *m, struct error *e);
/* The same for the whole map of theirs, of format f: its file or files, under the name d->map. */
int merge_rescue_map(
	struct rescue_dir *d, const struct source *theirs, const struct format *f, struct error *e);
