/* SPDX-License-Identifier: Zlib */
/*
 * kit: MOD.DAT, a data text that the modding kit keeps at the top of a mod's sources. It describes
 * the header of the MOD. Only a mount that makes a new MOD shows this file; its content becomes the
 * header of the MOD.
 */
#pragma once

#include "base/bytes.h"
#include "formats/torchlight/wire/modheader.h"

/* Read a MOD.DAT into h; absent fields keep their values. -EINVAL with line and column. */
int kit_read(const struct bytes *written, struct mod_header *h, struct error *e);
/* Append the names of the fields in which a and b differ, such as "NAME, VERSION", or nothing. */
void kit_differences(const struct mod_header *a, const struct mod_header *b, struct buffer *out);
