/* SPDX-License-Identifier: Zlib */
/* sum: checksums of objects, by which equal ones are found. */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { TW_SUM_SIZE = 32 };

/*
 * The SHA-256 of an image, sound, envelope, layer or group: of its integers and data, of an
 * envelope's points, and of a group's layers, but not of their numbers in the map. A reference to
 * another object counts by its number.
 *
 * Without `content` only the size of each data item counts, and nothing is decoded. Objects with
 * different sums are different in any case.
 *
 * false: the data cannot be read, or memory is exhausted. Any thread.
 */
bool tw_sum(const struct tw_map *m, uint32_t item, bool content, uint8_t ret[TW_SUM_SIZE]);
