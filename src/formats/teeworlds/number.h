/* SPDX-License-Identifier: Zlib */
/*
 * number: the numbers that data items get in a file that is written.
 */
#ifndef FORMATS_TEEWORLDS_NUMBER_H
#define FORMATS_TEEWORLDS_NUMBER_H

#include "formats/teeworlds/map.h"

struct numbering {
	size_t n;            /* data items in the file */
	int32_t *of;         /* number by handle; -1: left out */
	struct blob *filler; /* stands where a number must stay though its blob left */
};

int numbering_init(struct numbering *n, const struct tw_map *m, struct error *e);
void numbering_finish(struct numbering *n);

#endif
