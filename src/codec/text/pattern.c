/* SPDX-License-Identifier: Zlib */
#include "codec/text/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "the expression is too large";

/* Sizes are those of the pattern with its repetitions written out, which is what regcomp makes. */
struct scan {
	const char *at; /* what is left of the pattern */
	bool extended;
	uint64_t groups[PATTERN_DEPTH_MAX + 1]; /* by depth: size so far of what is open there */
	unsigned depth;
	uint64_t atom; /* size of what a repetition would repeat; it is part of its group's size */
};

/* Take an operator, which a backslash precedes in a basic expression. */
static bool take_operator(struct scan *s, const char *operators)
{
	bool has_backslash = s->at[0] == '\\';
	char op = s->extended ? s->at[0] : has_backslash ? s->at[1] : '\0';

	if (!op || !strchr(operators, op))
		return false;
	s->at += s->extended ? 0 : 1;
	return true;
}

/* Behind the bracket that ends a bracket expression; s->at is behind the one that begins it. */
static void skip_brackets(struct scan *s)
{
	const char *at = s->at;

	at += *at == '^';
	at += *at == ']';
	for (; *at && *at != ']'; at++) {
		if (*at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=')) {
			const char end[] = {at[1], ']', '\0'};
			const char *found = strstr(at + 2, end);

			at = found ? found + 1 : at + strlen(at) - 1;
		}
	}
	s->at = *at ? at + 1 : at;
}

/* The largest number of a count, "3,5}", and 1 for "3,}"; what is no count is for regcomp to
 * refuse.
 */
static uint64_t take_count(struct scan *s)
{
	uint64_t largest = 0, n;

	do {
		s->at += *s->at == ',';
		for (n = 0; isdigit((uint8_t)*s->at); s->at++)
			if (n <= PATTERN_SIZE_MAX)
				n = 10 * n + (uint64_t)(*s->at - '0');
		largest = n > largest ? n : largest;
	} while (*s->at == ',');
	if (take_operator(s, "}"))
		s->at++;
	return largest + 1;
}

static void multiply(struct scan *s, uint64_t times)
{
	s->groups[s->depth] += s->atom * (times - 1);
	s->atom *= times;
}

static void add_atom(struct scan *s, uint64_t size)
{
	s->atom = size;
	s->groups[s->depth] += size;
}

static bool is_too_large(const struct scan *s)
{
	return s->groups[s->depth] > PATTERN_SIZE_MAX;
}

static void close_group(struct scan *s)
{
	uint64_t size = s->groups[s->depth] + 1;

	if (s->depth)
		s->depth--;
	add_atom(s, size);
}

/* Returns why the pattern is refused, or NULL. */
static const char *take_one(struct scan *s)
{
	if (take_operator(s, "(")) {
		if (s->depth == PATTERN_DEPTH_MAX)
			return "too many parentheses in each other";
		s->groups[++s->depth] = 0;
		s->at++;
	} else if (take_operator(s, ")")) {
		close_group(s);
		s->at++;
	} else if (take_operator(s, "{")) {
		s->at++;
		multiply(s, take_count(s));
	} else if (take_operator(s, "+")) {
		multiply(s, 2);
		s->at++;
	} else if (*s->at == '[') {
		s->at++;
		skip_brackets(s);
		add_atom(s, 1);
	} else {
		if (*s->at == '\\' && s->at[1] >= '1' && s->at[1] <= '9')
			return "back references are not supported";
		s->at += *s->at == '\\' && s->at[1] ? 2 : 1;
		add_atom(s, 1);
	}
	return is_too_large(s) ? too_large : NULL;
}

int pattern_compile(const char *text, int flags, regex_t *ret, struct error *e)
{
	struct scan s = {.at = text, .extended = flags & REG_EXTENDED};
	const char *refusal = NULL;
	char reason[256];
	int r;

	while (!refusal && *s.at)
		refusal = take_one(&s);
	if (refusal)
		return error_set(e, -EINVAL, "%s", refusal);
	r = regcomp(ret, text, flags);
	if (r == 0)
		return 0;
	regerror(r, NULL, reason, sizeof(reason));
	return error_set(e, r == REG_ESPACE ? -ENOMEM : -EINVAL, "%s", reason);
}

bool pattern_matches(const regex_t *p, const char *text, size_t n)
{
	regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)n};

	return regexec(p, text, 1, &match, REG_STARTEND) == 0;
}
