/* SPDX-License-Identifier: Zlib */
/*
 * finalize: what an archive is to hold, in its order.
 *
 * Records and entries that nothing happened to stay as they are and where they are. What was moved
 * or made joins the record of its directory; one is made, in the archive's own style, where there
 * is none. New names become upper case (ASCII), since the game looks for no others.
 */
#pragma once

#include "formats/torchlight/model/map.h"

int tl_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	format_say say, void *arg, struct error *e);
bool tl_same(const struct snapshot *a, const struct snapshot *b);
