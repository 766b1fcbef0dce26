/* SPDX-License-Identifier: Zlib */
/* What a map should say of itself, and parts of it that nothing uses. */
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/rules/look.h"

enum { AUTHOR = 0, LICENSE = 3, ELEMENTS = 64 /* at a time */ };

void tw_rule_info(const struct tw_look *look)
{
	static const uint8_t needed[] = {AUTHOR, LICENSE};
	const struct tw_item *it = tw_item_at(look->m, TW_INFO, 0);

	for (size_t i = 0; i < sizeof(needed); i++) {
		struct blob *b = it ? tw_blob_of(look->m, it, TW_INFO_AUTHOR + needed[i]) : NULL;
		const char *what = tw_info_names[needed[i]];
		char first = '\0';
		size_t n;

		if (b && blob_prefix(b, &first, 1, &n, NULL) < 0)
			continue;
		if (!first)
			tw_warn(look, ((struct tw_place){TW_AT_INFO, needed[i]}), what, "",
				"a text", "there is no %s", what);
	}
}

/* Which images, sounds and envelopes are used, by position. */
struct uses {
	const struct tw_map *m;
	bool *used[TW_SOUND + 1]; /* by type of item; NULL for others */
};

static void use(struct uses *u, unsigned type, int32_t position)
{
	if (position >= 0 && (uint32_t)position < tw_count(u->m, type))
		u->used[type][position] = true;
}

/* Quads and sources name envelopes. */
static int use_elements(struct uses *u, const struct tw_item *it, enum tw_form form)
{
	const struct tw_list_shape *shape = tw_list_shape(form);
	struct blob *b = tw_blob_of(u->m, it, TW_LIST_DATA);
	uint64_t n = (uint64_t)it->ints->v[TW_LIST_COUNT], size = 4 * shape->ints;
	int32_t v[ELEMENTS * TW_ELEMENT_MAX];

	for (uint64_t at = 0; at < n; at += ELEMENTS) {
		uint64_t k = n - at < ELEMENTS ? n - at : ELEMENTS;
		int r = blob_read(b, at * size, v, (size_t)(k * size), NULL);

		if (r < 0)
			return r;
		for (uint64_t i = 0; i < k * shape->n_refs; i++)
			use(u, TW_ENVELOPE,
				(int32_t)le32toh((uint32_t)v[i / shape->n_refs * shape->ints +
							     shape->refs[i % shape->n_refs]]));
	}
	return 0;
}

static int use_layer(struct uses *u, const struct tw_item *it)
{
	enum tw_form form = tw_list_form(u->m, it);
	int32_t type = tw_int(it, TW_LAYER_TYPE, -1);

	if (tw_is_tiles(it)) {
		use(u, TW_IMAGE, it->ints->v[TW_TILES_IMAGE]);
		use(u, TW_ENVELOPE, it->ints->v[TW_TILES_ENVELOPE]);
	} else if (type == TW_LAYER_QUADS) {
		use(u, TW_IMAGE, tw_int(it, TW_LIST_SOURCE, -1));
	} else {
		use(u, TW_SOUND, tw_int(it, TW_LIST_SOURCE, -1));
	}
	return form == TW_FORM_NONE ? 0 : use_elements(u, it, form);
}

void tw_rule_unused(const struct tw_look *look)
{
	static const uint8_t types[] = {TW_IMAGE, TW_SOUND, TW_ENVELOPE};
	CLEANUP(free) bool *images = calloc(tw_count(look->m, TW_IMAGE) + 1, 1);
	CLEANUP(free) bool *sounds = calloc(tw_count(look->m, TW_SOUND) + 1, 1);
	CLEANUP(free) bool *envelopes = calloc(tw_count(look->m, TW_ENVELOPE) + 1, 1);
	struct uses u = {
		look->m, {[TW_IMAGE] = images, [TW_SOUND] = sounds, [TW_ENVELOPE] = envelopes}};

	look->f->failed |= !images || !sounds || !envelopes;
	if (look->f->failed)
		return;
	for (uint32_t i = 0; i < tw_count(look->m, TW_LAYER); i++)
		if (use_layer(&u, tw_item_at(look->m, TW_LAYER, i)) < 0)
			return; /* nobody knows what that one names */
	for (size_t k = 0; k < sizeof(types); k++)
		for (uint32_t i = 0; i < tw_count(look->m, types[k]); i++)
			if (!u.used[types[k]][i])
				tw_warn(look,
					((struct tw_place){TW_AT_OBJECT,
						tw_type(look->m, types[k])->items[i]}),
					"uses", "0", "at least 1", "nothing uses it");
}
