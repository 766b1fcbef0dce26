/* SPDX-License-Identifier: Zlib */
/* rules: those that --rules names, by name or in files. */
#pragma once

#include "formats/rules.h"

struct command_rules {
	const struct format *format; /* whose they are; NULL: there are none */
	struct rules *rules;
};

/* given: NULL, or NULL-ended. Before the sandbox. ret is zeroed by the caller; finish it also on
 * failure: -errno after a line on stderr. */
int command_rules_open(const char *const *given, struct command_rules *ret);
void command_rules_finish(struct command_rules *r);
