/* SPDX-License-Identifier: Zlib */
/* read: the lines of a rules file, one after the other, as the editor takes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "formats/teeworlds/automap/reading.h"

enum { NUMBER_MAX = 40, SHOWN_MAX = 40 };
#define SHOWN(word) (int)((word).n < SHOWN_MAX ? (word).n : SHOWN_MAX), (word).at

#define FAULT(r, ...) rules_fault(r, (r)->line, __VA_ARGS__)

struct word {
	const char *at;
	size_t n;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* false: the line ends. */
static bool next(struct reading *r, struct word *ret)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	ret->at = r->at;
	while (r->at < r->end && !is_blank(*r->at))
		r->at++;
	ret->n = (size_t)(r->at - ret->at);
	r->comment |= ret->n && *ret->at == '#';
	return ret->n;
}

static bool is(struct word w, const char *text)
{
	return strlen(text) == w.n && memcmp(w.at, text, w.n) == 0;
}

/* Some end a line with a comment, which the editor knows at its begin alone. */
static void expect_end(struct reading *r)
{
	struct word w;

	if (next(r, &w) && !r->comment)
		FAULT(r, "\"%.*s\" is passed over: the line should end before it", SHOWN(w));
}

/* As a string; false: too long for any number, or none of these letters. */
static bool copy_number(struct word w, const char *letters, char ret[NUMBER_MAX])
{
	if (w.n >= NUMBER_MAX)
		return false;
	memcpy(ret, w.at, w.n);
	ret[w.n] = '\0';
	return strspn(ret, letters) == w.n && w.n;
}

static bool as_number(struct word w, int32_t *ret)
{
	char text[NUMBER_MAX], *end;
	long value;

	if (!copy_number(w, "+-0123456789", text))
		return false;
	errno = 0;
	value = strtol(text, &end, 10);
	*ret = (int32_t)value;
	return !errno && !*end && value == *ret;
}

static bool numbers(struct reading *r, int32_t *ret, size_t n)
{
	struct word w;

	for (size_t i = 0; i < n; i++)
		if (!next(r, &w) || !as_number(w, &ret[i]))
			return false;
	return true;
}

/* 0: it is none. */
static uint8_t flag_of(struct word w)
{
	return is(w, "XFLIP") ? 1 : is(w, "YFLIP") ? 2 : is(w, "ROTATE") ? 8 : 0;
}

static void refuse_flag(struct reading *r, struct word w)
{
	if (!r->comment)
		FAULT(r, "\"%.*s\" is no flag (XFLIP, YFLIP, ROTATE or NONE)", SHOWN(w));
}

static int add_run(struct reading *r)
{
	struct tw_rules_config *c = r->config;

	if (!array_room(c->runs, c->n, c->room))
		return -ENOMEM;
	r->run = &c->runs[c->n++];
	*r->run = (struct tw_rules_run){0};
	return 0;
}

/* "[Name]" */
static int take_config(struct reading *r)
{
	struct tw_rules *rules = r->rules;
	size_t n = (size_t)(r->end - r->at);

	if (!n || r->at[n - 1] != ']')
		FAULT(r, "\"[%.*s\" does not end in \"]\"", SHOWN(((struct word){r->at, n})));
	if (!array_room(rules->configs, rules->n, rules->room))
		return -ENOMEM;
	r->config = &rules->configs[rules->n++];
	*r->config =
		(struct tw_rules_config){.name = text_copy(r->at, n ? n - 1 : 0), .line = r->line};
	return r->config->name ? add_run(r) : -ENOMEM;
}

static int take_run(struct reading *r)
{
	expect_end(r);
	return add_run(r);
}

static int take_live(struct reading *r)
{
	expect_end(r);
	r->run->live = true;
	return 0;
}

static int take_no_default(struct reading *r)
{
	expect_end(r);
	r->no_default = true;
	return 0;
}

/* "Index N [FLAG]..." */
static int take_index(struct reading *r)
{
	struct tw_rules_run *run = r->run;
	int32_t index = 0;
	struct word w;

	rules_finish_rule(r);
	if (!array_room(run->rules, run->n, run->room))
		return -ENOMEM;
	r->rule = &run->rules[run->n++];
	*r->rule = (struct tw_rule){.probability = 1};
	memset(r->rule->own, 0xff, sizeof(r->rule->own));
	r->rule_line = r->line;
	if (!numbers(r, &index, 1)) {
		FAULT(r, "Index without a tile (0 to 255)");
		memset(r->rule->own, 0, sizeof(r->rule->own));
		return 0;
	}
	if (index < 0 || index > UINT8_MAX)
		FAULT(r, "tile %d (0 to 255)", index);
	r->rule->index = (uint8_t)index;
	for (int i = 0; i < 3 && next(r, &w); i++) {
		if (!flag_of(w) && !is(w, "NONE"))
			refuse_flag(r, w);
		r->rule->flags |= flag_of(w);
	}
	expect_end(r);
	return 0;
}

struct listed {
	uint8_t may[TW_OUTSIDE + 1];
	bool zero, others; /* a tile 0 is listed, a tile above it */
};

static void list(struct listed *l, int32_t index, bool turned, uint8_t flags)
{
	size_t at = index == -1 ? TW_OUTSIDE : (size_t)index;

	l->zero |= index == 0;
	l->others |= index > 0;
	if (index >= -1 && index <= UINT8_MAX)
		l->may[at] |= (uint8_t)(turned ? 1U << tw_turn(flags) : 0xffU);
}

/* The words behind a tile of a list; false: the list ends, or with "OR" it goes on. */
static bool take_turns(struct reading *r, bool *ret_turned, uint8_t *ret_flags)
{
	struct word w;

	for (int i = 0; next(r, &w); i++) {
		if (is(w, "OR"))
			return true;
		/* One that is not turned has no further flags, for the editor. */
		if (i == 3 || (i && !*ret_flags)) {
			if (!r->comment)
				FAULT(r, "\"%.*s\" and what follows is passed over (OR)", SHOWN(w));
			return false;
		}
		if (!flag_of(w) && !is(w, "NONE"))
			refuse_flag(r, w);
		else if (i == 0)
			*ret_turned = true;
		*ret_flags |= flag_of(w);
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

/* false: that is no value. */
static bool take_value(struct reading *r, struct listed *l, bool *ret_not)
{
	struct word w;

	if (!next(r, &w)) {
		FAULT(r, "Pos without a value (EMPTY, FULL, INDEX or NOTINDEX)");
		return false;
	}
	*ret_not = is(w, "FULL") || is(w, "NOTINDEX");
	if (is(w, "EMPTY") || is(w, "FULL")) {
		list(l, 0, false, 0);
		expect_end(r);
	} else if (is(w, "INDEX") || is(w, "NOTINDEX")) {
		take_list(r, *ret_not ? "NOTINDEX" : "INDEX", l);
	} else {
		FAULT(r, "\"%.*s\" is no value (EMPTY, FULL, INDEX or NOTINDEX)", SHOWN(w));
		return false;
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
		FAULT(r, "Pos without a place (Pos X Y)");
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
	if (!array_room(rule->places, rule->n_places, rule->room_places))
		return -ENOMEM;
	rule->places[rule->n_places] = (struct tw_rule_place){.dx = at[0], .dy = at[1]};
	memcpy(rule->places[rule->n_places++].may, l.may, sizeof(l.may));
	return 0;
}

/* "Random P" is one in P, "Random P%" what it says. */
static int take_random(struct reading *r)
{
	char text[NUMBER_MAX], *end;
	bool percent;
	struct word w;
	float value;

	if (!next(r, &w))
		w = (struct word){"", 0};
	percent = w.n && w.at[w.n - 1] == '%';
	w.n -= percent;
	if (!copy_number(w, "+-.0123456789eE", text) || (value = strtof(text, &end), *end)) {
		FAULT(r, "Random without a chance (5, one in five, or 20%%)");
		return 0;
	}
	if (value <= 0)
		FAULT(r, "Random %s: no chance (above 0)", text);
	r->rule->probability = percent ? value / 100 : 1 / value;
	expect_end(r);
	return 0;
}

/* "Modulo MX MY OX OY" */
static int take_modulo(struct reading *r)
{
	struct tw_rule *rule = r->rule;
	int32_t at[4];

	if (!numbers(r, at, 4)) {
		FAULT(r, "Modulo without its four numbers (Modulo MX MY OX OY)");
		return 0;
	}
	if (!array_room(rule->moduli, rule->n_moduli, rule->room_moduli))
		return -ENOMEM;
	rule->moduli[rule->n_moduli++] =
		(struct tw_rule_modulo){at[0] ? at[0] : 1, at[1] ? at[1] : 1, at[2], at[3]};
	expect_end(r);
	return 0;
}

static const struct {
	const char *word;
	int (*take)(struct reading *r);
	bool in_rule;
} words[] = {
	{"NewRun", take_run, false},
	{"Index", take_index, false},
	{"Pos", take_pos, true},
	{"Random", take_random, true},
	{"Modulo", take_modulo, true},
	{"NoDefaultRule", take_no_default, true},
	{"NoLayerCopy", take_live, false},
};

int rules_read_line(struct reading *r)
{
	const char *line = r->at;
	size_t i = 0, n = 0;
	struct word first;

	r->comment = false;
	if (line == r->end || *line == '#' || is_blank(*line))
		return 0;
	if (*line == '[') {
		r->at++;
		return take_config(r);
	}
	(void)next(r, &first);
	for (; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i].word);
		if (first.n >= n && memcmp(line, words[i].word, n) == 0)
			break;
	}
	if (i == sizeof(words) / sizeof(words[0])) {
		FAULT(r,
			"\"%.*s\" is no word of rules ([Name], NewRun, NoLayerCopy, Index, Pos, "
			"Random, Modulo or NoDefaultRule)",
			SHOWN(first));
		return 0;
	}
	if (words[i].in_rule ? !r->rule : !r->config) {
		FAULT(r, "%s before the first %s", words[i].word,
			words[i].in_rule ? "Index" : "[Name]");
		return 0;
	}
	r->at = line + n;
	return words[i].take(r);
}
