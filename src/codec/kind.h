/* SPDX-License-Identifier: Zlib */
/*
 * kind: recognize files that mapfs cannot read, for messages: another image format, a failed
 * download, an archive that contains a map. Use it only for a file that is refused already: the
 * signatures are short, and a readable file may begin with the same bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { KIND_HEAD = 24 }; /* number of bytes that is enough to recognize every kind */

/* The kind of a file with these first n bytes, such as "a JPEG image". NULL if unknown. */
const char *file_kind(const uint8_t *head, size_t n);
