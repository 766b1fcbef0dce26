/* SPDX-License-Identifier: Zlib */
/*
 * point: the directory that is mounted on.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "fuse/launch.h"

/* Could be mounted there? Before anything else is done: what a worker says of the journal is to be
 * true. *ret_covers: it holds something that the mount would cover. */
int point_look(const struct mount_request *rq, bool *ret_covers, struct error *e);
/*
 * Look once more, or make it where the request says so. *ret_path is its path without symbolic
 * links, the caller's to free; *ret_made says whether it has to be removed at the end.
 */
int point_take(const struct mount_request *rq, char **ret_path, bool *ret_made, struct error *e);
