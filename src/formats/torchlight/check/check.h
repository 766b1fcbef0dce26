/* SPDX-License-Identifier: Zlib */
#pragma once

#include "formats/torchlight/model/map.h"

/* format_edit.check. Never refuses an archive. Warns of compiled files that the game cannot read,
 * unless `before` is given, and of units with the GUID of another one. */
int tl_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
