/* SPDX-License-Identifier: Zlib */
/* cost: what variant.c judges readings by. */
#ifndef FORMATS_TRICLON_COST_H
#define FORMATS_TRICLON_COST_H

#include "formats/triclon/variant.h"

/* Bits that say a number: twice its digits, the smaller the fewer. */
uint64_t tcm_bits(uint64_t v);
/* A stored number of 2 or 4 bytes. */
uint32_t tcm_load(const uint8_t *p, unsigned width, bool big);
/* In bits; the reading's cost does not count. Its records lie within data. */
uint64_t tcm_reading_cost(const struct tcm_reading *r, const uint8_t *data);
/* Can the coordinates be floats and cannot be integers? */
bool tcm_reading_is_real(const struct tcm_reading *r, const uint8_t *data);

#endif
