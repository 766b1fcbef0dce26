/* SPDX-License-Identifier: Zlib */
/* open: the operations probe, companion and open of struct format, for MOD and PAK. */
#pragma once

#include "formats/format.h"

/* Is the file called .mod, whatever its bytes, or has it a valid MOD header? May read the file. */
bool tl_probe_mod(const struct source *src, const uint8_t *head, size_t n);
/* Does the name contain .pak, or is it PAK.ZIP? Bytes and manifest do not matter. */
bool tl_probe_pak(const struct source *src, const uint8_t *head, size_t n);
/* Get candidate i for the name of a PAK's manifest; ret has NAME_MAX + 1 bytes. false: no more. */
bool tl_companion(const char *name, unsigned i, char *ret);
/* Open an archive, or make an empty one if src has no files. f: the format of the snapshot, which
 * has a companion if it is a PAK. -EINVAL: not a valid archive of Torchlight II. */
int tl_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e);
