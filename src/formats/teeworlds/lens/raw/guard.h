/* SPDX-License-Identifier: Zlib */
/*
 * guard: what may be written through raw/ (layout rule 23).
 */
#ifndef FORMATS_TEEWORLDS_LENS_RAW_GUARD_H
#define FORMATS_TEEWORLDS_LENS_RAW_GUARD_H

#include "formats/teeworlds/model/change.h"

/* -EINVAL if the change would make a typed file unreadable that is readable now. Decodes what it
 * has to. */
int raw_guard(const struct tw_map *m, const struct tw_change *c, struct error *e);

#endif
