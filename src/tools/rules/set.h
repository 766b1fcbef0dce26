/* SPDX-License-Identifier: Zlib */
/* set: the rules that a command line names, by a name that a format knows or as a file. */
#pragma once

#include "tools/rules/rules.h"
#include "tools/tools.h"

struct rule_set {
	const struct toolset *tools; /* whose rules they are; NULL: no rules were named */
	struct rules *rules;
};

/* Read all rules that are named; `given` is NULL or NULL-ended. Call it outside the sandbox. Close
 * the set also on failure. Returns -errno after a line on stderr. */
int rule_set_open(const char *const *given, struct rule_set *ret);
void rule_set_close(struct rule_set *set);
