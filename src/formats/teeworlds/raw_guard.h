/* SPDX-License-Identifier: Zlib */
/*
 * raw_guard: what may be written through raw/ (layout rule 23).
 */
#ifndef FORMATS_TEEWORLDS_RAW_GUARD_H
#define FORMATS_TEEWORLDS_RAW_GUARD_H

#include "formats/teeworlds/change.h"

/* -EINVAL if the change would make a typed file unreadable that is readable now. Decodes what it
 * has to. */
int raw_guard(const struct tw_map *m, const struct change *c, struct error *e);

#endif
