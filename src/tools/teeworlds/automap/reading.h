/* SPDX-License-Identifier: Zlib */
/* reading: parser of rules files: lines (read.c) and rules (rule.c). For each line set `line` and
 * `at`, and call rules_read_line; after the last one call rules_finish_rule. */
#pragma once

#include "tools/teeworlds/automap/rules.h"

struct reading {
	struct tw_rules *rules;
	tw_rules_fault fault; /* or NULL */
	void *arg;
	unsigned line; /* number, from 1 */
	char *at;      /* the unread rest of the line */
	bool comment;  /* a word of the line begins with '#' */

	/* The configuration, run and rule that the next lines belong to; NULL before the first. The
	 * rule remains current after its run ends, as in the editor. */
	struct tw_rules_config *config;
	struct tw_rules_run *run;
	struct tw_rule *rule;
	/* About `rule`. */
	unsigned rule_line;
	bool no_default;            /* tile 0 is not excluded by default */
	bool skip_full, skip_empty; /* it does not apply to tiles other than 0; to tile 0 */
};

/* rule.c: Report a fault. */
void rules_fault(const struct reading *r, unsigned line, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* rule.c: Complete and check the current rule after its last line, if any; then there is none. */
void rules_finish_rule(struct reading *r);

/* read.c: Parse the line at r->at, in place. Returns -ENOMEM; 0 and more are successes. */
int rules_read_line(struct reading *r);
