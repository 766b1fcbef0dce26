/* SPDX-License-Identifier: Zlib */
#pragma once

#include "formats/torchlight/model/map.h"

/* Warn of faults of an archive (format_edit.check); never refuses one. It warns of compiled files
 * that the game cannot read, unless `before` is given, and of units with the GUID of another
 * one. */
int tl_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
