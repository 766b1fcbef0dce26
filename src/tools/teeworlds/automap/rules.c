/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/automap/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "tools/teeworlds/automap/reading.h"

static int by_name(const void *a, const void *b)
{
	const struct tw_rules_config *x = *(void *const *)a, *y = *(void *const *)b;
	int r = strcmp(x->name, y->name);

	return r ? r : array_compare(x->line, y->line);
}

/* Report duplicate names of configurations: only the first can be chosen by its name. */
static int report_duplicates(const struct reading *r)
{
	const struct tw_rules *rules = r->rules;
	CLEANUP(free) const struct tw_rules_config **all = malloc((rules->n + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n; i++)
		all[i] = &rules->configs[i];
	qsort(all, rules->n, sizeof(*all), by_name);
	for (size_t i = 1; i < rules->n; i++)
		if (strcmp(all[i]->name, all[i - 1]->name) == 0)
			rules_fault(r, all[i]->line, "[%.40s] already exists (line %u)",
				all[i]->name, all[i - 1]->line);
	return 0;
}

static int read_lines(struct reading *r, char *text, size_t n)
{
	char *end = text + n;
	int code = 0;

	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	for (char *eol; code >= 0 && text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text)) ?: end;
		*eol = '\0';
		if (eol > text && eol[-1] == '\r')
			eol[-1] = '\0';
		r->line++;
		r->at = text;
		code = rules_read_line(r);
	}
	rules_finish_rule(r);
	return code >= 0 && r->fault ? report_duplicates(r) : code;
}

int tw_rules_read(const char *text, size_t n, tw_rules_fault fault, void *arg,
	struct tw_rules **ret, struct error *e)
{
	CLEANUP(tw_rules_destroy) struct tw_rules *rules = calloc(1, sizeof(*rules));
	struct reading r = {.rules = rules, .fault = fault, .arg = arg};
	CLEANUP(free) char *copy = NULL;

	if (n > TW_RULES_MOST)
		return error_set(
			e, -EFBIG, "the rules have %zu bytes (at most %d)", n, TW_RULES_MOST);
	copy = text_copy(text, n);
	if (!rules || !copy || read_lines(&r, copy, n) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = TAKE(rules);
	return 0;
}

static void finish_run(struct tw_rules_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		free(run->rules[i].places);
		free(run->rules[i].moduli);
	}
	free(run->rules);
}

void tw_rules_destroy(struct tw_rules *r)
{
	for (size_t i = 0; r && i < r->n; i++) {
		for (size_t k = 0; k < r->configs[i].n; k++)
			finish_run(&r->configs[i].runs[k]);
		free(r->configs[i].runs);
		free(r->configs[i].name);
	}
	if (r)
		free(r->configs);
	free(r);
}
