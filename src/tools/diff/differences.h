/* SPDX-License-Identifier: Zlib */
/* differences: find what differs between two maps, and print each difference in the form that was
 * asked for. */
#pragma once

#include "tools/diff/difference.h"

/* Print all differences. An object is found again under another number (m.numbered). -errno: it
 * stopped before the end. */
int differences_tell(struct differences *d);
