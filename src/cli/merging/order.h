/* SPDX-License-Identifier: Zlib */
/*
 * order: where the objects of each directory stand, and under which names.
 *
 * A save sorts them by the numbers in their names, and of equal numbers what is new or was moved
 * comes before what stood there. So each object has a number behind those of all before it: what
 * stays where it is keeps its own, if that allows it.
 */
#ifndef CLI_MERGING_ORDER_H
#define CLI_MERGING_ORDER_H

#include "cli/merging/merged.h"

/* After decide_all: order, moved, now and later of all objects. -ENOMEM. */
int order_all(struct merge *m);
/* The path of what ours has, or is to have; the caller's. later: in the map to be written. */
char *order_path(const struct merged *x, bool later);
/* For content_write. NULL: it is not in ours, or not in the map to be written. */
const char *order_now(const struct merged *x);
const char *order_later(const struct merged *x);

#endif
