/* SPDX-License-Identifier: Zlib */
/* What one house asks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/rules/look.h"
#include "formats/teeworlds/rules/settings.h"

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
		"tile %u is there %" PRIu64 " times in %s (%s)", t->id, n, layers, bound.text);
}

static void check_info(const struct tw_look *look, const struct tw_house_info *info, uint32_t field)
{
	const struct tw_item *it = tw_item_at(look->m, TW_INFO, 0);
	struct blob *b = it ? tw_blob_of(look->m, it, TW_INFO_AUTHOR + field) : NULL;
	char text[256] = "";
	size_t n = 0;

	if (b && blob_prefix(b, text, sizeof(text) - 1, &n, NULL) < 0)
		return;
	text[n] = '\0';
	if (regexec(&info->regex, text, 0, NULL, 0) != 0)
		tw_warn(look, ((struct tw_place){TW_AT_INFO, field}), tw_info_names[field], text,
			info->pattern, "is \"%s\" (must match %s)", text, info->pattern);
}

struct allowing {
	const struct tw_look *look;
	const struct tw_house *h;
};

static void check_setting(void *arg, const struct tw_command *c)
{
	static const struct tw_place settings = {TW_AT_INFO, TW_INFO_SETTINGS - TW_INFO_AUTHOR};
	const struct allowing *a = arg;

	if (!tw_house_allows(a->h, c->words[0]))
		tw_warn(a->look, settings, "line", c->words[0], "a setting that is allowed",
			"line %u: %s is not among the settings that are allowed", c->line,
			c->words[0]);
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
	if (h->limits)
		(void)tw_settings_each(look->m, check_setting, NULL, &all, NULL);
}
