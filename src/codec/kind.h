/* SPDX-License-Identifier: Zlib */
/*
 * kind: the kind of a file that mapfs does not read, for messages: another image than a PNG, a
 * download that went wrong, an archive that holds a map. Only a refusal may depend on it: the
 * marks are short, and a file that mapfs reads may begin with the same bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { KIND_HEAD = 24 }; /* so many first bytes show all kinds */

/* "a JPEG image", of the first n bytes of a file. NULL: unknown. */
const char *kind_of(const uint8_t *head, size_t n);
