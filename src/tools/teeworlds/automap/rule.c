/* SPDX-License-Identifier: Zlib */
/* rule: complete and check a rule after its last line. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tools/teeworlds/automap/reading.h"

enum { FAULT_MAX = 300 };

void rules_fault(const struct reading *r, unsigned line, const char *fmt, ...)
{
	struct error e = ERROR_INIT;
	char text[FAULT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error_write(&e, -EINVAL, "line %u: %s", line, text); /* printable */
	if (r->fault)
		r->fault(r->arg, error_text(&e));
}

static int by_place(const void *a, const void *b)
{
	const struct tw_rule_place *x = a, *y = b;
	int r = array_compare(x->dy, y->dy);

	return r ? r : array_compare(x->dx, y->dx);
}

/* Merge the conditions of several lines for one place. */
static void join_places(struct tw_rule *rule)
{
	size_t n = 0;

	if (rule->n_places)
		qsort(rule->places, rule->n_places, sizeof(*rule->places), by_place);
	for (size_t i = 0; i < rule->n_places; i++) {
		struct tw_rule_place *p = &rule->places[i];

		if (!n || by_place(p, &rule->places[n - 1]) != 0) {
			rule->places[n++] = *p;
			continue;
		}
		for (size_t k = 0; k <= TW_OUTSIDE; k++)
			rule->places[n - 1].accepted[k] &= p->accepted[k];
	}
	rule->n_places = n;
}

static bool has_any(const uint8_t *may, size_t n)
{
	while (n && !may[n - 1])
		n--;
	return n;
}

static void check_rule(const struct reading *r, const struct tw_rule *rule)
{
	if (!has_any(rule->own, TW_OUTSIDE))
		rules_fault(
			r, r->rule_line, "the rule can never match: no tile is possible at 0 0");
	for (size_t i = 0; i < rule->n_places; i++) {
		const struct tw_rule_place *p = &rule->places[i];

		if (!has_any(p->accepted, TW_OUTSIDE) && !(p->accepted[TW_OUTSIDE] & 1))
			rules_fault(r, r->rule_line,
				"the rule can never match: no tile is possible at %d %d", p->dx,
				p->dy);
	}
}

void rules_finish_rule(struct reading *r)
{
	struct tw_rule *rule = r->rule;

	if (!rule)
		return;
	/* The editor skips empty or full tiles before it checks any place, even turned ones. By
	 * default a rule applies only to tiles other than 0. */
	if (!r->skip_full && (r->skip_empty || !r->no_default))
		rule->own[0] = 0;
	if (r->skip_full && !r->skip_empty)
		memset(rule->own + 1, 0, TW_OUTSIDE - 1);
	join_places(rule);
	check_rule(r, rule);
	r->rule = NULL;
	r->no_default = r->skip_full = r->skip_empty = false;
}
