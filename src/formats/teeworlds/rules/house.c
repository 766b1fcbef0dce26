/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/rules/house.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "codec/text/json.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/rules/physics.h"

enum { PATTERN_MAX = 255 };

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "no memory for rules");
}

/* A list of the names of layers that are played. */
static int read_layers(const struct json_at *tiles, uint8_t *ret, struct error *e)
{
	struct json_at at, each;
	size_t n;
	int r = json_need(tiles, "layers", &at, e);

	if (r == 0)
		r = json_expect_array(&at, &n, e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *name;
		unsigned k = 0;

		each = json_element(&at, i);
		r = json_as_string(&each, &name, NULL, e);
		if (r < 0)
			return r;
		while (k < TW_N_PLAYED && strcmp(name, tw_played_names[k]) != 0)
			k++;
		if (k == TW_N_PLAYED)
			return json_refuse(
				&each, e, "must be game, front, tele, speedup, switch or tune");
		*ret |= (uint8_t)(1 << k);
	}
	return r == 0 && !*ret ? json_refuse(&at, e, "at least one layer") : r;
}

/* A count, which null or nothing leaves as it is. */
static int read_count(
	const struct json_at *tiles, const char *key, int64_t least, uint32_t *ret, struct error *e)
{
	struct json_at at;
	int64_t v;
	int r;

	if (!json_get(tiles, key, &at) || json_holds_null(&at))
		return 0;
	r = json_as_int_within(&at, least, INT32_MAX, &v, e);
	if (r == 0)
		*ret = (uint32_t)v;
	return r;
}

static int read_tiles(const struct json_at *at, struct tw_house_tiles *ret, struct error *e)
{
	static const char *const known[] = {"id", "layers", "min", "max", NULL};
	struct json_at id;
	int64_t v;
	int r = json_expect_object(at, known, e);

	ret->max = UINT32_MAX;
	if (r == 0)
		r = json_need(at, "id", &id, e);
	if (r == 0)
		r = json_as_int_within(&id, 0, 255, &v, e);
	if (r < 0)
		return r;
	ret->id = (uint8_t)v;
	r = read_layers(at, &ret->layers, e);
	if (r == 0)
		r = read_count(at, "min", 0, &ret->min, e);
	return r < 0 ? r : read_count(at, "max", ret->min, &ret->max, e);
}

static int read_all_tiles(const struct json_at *root, struct tw_house *h, struct error *e)
{
	struct json_at at, each;
	size_t n;
	int r;

	if (!json_get(root, "tiles", &at))
		return 0;
	r = json_expect_array(&at, &n, e);
	if (r < 0)
		return r;
	h->tiles = calloc(n + 1, sizeof(*h->tiles));
	if (!h->tiles)
		return no_memory(e);
	for (; r == 0 && h->n_tiles < n; h->n_tiles++) {
		each = json_element(&at, h->n_tiles);
		r = read_tiles(&each, &h->tiles[h->n_tiles], e);
	}
	return r;
}

static int read_pattern(const struct json_at *at, struct tw_house_info *ret, struct error *e)
{
	const char *text;
	char why[100];
	int r = json_as_string(at, &text, NULL, e), wrong;

	if (r < 0)
		return r;
	/* What takes the C library no end of memory or stack. */
	if (strlen(text) > PATTERN_MAX || strchr(text, '{'))
		return json_refuse(at, e, "at most %d bytes, without {", PATTERN_MAX);
	ret->pattern = strdup(text);
	if (!ret->pattern)
		return no_memory(e);
	wrong = regcomp(&ret->regex, text, REG_EXTENDED | REG_NOSUB);
	if (!wrong)
		return 0;
	regerror(wrong, &ret->regex, why, sizeof(why));
	free(ret->pattern); /* there is no regex to be freed */
	ret->pattern = NULL;
	return wrong == REG_ESPACE ? no_memory(e)
				   : json_refuse(at, e, "a regular expression: %s", why);
}

static int read_info(const struct json_at *root, struct tw_house *h, struct error *e)
{
	static const char *const known[] = {"author", "version", "credits", "license", NULL};
	struct json_at at, each;
	int r;

	if (!json_get(root, "info", &at))
		return 0;
	r = json_expect_object(&at, known, e);
	for (unsigned i = 0; r == 0 && known[i]; i++)
		if (json_get(&at, known[i], &each))
			r = read_pattern(&each, &h->info[i], e);
	return r;
}

static int read_settings(const struct json_at *root, struct tw_house *h, struct error *e)
{
	static const char *const known[] = {"allow", NULL};
	struct json_at at, allow, each;
	const char *word;
	size_t n;
	int r;

	if (!json_get(root, "settings", &at))
		return 0;
	r = json_expect_object(&at, known, e);
	if (r < 0 || !json_get(&at, "allow", &allow))
		return r;
	r = json_expect_array(&allow, &n, e);
	if (r < 0)
		return r;
	h->allow = calloc(n + 1, sizeof(*h->allow));
	if (!h->allow)
		return no_memory(e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		each = json_element(&allow, i);
		r = json_as_string(&each, &word, NULL, e);
		if (r == 0 && !(h->allow[i] = strdup(word)))
			r = no_memory(e);
	}
	return r;
}

int tw_house_read(const struct extent *in, struct tw_house **ret, struct error *e)
{
	static const char *const known[] = {"tiles", "info", "settings", "size", NULL};
	CLEANUP(tw_house_free) struct tw_house *h = calloc(1, sizeof(*h));
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root, size;
	int64_t most = 0;
	int r = h ? json_doc_load(in, JSON_TEXT_MAX, &doc, e) : no_memory(e);

	if (r < 0)
		return r;
	root = json_root(&doc);
	r = json_expect_object(&root, known, e);
	if (r == 0)
		r = read_all_tiles(&root, h, e);
	if (r == 0)
		r = read_info(&root, h, e);
	if (r == 0)
		r = read_settings(&root, h, e);
	if (r == 0 && json_get(&root, "size", &size))
		r = json_as_int_within(&size, 1, INT64_MAX, &most, e);
	if (r < 0)
		return r;
	h->size = (uint64_t)most;
	*ret = TAKE(h);
	return 0;
}

void tw_house_free(struct tw_house *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < TW_HOUSE_INFO; i++) {
		if (h->info[i].pattern)
			regfree(&h->info[i].regex);
		free(h->info[i].pattern);
	}
	for (char **word = h->allow; word && *word; word++)
		free(*word);
	free(h->allow);
	free(h->tiles);
	free(h);
}

bool tw_house_allows(const struct tw_house *h, const char *word)
{
	for (char **allowed = h->allow; allowed && *allowed; allowed++)
		if (strcasecmp(*allowed, word) == 0)
			return true;
	return false;
}

bool tw_houses_allow(const struct tw_house *const *houses, const char *word)
{
	for (; *houses; houses++)
		if (tw_house_allows(*houses, word))
			return true;
	return false;
}
