/* SPDX-License-Identifier: Zlib */
#include "codec/zlib/checksum.h"

#include <libdeflate.h>

/* libdeflate gives the start again where data is NULL. */

uint32_t checksum_crc32(uint32_t sum, const void *data, size_t n)
{
	return n ? libdeflate_crc32(sum, data, n) : sum;
}

uint32_t checksum_adler32(uint32_t sum, const void *data, size_t n)
{
	return n ? libdeflate_adler32(sum, data, n) : sum;
}
