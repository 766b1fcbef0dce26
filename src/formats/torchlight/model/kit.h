/* SPDX-License-Identifier: Zlib */
/*
 * kit: MOD.DAT, which the modding kit has at the top of a mod's sources: a data text that says what
 * the header of the MOD will be. One that is being made takes it; the mount that makes it shows it,
 * and no other.
 */
#pragma once

#include "base/bytes.h"
#include "formats/torchlight/wire/modheader.h"

/* What was written to it, into h; what it does not say stays. -EINVAL: line, column, what. */
int kit_read(const struct bytes *written, struct mod_header *h, struct error *e);
/* Appends in which of its fields a and b differ, "NAME, VERSION", or nothing. */
void kit_differences(const struct mod_header *a, const struct mod_header *b, struct buffer *out);
