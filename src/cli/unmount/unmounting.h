/* SPDX-License-Identifier: Zlib */
/* unmounting: a mount is taken from the tree, and what stands in the way is said. */
#pragma once

#include <stdbool.h>

#include "cli/unmount/listener.h"
#include "cli/unmount/target.h"

/* Is it where it was looked up? */
bool unmounting_stands(const struct target *t);

/*
 * In this mount namespace; whoever looks in for a moment, and then another, is waited for. lazy:
 * whoever is in it, and for some seconds at most, since that may block. OUTCOME_DONE; or
 * OUTCOME_BUSY or OUTCOME_MOUNT, with a line and who holds it.
 */
int unmounting(struct listener *l, const struct target *t, bool lazy);
