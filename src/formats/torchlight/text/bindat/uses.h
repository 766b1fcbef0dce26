/* SPDX-License-Identifier: Zlib */
/*
 * uses: the ids of a compiled data file's strings.
 *
 * A string that the old file has keeps its id; where several ids stand for the same string, its
 * k-th use has the id of the old k-th use (the last one's from there on). New strings follow the
 * highest id, in the order of their first use. "" is BINDAT_EMPTY when it is new, but where the old
 * file has that id for a string that is still used: then "" is a string like any other.
 */
#pragma once

#include "formats/torchlight/text/bindat/file.h"

struct use {
	struct str s;
	size_t nth; /* among all uses, in the order of the file */
	uint32_t id;
};

struct uses {
	struct use *all;
	size_t n, room;
};

enum uses_order { USES_BY_PLACE, USES_BY_STRING, USES_BY_ID };

int uses_add(struct uses *u, struct str s, uint32_t id, struct error *e);
void uses_sort(struct uses *u, enum uses_order order);
/* Gives all of u their ids; u is in order of place before and after. old may be all zero. */
int uses_number(struct uses *u, const struct bindat_file *old, struct error *e);
void uses_free(struct uses *u);
