/* SPDX-License-Identifier: Zlib */
/*
 * mapview: a reader of map files of version 4 that shares no code with src/. Every value is checked
 * against the file's size before use. Facts of the container: ddnet's datafile.cpp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { MAP_HEADER = 36 };

/* Beginnings of the sections; valid as long as the map's bytes. */
struct mapview {
	const uint8_t *p;
	uint64_t n_types, n_items, n_data, item_size, data_size;
	uint64_t offs, data_offs, data_sizes, items, data;
};

bool mapview_init(const struct bytes *map, struct mapview *ret);
/* Decoded and malloc'ed, followed by NUL. NULL if it is missing or damaged. */
uint8_t *mapview_blob(const struct mapview *v, int64_t i, size_t *ret_size);
/* Integers of the nth item of a type, which must have n as its id. */
const uint8_t *mapview_item(const struct mapview *v, uint32_t type, unsigned nth);
