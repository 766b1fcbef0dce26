/* SPDX-License-Identifier: Zlib */
/* removed_text: the list of removed files (wire/removed.h) as a person writes it. */
#pragma once

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

/* What a person wrote, in its canonical form: slashes, upper case, no empty lines, nothing twice.
 */
int removed_parse(const void *data, size_t size, struct bytes **ret, struct error *e);
