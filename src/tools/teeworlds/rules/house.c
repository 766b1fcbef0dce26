/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/rules/house.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "codec/text/json.h"
#include "codec/text/pattern.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/rules/look.h"
#include "tools/teeworlds/rules/settings.h"

enum { PATTERN_MAX = 255 /* bytes; limited because a warning shows the whole pattern */ };

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "out of memory");
}

static int take_elements(
	const struct json_at *list, json_element_fn take, void *arg, struct error *e)
{
	size_t n;
	int r = json_expect_array(list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct json_at element = json_element(list, i);

		r = take(arg, &element, e);
	}
	return r;
}

/* Add a physics layer, by its name, to the layers that count. */
static int take_layer(void *arg, const struct json_at *at, struct error *e)
{
	struct tw_house_tiles *t = arg;
	const char *name;
	unsigned k = 0;
	int r = json_as_string(at, &name, NULL, e);

	if (r < 0)
		return r;
	while (k < TW_N_PLAYED && strcmp(name, tw_played_names[k]) != 0)
		k++;
	if (k == TW_N_PLAYED)
		return json_refuse(at, e, "must be game, front, tele, speedup, switch or tune");
	t->layers |= (uint8_t)(1 << k);
	return 0;
}

/* Read a count. *ret is unchanged if the value is null or missing. */
static int read_count(
	const struct json_at *tiles, const char *key, int64_t least, uint32_t *ret, struct error *e)
{
	struct json_at at;
	int64_t v = *ret;
	int r = 0;

	if (json_get(tiles, key, &at) && !json_holds_null(&at))
		r = json_as_int_within(&at, least, INT32_MAX, &v, e);
	*ret = (uint32_t)v;
	return r;
}

static int take_tiles(void *arg, const struct json_at *at, struct error *e)
{
	static const char *const known[] = {"id", "layers", "min", "max", NULL};
	struct tw_house_tiles t = {.max = UINT32_MAX};
	struct tw_house *h = arg;
	struct json_at id, layers;
	int64_t v = 0;
	int r = json_expect_object(at, known, e);

	if (r == 0)
		r = json_need(at, "id", &id, e);
	if (r == 0)
		r = json_as_int_within(&id, 1, 255, &v, e);
	if (r == 0)
		r = json_need(at, "layers", &layers, e);
	if (r == 0)
		r = take_elements(&layers, take_layer, &t, e);
	if (r == 0 && !t.layers)
		r = json_refuse(&layers, e, "must have at least one layer");
	if (r == 0)
		r = read_count(at, "min", 0, &t.min, e);
	if (r == 0)
		r = read_count(at, "max", t.min, &t.max, e);
	if (r == 0 && !array_reserve(h->tiles, h->n_tiles, h->room_tiles))
		r = no_memory(e);
	if (r < 0)
		return r;
	t.id = (uint8_t)v;
	h->tiles[h->n_tiles++] = t;
	return 0;
}

static int read_pattern(const struct json_at *at, struct tw_house_info *ret, struct error *e)
{
	struct error reason = ERROR_INIT;
	const char *text;
	int r = json_as_string(at, &text, NULL, e);

	if (r < 0)
		return r;
	if (strlen(text) > PATTERN_MAX)
		return json_refuse(at, e, "at most %d bytes", PATTERN_MAX);
	r = pattern_compile(text, REG_EXTENDED | REG_NOSUB, &ret->regex, &reason);
	if (r == 0)
		ret->pattern = text;
	if (r == -EINVAL)
		return json_refuse(at, e, "not a regular expression: %s", error_text(&reason));
	return r < 0 ? no_memory(e) : 0;
}

static int read_info(const struct json_at *root, struct tw_house *h, struct error *e)
{
	static const char *const known[] = {"author", "version", "credits", "license", NULL};
	struct json_at at, text;
	int r;

	if (!json_get(root, "info", &at))
		return 0;
	r = json_expect_object(&at, known, e);
	for (unsigned i = 0; r == 0 && known[i]; i++)
		if (json_get(&at, known[i], &text))
			r = read_pattern(&text, &h->info[i], e);
	return r;
}

static int take_word(void *arg, const struct json_at *at, struct error *e)
{
	struct tw_house *h = arg;

	if (!array_reserve(h->allow, h->n_allow, h->room_allow))
		return no_memory(e);
	return json_as_string(at, &h->allow[h->n_allow++], NULL, e);
}

static int read_settings(const struct json_at *root, struct tw_house *h, struct error *e)
{
	static const char *const known[] = {"allow", NULL};
	struct json_at at, allow;
	int r;

	if (!json_get(root, "settings", &at))
		return 0;
	r = json_expect_object(&at, known, e);
	h->has_allow = r == 0 && json_get(&at, "allow", &allow);
	return h->has_allow ? take_elements(&allow, take_word, h, e) : r;
}

int tw_house_read(const struct extent *in, struct tw_house **ret, struct error *e)
{
	static const char *const known[] = {"tiles", "info", "settings", "size", NULL};
	CLEANUP(tw_house_free) struct tw_house *h = calloc(1, sizeof(*h));
	struct json_at root, at;
	int r = h ? json_doc_load(in, JSON_TEXT_MAX, &h->doc, e) : no_memory(e);

	if (r < 0)
		return r;
	root = json_root(&h->doc);
	r = json_expect_object(&root, known, e);
	if (r == 0 && json_get(&root, "tiles", &at))
		r = take_elements(&at, take_tiles, h, e);
	if (r == 0)
		r = read_info(&root, h, e);
	if (r == 0)
		r = read_settings(&root, h, e);
	if (r == 0 && json_get(&root, "size", &at))
		r = json_as_int_within(&at, 1, INT64_MAX, &h->size, e);
	if (r == 0)
		*ret = TAKE(h);
	return r;
}

void tw_house_free(struct tw_house *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < TW_HOUSE_INFO; i++)
		if (h->info[i].pattern)
			regfree(&h->info[i].regex);
	free(h->allow);
	free(h->tiles);
	json_doc_finish(&h->doc);
	free(h);
}

bool tw_house_allows(const struct tw_house *h, const char *word)
{
	for (size_t i = 0; i < h->n_allow; i++)
		if (strcasecmp(h->allow[i], word) == 0)
			return true;
	return false;
}

static void check_size(const struct tw_look *look, const struct tw_house *h)
{
	struct stat st;

	if (h->size && look->m->file && fstat(look->m->file->fd, &st) == 0 && st.st_size > h->size)
		tw_warn(look, tw_in_map(), "size", tw_digits(st.st_size).text,
			tw_text("at most %" PRId64 " bytes", h->size).text,
			"the file has %" PRId64 " bytes (at most %" PRId64 " bytes)",
			(int64_t)st.st_size, h->size);
}

static void check_tiles(const struct tw_look *look, const struct tw_house_tiles *t)
{
	char layers[64] = "";
	struct tw_text bound;
	uint64_t n = 0;

	for (unsigned k = 0; k < TW_N_PLAYED; k++) {
		if (!(t->layers >> k & 1))
			continue;
		n += look->physics->layers[k].ids[t->id].n;
		snprintf(layers + strlen(layers), sizeof(layers) - strlen(layers), "%s%s",
			layers[0] ? ", " : "", tw_played_names[k]);
	}
	if (n >= t->min && n <= t->max)
		return;
	bound = tw_text(
		"at %s %" PRIu32, n < t->min ? "least" : "most", n < t->min ? t->min : t->max);
	tw_warn(look, tw_in_map(), "tiles", tw_digits((int64_t)n).text, bound.text,
		"tile %u occurs %" PRIu64 " times in %s (%s)", t->id, n, layers, bound.text);
}

static void check_info(const struct tw_look *look, const struct tw_house_info *info, uint32_t field)
{
	const struct tw_item *it = tw_item_at(look->m, TW_INFO, 0);
	struct blob *b = it ? tw_get_blob(look->m, it, TW_INFO_AUTHOR + field) : NULL;
	char text[256] = "";
	size_t n = 0;

	if (b && blob_prefix(b, text, sizeof(text) - 1, &n, NULL) < 0)
		return;
	text[n] = '\0';
	if (regexec(&info->regex, text, 0, NULL, 0) != 0)
		tw_warn(look, tw_in_info(field), tw_info_names[field], text, info->pattern,
			"is \"%s\" (must match %s)", text, info->pattern);
}

struct allowing {
	const struct tw_look *look;
	const struct tw_house *h;
};

static void check_setting(void *arg, const struct tw_command *c)
{
	const struct tw_place settings = tw_in_info(TW_INFO_SETTINGS - TW_INFO_AUTHOR);
	const struct allowing *a = arg;

	if (!tw_house_allows(a->h, c->words[0]))
		tw_warn(a->look, settings, "line", c->words[0], "an allowed setting",
			"line %u: %s is not an allowed setting", c->line, c->words[0]);
}

void tw_rule_house(const struct tw_look *look, const struct tw_house *h)
{
	struct allowing all = {look, h};

	check_size(look, h);
	for (size_t i = 0; !look->physics->unread && i < h->n_tiles; i++)
		check_tiles(look, &h->tiles[i]);
	for (unsigned i = 0; i < TW_HOUSE_INFO; i++)
		if (h->info[i].pattern)
			check_info(look, &h->info[i], i);
	if (h->has_allow)
		(void)tw_settings_each(look->m, check_setting, NULL, &all, NULL);
}
