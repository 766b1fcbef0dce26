/* SPDX-License-Identifier: Zlib */
/*
 * checksum: CRC-32 (that of PNG and zip) and Adler-32 (RFC 1950). Each goes on from the sum of what
 * came before.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CRC32_START = 0, ADLER32_START = 1 }; /* the sums of no bytes */

uint32_t checksum_crc32(uint32_t sum, const void *data, size_t n);
uint32_t checksum_adler32(uint32_t sum, const void *data, size_t n);
