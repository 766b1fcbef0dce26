/* SPDX-License-Identifier: Zlib */
/*
 * plain: check that zlib accepts a stream that libdeflate accepts. Internal to codec.
 *
 * Games use zlib. It refuses incomplete codes, more symbols than RFC 1951 has, and the symbols that
 * RFC 1951 reserves; libdeflate decodes all of these somehow. So a forged stream may be sound for
 * libdeflate and damaged for zlib. Encoders do not write such streams.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns true if zlib inflates this zlib stream, too, which libdeflate has inflated. If false,
 * zlib may inflate it or not. Reads every symbol, without output, and ignores bytes after the
 * stream.
 */
bool zlib_stream_is_plain(const uint8_t *data, size_t n);
