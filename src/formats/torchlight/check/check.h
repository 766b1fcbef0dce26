/* SPDX-License-Identifier: Zlib */
/* check: find the faults of an archive (format_edit.check in formats/format.h). */
#pragma once

#include "formats/torchlight/model/map.h"

/* Pass each fault of s to why, all as warnings: compiled files that the game cannot read, and units
 * with the GUID of another one. With `before`, the base at a save, the former are left out, and a
 * unit is reported only if it or the other one changed. Skips unreadable files. -ENOMEM. */
int tl_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
