/* SPDX-License-Identifier: Zlib */
#include "codec/zlib/checksum.h"

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

/* Both libraries give the start again where data is NULL. */

uint32_t checksum_crc32(uint32_t sum, const void *data, size_t n)
{
	if (!n)
		return sum;
#ifdef HAVE_LIBDEFLATE
	return libdeflate_crc32(sum, data, n);
#else
	return (uint32_t)crc32_z(sum, data, n);
#endif
}

uint32_t checksum_adler32(uint32_t sum, const void *data, size_t n)
{
	if (!n)
		return sum;
#ifdef HAVE_LIBDEFLATE
	return libdeflate_adler32(sum, data, n);
#else
	return (uint32_t)adler32_z(sum, data, n);
#endif
}
