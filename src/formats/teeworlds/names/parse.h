/* SPDX-License-Identifier: Zlib */
/*
 * parse: position and name in the path of a new or moved object (layout rules 5, 6).
 */
#pragma once

#include "base/error.h"
#include "formats/teeworlds/names/sort.h"

struct tw_parsed_name {
	bool has_position; /* otherwise the object comes last */
	uint64_t position; /* UINT64_MAX if it is too large */
	char name[NAME_MAX + 1];
	size_t n; /* length of name, which is any bytes, not terminated */
};

/* Parse a stem into ret, also on errors. -ENAMETOOLONG: no room in the item. -EINVAL: a NUL. */
int tw_numbered_parse(
	enum tw_sort sort, const char *stem, size_t n, struct tw_parsed_name *ret, struct error *e);
