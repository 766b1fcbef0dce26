/* SPDX-License-Identifier: Zlib */
/*
 * checksum: CRC-32 (as in PNG and zip) and Adler-32 (RFC 1950). The functions extend the sum of the
 * preceding bytes by n more bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CRC32_START = 0, ADLER32_START = 1 }; /* sums of zero bytes */

uint32_t checksum_crc32(uint32_t sum, const void *data, size_t n);
uint32_t checksum_adler32(uint32_t sum, const void *data, size_t n);
