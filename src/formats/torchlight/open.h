/* SPDX-License-Identifier: Zlib */
/* open: which files are archives (by their name, a MOD also by its header), and the first snapshot
 * of an archive or of a new, empty one (struct format: probe, companion, open). */
#pragma once

#include "formats/format.h"

bool tl_probe_mod(const struct source *src, const uint8_t *head, size_t n);
bool tl_probe_pak(const struct source *src, const uint8_t *head, size_t n);
/* The name of candidate i for the manifest of the PAK `name`. A MOD has no companion. */
bool tl_companion(const char *name, unsigned i, char *ret);
/* Open an archive, or make an empty one if src has no files. f: the format of the snapshot. */
int tl_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e);
