/* SPDX-License-Identifier: Zlib */
/*
 * pair: two files replaced as one.
 *
 * Both new files are complete and on disk under their temporary names (base/durable/replace.h).
 * Then a marker .NAME.mapfs-pair, NAME being the first's name, is put beside them, whole and on
 * disk, that says which temporary file becomes which. From that moment the new pair counts: both
 * are renamed, the directory is brought to disk, the marker goes. A mount that finds a marker does
 * what is left of that; doing it twice does no harm. Without a marker the old pair stands, whatever
 * lies about.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/durable/replace.h"

/*
 * Both after replace_close; marked: the name that the marker is made for. over: as for
 * replace_commit; without, both names must be free. -errno: where replace_stands(first) is false,
 * the old pair stands and nothing is left of the attempt; where it is true the new pair counts,
 * though a rename may be left for the next mount to do.
 */
int pair_commit(struct replace *first, struct replace *second, const char *marked, bool over,
	struct error *e);

/* The name of the marker that is made for `marked`. */
void pair_marker(char ret[NAME_MAX + 1], const char *marked);

/* What a marker may say of these two names. */
enum pair_leave { PAIR_REFUSED, PAIR_MADE, PAIR_REPLACED };
typedef enum pair_leave pair_judge(void *arg, const char *first, const char *second);

/*
 * Does what a marker for `marked` says. 1: there was one, and the new pair stands; 0: there was
 * none, or one of an attempt that was given up; or -errno: -EPERM where the marker is not to be
 * trusted or names what judge refuses. It is left alone then.
 */
int pair_finish(const struct trust *trust, const char *marked, pair_judge *judge, void *arg,
	struct error *e);
