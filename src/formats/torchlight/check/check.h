/* SPDX-License-Identifier: Zlib */
#pragma once

#include "formats/torchlight/model/map.h"

/* As format_edit.check. Nothing keeps an archive from being saved; with `all` warns of compiled
 * files that the game cannot read, and of units with the GUID of another one. */
int tl_check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
