/* SPDX-License-Identifier: Zlib */
/* reading: parser of rules files: lines (read.c) and rules (rule.c). */
#pragma once

#include "tools/teeworlds/automap/rules.h"

struct reading {
	struct tw_rules *rules;
	tw_rules_fault fault;
	void *arg;
	unsigned line;
	char *at;     /* the unread rest of the line */
	bool comment; /* a word of the line begins with '#' */

	/* The configuration, run and rule that the next lines belong to; NULL before the first. The
	 * rule remains current after its run ends, as in the editor. */
	struct tw_rules_config *config;
	struct tw_rules_run *run;
	struct tw_rule *rule;
	/* About `rule`. */
	unsigned rule_line;
	bool no_default;
	bool skip_full, skip_empty; /* it does not apply to tiles other than 0; to tile 0 */
};

/* rule.c: Report a fault. */
void rules_fault(const struct reading *r, unsigned line, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* rule.c: Complete and check the current rule after its last line. */
void rules_finish_rule(struct reading *r);

/* read.c: Parse the line at r->at, in place. Returns -ENOMEM, or at least 0. */
int rules_read_line(struct reading *r);
