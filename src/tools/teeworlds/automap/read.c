/* SPDX-License-Identifier: Zlib */
/* read: parse the lines of a rules file as the editor does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "tools/teeworlds/automap/reading.h"

#define FAULT(r, ...) rules_fault(r, (r)->line, __VA_ARGS__)

static const char blanks[] = " \t\n\v\f\r";

/* Cut off the next word of the line. Returns NULL at its end. */
static const char *next(struct reading *r)
{
	char *word = r->at + strspn(r->at, blanks);

	r->at = word + strcspn(word, blanks);
	if (*r->at)
		*r->at++ = '\0';
	r->comment |= *word == '#';
	return *word ? word : NULL;
}

/* Report a fault of a word, unless the line has a comment. The editor knows comments only at the
 * start of a line, but people also put them at the end. */
static void refuse(const struct reading *r, const char *word, const char *why)
{
	if (!r->comment)
		FAULT(r, "\"%.40s\" %s", word, why);
}

static void expect_end(struct reading *r)
{
	const char *word = next(r);

	if (word)
		refuse(r, word, "is ignored: the line must end before it");
}

static bool is_of(const char *word, const char *letters)
{
	return !word[strspn(word, letters)];
}

static bool numbers(struct reading *r, int32_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *word = next(r);
		char *end;
		long value;

		if (!word)
			return false;
		errno = 0;
		value = strtol(word, &end, 10);
		ret[i] = (int32_t)value;
		if (errno || *end || value != ret[i])
			return false;
	}
	return true;
}

/* Add a flag to *flags. Returns false after reporting a fault if the word is not a flag. */
static bool take_flag(const struct reading *r, const char *word, uint8_t *flags)
{
	static const char *const names[] = {"NONE", "XFLIP", "YFLIP", "ROTATE"};
	static const uint8_t values[] = {0, 1, 2, 8};

	for (size_t i = 0; i < sizeof(values); i++)
		if (strcmp(word, names[i]) == 0) {
			*flags |= values[i];
			return true;
		}
	refuse(r, word, "is not a flag (XFLIP, YFLIP, ROTATE or NONE)");
	return false;
}

enum { LINE_ENDS = 1 /* further words on the line are a fault */ };

static int add_run(struct reading *r)
{
	struct tw_rules_config *c = r->config;

	if (!array_reserve(c->runs, c->n, c->room))
		return -ENOMEM;
	r->run = &c->runs[c->n++];
	*r->run = (struct tw_rules_run){0};
	return LINE_ENDS;
}

/* "[Name]" */
static int take_config(struct reading *r)
{
	struct tw_rules *rules = r->rules;
	size_t n = strlen(r->at);

	if (!n || r->at[n - 1] != ']')
		FAULT(r, "\"[%.40s\" does not end in \"]\"", r->at);
	if (!array_reserve(rules->configs, rules->n, rules->room))
		return -ENOMEM;
	r->config = &rules->configs[rules->n++];
	*r->config =
		(struct tw_rules_config){.name = text_copy(r->at, n ? n - 1 : 0), .line = r->line};
	return r->config->name ? add_run(r) : -ENOMEM;
}

static int take_live(struct reading *r)
{
	r->run->live = true;
	return LINE_ENDS;
}

static int take_no_default(struct reading *r)
{
	r->no_default = true;
	return LINE_ENDS;
}

/* "Index N [FLAG]..." */
static int take_index(struct reading *r)
{
	struct tw_rules_run *run = r->run;
	int32_t index = 0;
	const char *word;

	rules_finish_rule(r);
	if (!array_reserve(run->rules, run->n, run->room))
		return -ENOMEM;
	r->rule = &run->rules[run->n++];
	*r->rule = (struct tw_rule){.probability = 1};
	r->rule_line = r->line;
	memset(r->rule->own, 0xff, sizeof(r->rule->own));
	/* Like the editor, accept a bad number: its leading digits count, or else 0. */
	if (!numbers(r, &index, 1))
		FAULT(r, "Index without a tile (0 to 255)");
	else if (index < 0 || index > UINT8_MAX)
		FAULT(r, "tile %d (0 to 255)", index);
	r->rule->index = (uint8_t)index;
	for (int i = 0; i < 3 && (word = next(r)); i++)
		take_flag(r, word, &r->rule->flags);
	return LINE_ENDS;
}

struct listed {
	uint8_t may[TW_OUTSIDE + 1];
	bool zero, others; /* tile 0 is listed; a tile above 0 is listed */
};

static void list(struct listed *l, int32_t index, bool turned, uint8_t flags)
{
	size_t at = index == -1 ? TW_OUTSIDE : (size_t)index;

	l->zero |= index == 0;
	l->others |= index > 0;
	if (index >= -1 && index <= UINT8_MAX)
		l->may[at] |= (uint8_t)(turned ? 1U << tw_turn(flags) : 0xffU);
}

/* Parse the flags after a tile of a list. Returns true if "OR" continues the list. */
static bool take_turns(struct reading *r, bool *ret_turned, uint8_t *ret_flags)
{
	const char *word;

	for (int i = 0; (word = next(r)); i++) {
		if (strcmp(word, "OR") == 0)
			return true;
		/* The editor reads no further flags after NONE. */
		if (i == 3 || (i && !*ret_flags)) {
			refuse(r, word, "and further words are ignored (use OR)");
			return false;
		}
		*ret_turned |= take_flag(r, word, ret_flags) && i == 0;
	}
	return false;
}

/* "N [FLAG]... [OR N [FLAG]...]..." */
static void take_list(struct reading *r, const char *after, struct listed *l)
{
	bool more = true;

	while (more) {
		bool turned = false;
		uint8_t flags = 0;
		int32_t index;

		if (!numbers(r, &index, 1)) {
			FAULT(r, "%s without a tile (-1 to 255)", after);
			return;
		}
		if (index < -1 || index > UINT8_MAX)
			FAULT(r, "tile %d (-1, outside, to 255)", index);
		more = take_turns(r, &turned, &flags);
		list(l, index, turned, flags);
		after = "OR";
	}
}

/* Parse the value of Pos. Returns false after reporting a fault if there is none. */
static bool take_value(struct reading *r, struct listed *l, bool *ret_not)
{
	static const char *const values[] = {"EMPTY", "FULL", "INDEX", "NOTINDEX"};
	const char *word = next(r);
	unsigned i = 0;

	if (!word) {
		FAULT(r, "Pos without a value (EMPTY, FULL, INDEX or NOTINDEX)");
		return false;
	}
	while (i < 4 && strcmp(word, values[i]) != 0)
		i++;
	if (i == 4) {
		FAULT(r, "\"%.40s\" is not a value (EMPTY, FULL, INDEX or NOTINDEX)", word);
		return false;
	}
	*ret_not = i & 1;
	if (i >= 2) {
		take_list(r, values[i], l);
	} else {
		list(l, 0, false, 0);
		expect_end(r);
	}
	return true;
}

static void take_own(struct reading *r, const struct listed *l, bool negated)
{
	for (size_t i = 0; i < TW_OUTSIDE; i++)
		r->rule->own[i] &= l->may[i];
	r->skip_full |= l->zero && !negated;
	r->skip_empty |= negated ? l->zero : l->others;
}

/* "Pos X Y VALUE" */
static int take_pos(struct reading *r)
{
	struct tw_rule *rule = r->rule;
	struct listed l = {0};
	int32_t at[2];
	bool negated;

	if (!numbers(r, at, 2)) {
		FAULT(r, "Pos without a position (Pos X Y)");
		return 0;
	}
	if (!take_value(r, &l, &negated))
		return 0;
	for (size_t i = 0; negated && i <= TW_OUTSIDE; i++)
		l.may[i] = (uint8_t)~l.may[i];
	if (!at[0] && !at[1]) {
		take_own(r, &l, negated);
		return 0;
	}
	if (!array_reserve(rule->places, rule->n_places, rule->room_places))
		return -ENOMEM;
	rule->places[rule->n_places] = (struct tw_rule_place){.dx = at[0], .dy = at[1]};
	memcpy(rule->places[rule->n_places++].accepted, l.may, sizeof(l.may));
	return 0;
}

/* "Random P" is a chance of one in P, "Random P%" a percentage. */
static int take_random(struct reading *r)
{
	const char *word = next(r);
	char *end;
	float value;

	if (!word || !is_of(word, "+-.0123456789eE%") ||
		(value = strtof(word, &end), end == word || end[*end == '%'])) {
		FAULT(r, "Random without a probability (such as 5, one in five, or 20%%)");
		return 0;
	}
	if (value <= 0)
		FAULT(r, "Random is %.*s (must be above 0)", (int)(end - word), word);
	r->rule->probability = *end ? value / 100 : 1 / value;
	return LINE_ENDS;
}

/* "Modulo MX MY OX OY" */
static int take_modulo(struct reading *r)
{
	struct tw_rule *rule = r->rule;
	int32_t at[4];

	if (!numbers(r, at, 4)) {
		FAULT(r, "Modulo without four numbers (Modulo MX MY OX OY)");
		return 0;
	}
	if (!array_reserve(rule->moduli, rule->n_moduli, rule->room_moduli))
		return -ENOMEM;
	rule->moduli[rule->n_moduli++] =
		(struct tw_rule_modulo){at[0] ? at[0] : 1, at[1] ? at[1] : 1, at[2], at[3]};
	return LINE_ENDS;
}

static const struct taking {
	const char *word;
	/* Parse the rest of the line. Returns LINE_ENDS, 0 to ignore further words, or -ENOMEM. */
	int (*take)(struct reading *r);
	bool in_rule;
} words[] = {
	{"NewRun", add_run, false},
	{"Index", take_index, false},
	{"Pos", take_pos, true},
	{"Random", take_random, true},
	{"Modulo", take_modulo, true},
	{"NoDefaultRule", take_no_default, true},
	{"NoLayerCopy", take_live, false},
	{0},
};

int rules_read_line(struct reading *r)
{
	const struct taking *t = words;
	int code;

	r->comment = false;
	if (!*r->at || *r->at == '#' || strchr(blanks, *r->at))
		return 0;
	if (*r->at == '[') {
		r->at++;
		return take_config(r);
	}
	while (t->word && strncmp(r->at, t->word, strlen(t->word)) != 0)
		t++;
	if (!t->word) {
		FAULT(r,
			"unknown word \"%.40s\" ([Name], NewRun, NoLayerCopy, Index, Pos, "
			"Random, Modulo or NoDefaultRule)",
			next(r));
		return 0;
	}
	if (t->in_rule ? !r->rule : !r->config) {
		FAULT(r, "%s before the first %s", t->word, t->in_rule ? "Index" : "[Name]");
		return 0;
	}
	r->at += strlen(t->word);
	code = t->take(r);
	if (code > 0)
		expect_end(r);
	return code;
}
