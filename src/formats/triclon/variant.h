/* SPDX-License-Identifier: Zlib */
/*
 * variant: in how many ways a file can be read, and in which one it makes most sense.
 *
 * The format's page does not say which byte order numbers have, says twice and differently what the
 * size of a list counts, and leaves out how the end of the points is known. So all readings that
 * come out at the end of the file are compared.
 */
#ifndef FORMATS_TRICLON_VARIANT_H
#define FORMATS_TRICLON_VARIANT_H

#include "formats/triclon/map.h"

/* The words of -o and of info.json, by value; NULL-ended. */
extern const char *const tcm_endian_words[];
extern const char *const tcm_size_words[]; /* of enum tcm_size */

struct tcm_reading {
	struct tcm_variant variant;
	size_t terrain, n_terrain; /* where the records begin, and how many there are */
	size_t points, n_points;
	size_t objects, n_objects;
	bool has_objects;
	uint64_t cost; /* bits that it takes to say what it reads: a wrong reading is surprising */
};

/* What -o demands; -1: nothing. */
struct tcm_demand {
	int endian, lists, points;
};

int tcm_demand_read(const char *const *options, struct tcm_demand *ret, struct error *e);
bool tcm_demand_any(const struct tcm_demand *d);

/* "little-endian, lists in bytes, no size before the points, no objects list" */
void tcm_reading_describe(const struct tcm_reading *r, char *text, size_t room);
/* "endian=little,lists=bytes,points=none" */
void tcm_variant_options(const struct tcm_variant *v, char *text, size_t room);

/*
 * The best reading of the bytes from `at`, where the terrain begins, to n. *ret_rival: the next
 * best one, where it is not much worse (rival->cost is then not 0). -EINVAL: there is none; the
 * text is about the one that got furthest.
 */
int tcm_reading_find(const uint8_t *data, size_t n, size_t at, const struct tcm_demand *demand,
	struct tcm_reading *ret, struct tcm_reading *ret_rival, struct error *e);

/* The records of a reading; NULL: no memory. */
struct tcm_list *tcm_reading_list(
	const struct tcm_reading *r, enum tcm_table table, const uint8_t *data);

#endif
