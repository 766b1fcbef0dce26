/* SPDX-License-Identifier: Zlib */
/*
 * parse: what the path of a new or moved object says: its position and its name (layout rules 5,
 * 6).
 */
#pragma once

#include "base/error.h"
#include "formats/teeworlds/names/sort.h"

struct tw_numbered {
	bool has_position; /* else it goes last */
	uint64_t position; /* UINT64_MAX for any beyond that */
	char name[NAME_MAX + 1];
	size_t n; /* of name, which may hold anything */
};

/* What a stem says. -ENAMETOOLONG: it is too long for its field; -EINVAL: it holds a NUL. */
int tw_numbered_parse(
	enum tw_sort sort, const char *stem, size_t n, struct tw_numbered *ret, struct error *e);
