/* SPDX-License-Identifier: Zlib */
/* set: the rules that a command line names, each by a name that a format knows or as a file. */
#pragma once

#include "tools/rules/rules.h"
#include "tools/tools.h"

struct rule_set {
	const struct toolset *tools; /* the only toolset with rules; NULL if none are given */
	struct rules *rules;
};

/* Read all named rules; `given` is NULL or NULL-ended. Call it before entering the sandbox. ret
 * must be zeroed; close it also on failure. Prints a line on stderr before it returns -errno. */
int rule_set_open(const char *const *given, struct rule_set *ret);
void rule_set_close(struct rule_set *set); /* not NULL; may be zeroed */
