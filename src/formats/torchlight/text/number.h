/* SPDX-License-Identifier: Zlib */
/*
 * number: the values of compiled files as text and back.
 *
 * Floating point is the shortest decimal that reads back to the same bits, -0 included; what no
 * decimal gives (infinities, NaN) is its bits: 0x7F800000. Reading is what the modding kit does
 * (C's atoi and atof) as far as a number stands there: blanks around it are skipped, nothing at all
 * is 0, an integer may have a fraction, which is cut off. What is no number is refused here, where
 * the kit would take 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "formats/torchlight/wire/wire.h"

enum number_kind { NUMBER_I32, NUMBER_U32, NUMBER_BOOL, NUMBER_F32, NUMBER_I64, NUMBER_F64 };

/* The number that is stored in 4 bytes, or 8; a BOOL is true, false, or the number for any value
 * but 0 and 1. And back, appended to out; false: as below. */
void number_put(struct buffer *b, enum number_kind kind, const uint8_t *stored);
bool number_get(struct str s, enum number_kind kind, struct buffer *out);

/* false: not a number, or out of range. U32 and BOOL take -2147483648..-1 as well, as the kit does;
 * BOOL takes true and false (any case). */
bool number_read(struct str s, enum number_kind kind, uint64_t *ret);
bool number_get_f32(struct str s, uint32_t *ret); /* its bits */
bool number_get_i32(struct str s, int32_t *ret);
bool number_get_u32(struct str s, uint32_t *ret);
bool number_get_i64(struct str s, int64_t *ret);
bool number_get_bool(struct str s, uint32_t *ret);

/* So many hexadecimal digits, and nothing else; at most 16. */
bool number_hex(struct str s, size_t digits, uint64_t *ret);
/* Without the blanks around it. */
struct str number_trim(struct str s);
