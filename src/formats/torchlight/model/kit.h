/* SPDX-License-Identifier: Zlib */
/*
 * kit: MOD.DAT, a data text that the modding kit keeps at the top of a mod's sources. Only a mount
 * that makes a new MOD shows this file; its content becomes the header of the MOD.
 */
#pragma once

#include "base/bytes.h"
#include "formats/torchlight/wire/modheader.h"

/* Set the fields of h that a MOD.DAT has; ignore unknown ones. VERSION is the version that was
 * published last, so mod_version becomes VERSION + 1. -EINVAL, with line and column unless the
 * UTF-16 is invalid. On failure h may be partly changed. */
int kit_read(const struct bytes *written, struct mod_header *h, struct error *e);
/* Put the names of the fields that differ in a and b into out, which is empty: "NAME, VERSION". */
void kit_differences(const struct mod_header *a, const struct mod_header *b, struct buffer *out);
