/* SPDX-License-Identifier: Zlib */
/* sha256: the SHA-256 of bytes in memory (FIPS 180-4), for names that say what they name. */
#ifndef CODEC_SHA256_H
#define CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX = 65 };

/* As lower-case hexadecimal digits and a NUL. */
void sha256_hex(const uint8_t *data, size_t n, char ret[SHA256_HEX]);

#endif
