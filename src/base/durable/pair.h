/* SPDX-License-Identifier: Zlib */
/*
 * pair: replace two files atomically.
 *
 *   1. Both new files are complete and synced under temporary names (base/durable/replace.h).
 *   2. A marker file .NAME.mapfs-pair is written beside them and synced. It contains the temporary
 *      and the final name of each file. From now on the new pair is valid.
 *   3. Both files are renamed, the directory is synced, and the marker is removed.
 *
 * A mount that finds a marker completes step 3, which is idempotent. Without a marker the old pair
 * is valid, and temporary files are leftovers.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/durable/replace.h"

/*
 * Commit two files in one directory, both after replace_close. marked: NAME of the marker. over:
 * replace existing files; if false, -EEXIST if a regular file has one of the names now (one that
 * appears later is replaced). On failure see replace_is_committed(first): if it is false, the old
 * pair is valid, and replace_destroy removes what is left of the new one. If it is true, the new
 * pair is valid, and the next mount may have to complete the renames.
 */
int pair_commit(struct replace *first, struct replace *second, const char *marked, bool over,
	struct error *e);

/* Write the name of the marker for `marked`, which is cut if it is too long, to ret. */
void pair_marker_name(char ret[NAME_MAX + 1], const char *marked);

/* May a marker name these two files: not at all, as new files, or also to replace existing ones? */
enum pair_permission { PAIR_FORBIDDEN, PAIR_CREATE, PAIR_REPLACE };
/* Decide on the two final names of a marker; called by pair_finish. */
typedef enum pair_permission pair_check_names(void *arg, const char *first, const char *second);

/*
 * Complete the commit of the marker for `marked`, if there is one. Returns 1 if the new pair is
 * complete now. Returns 0 if there is no marker, or if only the first temporary file is left of an
 * abandoned commit: then removes it and the marker. -EINVAL: the file is no marker. -EPERM: it or a
 * new file is not trusted, or `check` forbids its names; e has the end of a sentence, as from
 * trust_check_name. -EEXIST: a name of PAIR_CREATE is taken. A failure keeps the marker.
 */
int pair_finish(const struct trust *trust, const char *marked, pair_check_names *check, void *arg,
	struct error *e);
