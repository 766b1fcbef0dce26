/* SPDX-License-Identifier: Zlib */
/* open: struct format's functions that come before there is a map: which files are archives, and
 * the map of an archive's files or of none. */
#pragma once

#include "formats/format.h"

bool tl_probe_mod(const struct source *src, const uint8_t *head, size_t n);
bool tl_probe_pak(const struct source *src, const uint8_t *head, size_t n);
/* Of a PAK; a MOD has none. */
bool tl_companion(const char *name, unsigned i, char *ret);
/* f: the format that the snapshot is to be of. */
int tl_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e);
