/* SPDX-License-Identifier: Zlib */
#include "codec/text/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "the expression is too large";

/* The sizes count expanded repetitions, as regcomp makes them. */
struct scan {
	const char *at; /* the rest of the pattern */
	bool extended;
	uint64_t groups[PATTERN_DEPTH_MAX + 1]; /* by depth: size of the open group so far */
	unsigned depth;
	uint64_t atom; /* size of the operand of a repetition; included in its group */
};

/* Is the next token one of these operators? Then skip its backslash in a basic expression. */
static bool read_operator(struct scan *s, const char *operators)
{
	bool has_backslash = s->at[0] == '\\';
	char op = s->extended ? s->at[0] : has_backslash ? s->at[1] : '\0';

	if (!op || !strchr(operators, op))
		return false;
	s->at += s->extended ? 0 : 1;
	return true;
}

/* Skip a bracket expression, after its opening bracket. */
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

/* Read a count such as "3,5}" or "3,}". Returns its largest number plus 1. regcomp refuses
 * malformed counts. */
static uint64_t read_count(struct scan *s)
{
	uint64_t largest = 0, n;

	do {
		s->at += *s->at == ',';
		for (n = 0; isdigit((uint8_t)*s->at); s->at++)
			if (n <= PATTERN_SIZE_MAX)
				n = 10 * n + (uint64_t)(*s->at - '0');
		largest = n > largest ? n : largest;
	} while (*s->at == ',');
	if (read_operator(s, "}"))
		s->at++;
	return largest + 1;
}

static void multiply_size(struct scan *s, uint64_t times)
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

/* Scan the next token. Returns the reason to refuse the pattern, or NULL. */
static const char *read_item(struct scan *s)
{
	if (read_operator(s, "(")) {
		if (s->depth == PATTERN_DEPTH_MAX)
			return "too many nested parentheses";
		s->groups[++s->depth] = 0;
		s->at++;
	} else if (read_operator(s, ")")) {
		close_group(s);
		s->at++;
	} else if (read_operator(s, "{")) {
		s->at++;
		multiply_size(s, read_count(s));
	} else if (read_operator(s, "+")) {
		multiply_size(s, 2);
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
		refusal = read_item(&s);
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
