/* SPDX-License-Identifier: Zlib */
/* parse: position and name in the path of a new or moved object (docs/teeworlds.md, Names). */
#pragma once

#include "base/error.h"
#include "formats/teeworlds/names/sort.h"

struct tw_parsed_name {
	bool has_position;       /* otherwise the object comes last */
	uint64_t position;       /* UINT64_MAX if it is too large; 0 without a position */
	char name[NAME_MAX + 1]; /* unescaped: any bytes, and then a NUL */
	size_t n;                /* length of name */
};

/* Parse a stem of n bytes (at most NAME_MAX) into ret, also on errors. Digits alone are a position,
 * but a name for images and sounds. -ENAMETOOLONG: no room in the item. -EINVAL: a NUL in it. */
int tw_numbered_parse(
	enum tw_sort sort, const char *stem, size_t n, struct tw_parsed_name *ret, struct error *e);
