/* SPDX-License-Identifier: Zlib */
/* sum: checksums of objects, to find equal ones. */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { TW_SUM_SIZE = 32 };

/*
 * Compute the SHA-256 of the image, sound, envelope, layer or group with the handle `item`: of its
 * integers and its data, with an envelope's points or a group's layers. The numbers of data items,
 * points and layers are left out. A reference (the image of a layer) is hashed as its number, so
 * layers that refer to equal images under different numbers have different sums.
 *
 * Without `content` only the size of each data item is hashed, and nothing is decoded. With or
 * without it, objects with different sums are different.
 *
 * Returns false if the data cannot be read or memory is exhausted. Any thread.
 */
bool tw_sum(const struct tw_map *m, uint32_t item, bool content, uint8_t ret[TW_SUM_SIZE]);
