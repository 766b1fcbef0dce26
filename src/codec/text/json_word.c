/* SPDX-License-Identifier: Zlib */
/* Words for integers. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/json.h"

const struct json_word json_flags[] = {{"false", 0}, {"true", 1}, {NULL, 0}};

enum { LIST_MAX = 200 };

static const char *find_word(const struct json_word *words, int32_t v)
{
	while (words->word && words->value != v)
		words++;
	return words->word;
}

void jsonw_word(struct jsonw *w, const struct json_word *words, int32_t v)
{
	const char *word = words ? find_word(words, v) : NULL;

	if (!word)
		jsonw_int(w, v);
	else if (words == json_flags)
		jsonw_bool(w, v);
	else
		jsonw_string(w, word, strlen(word));
}

const char *json_word_text(const struct json_word *words, int32_t v, char ret[JSON_WORD_MAX])
{
	const char *word = words ? find_word(words, v) : NULL,
		   *quote = words == json_flags ? "" : "\"";

	if (word)
		snprintf(ret, JSON_WORD_MAX, "%s%s%s", quote, word, quote);
	else
		snprintf(ret, JSON_WORD_MAX, "%d", v);
	return ret;
}

int json_refuse_word(const struct json_at *at, const struct json_word *words, struct error *e)
{
	const char *quote = words == json_flags ? "" : "\"";
	char list[LIST_MAX];
	size_t n = 0;

	for (const struct json_word *w = words; w->word && n < sizeof(list); w++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s%s%s",
			w == words  ? ""
			: w[1].word ? ", "
				    : " or ",
			quote, w->word, quote);
	return json_refuse(at, e, "must be %s", list);
}

int json_as_word(
	const struct json_at *at, const struct json_word *words, int32_t *ret, struct error *e)
{
	bool flag = words == json_flags && json_is_boolean(at->value);
	const char *word = json_string_value(at->value); /* NULL if it is no string */

	if (!words || json_is_integer(at->value))
		return json_as_int(at, ret, e);
	if (flag)
		*ret = json_is_true(at->value);
	if (flag)
		return 0;
	for (const struct json_word *w = words; word && words != json_flags && w->word; w++)
		if (strcmp(w->word, word) == 0) {
			*ret = w->value;
			return 0;
		}
	return json_refuse_word(at, words, e);
}

int json_get_word(const struct json_at *at, const char *key, const struct json_word *words,
	int32_t *ret, bool *ret_present, struct error *e)
{
	struct json_at entry;
	bool present = json_get(at, key, &entry);
	int r = present ? json_as_word(&entry, words, ret, e) : 0;

	if (r == 0 && ret_present)
		*ret_present = present;
	return r;
}
