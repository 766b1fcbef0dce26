/* SPDX-License-Identifier: Zlib */
/*
 * rules: what a house asks of maps beyond what a game does with them. A format that knows such
 * rules has a struct rules_tool.
 */
#pragma once

#include "formats/format.h"

/* What maps are held against: made once, then immutable, so that many threads may read it. Only the
 * format looks inside. */
struct rules;

struct rules_tool {
	/* Adds to *r (NULL at first; free it also on failure) the set that the format itself has by
	 * that name (-ENOENT: it has none), or what a house wrote in a file (-EINVAL names line,
	 * column, field, value and bound). */
	int (*add_named)(struct rules **r, const char *name, struct error *e);
	int (*add_file)(struct rules **r, const struct extent *in, struct error *e);
	void (*free)(struct rules *r); /* accepts NULL */

	/* Says where the map is not as the rules ask, all of it as warnings. On any thread; content
	 * is decoded, and what cannot be is passed over: format_edit's check tells of it. */
	int (*check)(const struct snapshot *s, const struct rules *r,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
};
