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

/* The number that is stored in 4 bytes, or 8; and back, appended to out. false: as below. */
void number_put(struct buffer *b, enum number_kind kind, const uint8_t *stored);
bool number_get(struct str s, enum number_kind kind, struct buffer *out);

void number_put_f32(struct buffer *b, uint32_t bits);
void number_put_f64(struct buffer *b, uint64_t bits);
/* true, false, or the number for any value but 0 and 1. */
void number_put_bool(struct buffer *b, uint32_t v);

/* false: not a number, or out of range. u32 takes -2147483648..-1 as well, as the kit does. */
bool number_get_f32(struct str s, uint32_t *ret);
bool number_get_f64(struct str s, uint64_t *ret);
bool number_get_i32(struct str s, int32_t *ret);
bool number_get_u32(struct str s, uint32_t *ret);
bool number_get_i64(struct str s, int64_t *ret);
/* true, false (any case), "" (false), or a number. */
bool number_get_bool(struct str s, uint32_t *ret);
