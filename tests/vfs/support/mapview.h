/* SPDX-License-Identifier: Zlib */
/*
 * mapview: what a map file of version 4 holds, read by code that shares nothing with src/. Nothing
 * is believed before it is compared with the file's size. Facts of the container: ddnet's
 * datafile.cpp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { MAP_HEADER = 36 };

/* Where the sections begin. Lives no longer than the map's bytes. */
struct mapview {
	const uint8_t *p;
	uint64_t n_types, n_items, n_data, item_size, data_size;
	uint64_t offs, data_offs, data_sizes, items, data;
};

bool mapview_of(const struct bytes *map, struct mapview *ret);
/* Inflated and malloc'ed, with a NUL behind it. NULL: there is none, or it is damaged. */
uint8_t *mapview_blob(const struct mapview *v, int64_t i, size_t *ret_size);
/* The nth item of a type, which must have that id: where its integers begin. */
const uint8_t *mapview_item(const struct mapview *v, uint32_t type, unsigned nth);
