/* SPDX-License-Identifier: Zlib */
/*
 * number: convert the values of compiled files to text and back.
 *
 * A floating-point number is written as the shortest decimal that gives the same bits, including
 * -0. Infinities and NaN are written as their bits: 0x7F800000. Numbers are read as in the modding
 * kit (C's atoi and atof): blanks around a number are skipped, an empty text is 0, and the fraction
 * of an integer is cut off. A text that is no number is refused, while the kit reads it as 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "formats/torchlight/wire/wire.h"

enum number_kind { NUMBER_I32, NUMBER_U32, NUMBER_BOOL, NUMBER_F32, NUMBER_I64, NUMBER_F64 };

/* Append the number that is stored in 4 or 8 bytes as text. A BOOL is true, false, or a number if
 * it is neither 0 nor 1. */
void number_put(struct buffer *b, enum number_kind kind, const uint8_t *stored);
/* Append the number that a text has as it is stored. false: as number_read, and nothing is
 * appended. */
bool number_get(struct str s, enum number_kind kind, struct buffer *out);

/* Read a number: its bits (the low 32, if it has 4 bytes). false: not a number, or out of range.
 * U32 and BOOL also accept -2147483648..-1; BOOL true and false, in any case. */
bool number_read(struct str s, enum number_kind kind, uint64_t *ret);
/* number_read for one kind. *ret is unchanged on failure, except by number_get_i64. */
bool number_get_f32(struct str s, uint32_t *ret); /* its bits */
bool number_get_i32(struct str s, int32_t *ret);
bool number_get_u32(struct str s, uint32_t *ret);
bool number_get_i64(struct str s, int64_t *ret);
bool number_get_bool(struct str s, uint32_t *ret);

/* Read a text of exactly `digits` hexadecimal digits, at most 16. *ret is unchanged on failure. */
bool number_hex(struct str s, size_t digits, uint64_t *ret);
/* s without the blanks around it. */
struct str number_trim(struct str s);
