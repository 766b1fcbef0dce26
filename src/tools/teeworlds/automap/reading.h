/* SPDX-License-Identifier: Zlib */
/* reading: a rules file on its way into rules: lines (read.c) and rules (rule.c). */
#pragma once

#include "tools/teeworlds/automap/rules.h"

struct reading {
	struct tw_rules *rules;
	tw_rules_fault fault;
	void *arg;
	unsigned line;
	char *at;     /* what of the line is left */
	bool comment; /* a word of it begins with '#' */

	/* What lines belong to; NULL: there is none yet. A rule outlasts its run, for the editor.
	 */
	struct tw_rules_config *config;
	struct tw_rules_run *run;
	struct tw_rule *rule;
	/* Of that rule */
	unsigned rule_line;
	bool no_default;
	bool skip_full, skip_empty; /* it is not for tiles that are there; not for others */
};

/* rule.c */
void rules_fault(const struct reading *r, unsigned line, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The rule has all its lines. */
void rules_finish_rule(struct reading *r);

/* read.c. Cuts the line into its words. Negative: -ENOMEM. */
int rules_read_line(struct reading *r);
