/* SPDX-License-Identifier: Zlib */
/* shown: what objects of a mount will be called by a mount of the map that was finalized from it.
 */
#ifndef FORMATS_TEEWORLDS_NAMES_SHOWN_H
#define FORMATS_TEEWORLDS_NAMES_SHOWN_H

#include "formats/format.h"

/* struct format's shown_as. */
int tw_shown_as(const struct snapshot *finalized, entry_id id, char *name);

#endif
