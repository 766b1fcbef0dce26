/* SPDX-License-Identifier: Zlib */
/*
 * reading: in how many ways a file can be read, and in which one it makes most sense.
 *
 * The format's page does not say which byte order numbers have, says twice and differently what the
 * size of a list counts, and leaves out how the end of the points is known. So all readings that
 * come out at the end of the file are compared, by what it would cost to say what they read.
 */
#pragma once

#include "formats/triclon/map.h"

struct tcm_reading {
	struct tcm_content content;
	uint64_t cost; /* bits */
	/* Where it does not come out at the end of the file: what is wrong, its value, and how many
	 * bytes there are. Else NULL. */
	const char *wrong;
	uint64_t size;
	size_t left;
};

/* What -o demands of each question; -1: nothing. And what the mount knows that wrote the map. */
struct tcm_demand {
	int answers[TCM_QUESTIONS];
	bool any;
	const char *points; /* how many, in digits; NULL: any */
	bool real;          /* ... and they have floats */
};

/*
 * The best reading of the bytes from `at`, where the terrain's size stands, to n. *ret_rival: the
 * next best one, where it is not much worse (else its cost is UINT64_MAX). -EINVAL: there is none;
 * the text is about the one that makes most sense.
 */
int tcm_reading_find(const uint8_t *data, size_t n, size_t at, const char *tag,
	const struct tcm_demand *demand, struct tcm_reading *ret, struct tcm_reading *ret_rival,
	struct error *e);
