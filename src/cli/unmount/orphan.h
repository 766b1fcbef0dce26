/* SPDX-License-Identifier: Zlib */
/*
 * orphan: the end of a mount whose worker is dead, cannot be reached or does not answer, and what
 * `mapfs -u` then says of the map.
 */
#pragma once

#include <stdbool.h>

#include "cli/unmount/listener.h"
#include "cli/unmount/target.h"

/* Nobody can be asked: the worker is dead, or out of reach. Returns the exit code. */
int orphan_end_unheard(struct listener *l, struct target *t, const struct ending *how);

/* The worker died while it was asked. Returns the exit code. */
int orphan_died(struct listener *l, const struct target *t);

/* It could be asked, and does not answer: unmounted by force. Returns the exit code. */
int orphan_leave(struct listener *l, const struct target *t);

/* Of the map, or the maps of the folder, at source: tells of each journal, or with NULL of none.
 * Returns how many there are. */
size_t orphan_journals(struct listener *l, const char *source);
