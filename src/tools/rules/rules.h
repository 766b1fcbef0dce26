/* SPDX-License-Identifier: Zlib */
/*
 * rules: requirements that a community has for its maps, beyond what a game needs to load them. A
 * format that knows such rules has a struct rules_tool.
 */
#pragma once

#include "formats/format.h"

/* A set of rules, all of which count. Only the format knows its members. After the last add_* the
 * set is immutable, and any number of threads may use it. */
struct rules;

struct rules_tool {
	/* Add rules to *r, which is NULL at first; free it also on failure. add_named adds rules
	 * that the format knows by a name, or returns -ENOENT. add_file adds the rules of a file;
	 * the text of -EINVAL has the line, column, field, value and allowed range. */
	int (*add_named)(struct rules **r, const char *name, struct error *e);
	int (*add_file)(struct rules **r, const struct extent *in, struct error *e);
	void (*free)(struct rules *r); /* accepts NULL */

	/* Report each violation of the rules (not NULL) as a warning. Any thread. Decodes content,
	 * and skips content that cannot be decoded, because format_edit's check reports it. */
	int (*check)(const struct snapshot *s, const struct rules *r,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
};
