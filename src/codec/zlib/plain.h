/* SPDX-License-Identifier: Zlib */
/*
 * plain: whether zlib and libdeflate are of one mind about a stream. Internal to codec.
 *
 * zlib, which games use, refuses codes that leave bit strings without a meaning, more symbols than
 * RFC 1951 has, and those symbols it reserves; libdeflate gives all of them some meaning. A forged
 * stream may so be sound to one and damaged to the other. Encoders write nothing of the kind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of a zlib stream that libdeflate has inflated: true where zlib does so, too. False says nothing.
 * Looks at each symbol, and produces nothing. Where data goes on after the stream's end, that is
 * not looked at.
 */
bool zlib_stream_is_plain(const uint8_t *data, size_t n);
