/* SPDX-License-Identifier: Zlib */
/* What a game takes, and warns of or does not use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/paths.h"

enum { TEXT_MAX = 1 << 20, OBJECTS_MAX = 64, IMAGE_MIN = 6, SOUND_MIN = 4, TILES = 16 };

static void warn(struct tw_faults *f, struct tw_place place, const char *field, const char *value,
	const char *bound)
{
	tw_fault(f, TW_F_WARNED, place, field, value, bound, NULL);
}

static void warn_number(struct tw_faults *f, struct tw_place place, const char *field,
	int64_t value, const char *bound)
{
	warn(f, place, field, tw_digits(value).text, bound);
}

/* A text of an item: it ends in NUL and has no other, but where it is a list of texts. */
static void check_text(
	struct tw_faults *f, struct tw_place place, const struct tw_item *it, uint32_t field)
{
	bool list = place.at == TW_AT_INFO && field == TW_INFO_SETTINGS;
	struct blob *b = tw_blob_of(f->m, it, field);
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int32_t index = tw_int(it, field, -1);
	const char *wrong = NULL;

	if (!b && index != -1)
		warn_number(f, place, "data index", index,
			tw_text("-1 to %zd", (ssize_t)f->m->n_blobs - 1).text);
	if (!b || !b->size || b->size > TEXT_MAX || blob_load(b, &text, NULL) < 0)
		return;
	if (text->data[text->size - 1])
		wrong = "does not end in NUL";
	else if (!list && memchr(text->data, '\0', text->size - 1))
		wrong = "has a NUL before its end";
	else if (!list && !utf8_valid(text->data, text->size - 1))
		wrong = "is not UTF-8";
	if (wrong)
		tw_fault(f, TW_F_WARNED, place, "text", "", "UTF-8 that ends in its only NUL",
			"the text of data item %d %s", index, wrong);
}

static void check_info(struct tw_faults *f)
{
	const struct tw_item *it = tw_item_at(f->m, TW_INFO, 0);

	for (uint32_t i = 0; it && i < TW_INFO_FILES; i++)
		if (TW_INFO_AUTHOR + i < it->ints->n)
			check_text(f, (struct tw_place){TW_AT_INFO, i}, it, TW_INFO_AUTHOR + i);
}

static void check_count(struct tw_faults *f, const char *what, unsigned type)
{
	if (tw_count(f->m, type) > OBJECTS_MAX)
		warn_number(f, tw_in_map(), what, tw_count(f->m, type), "at most 64 are used");
}

static void check_external(struct tw_faults *f, struct tw_place place, const struct tw_item *it)
{
	struct tw_name name = {0};
	char shown[NAME_MAX + 1];

	if (tw_name_read(f->m, TW_SORT_IMAGE, it, &name) < 0) {
		f->failed = true;
		return;
	}
	name_escape(name.text, name.size, shown, NAME_MAX);
	if (!tw_game_image(name.text, name.size))
		tw_fault(f, TW_F_WARNED, place, "name", shown, "one that the game comes with",
			"is external, and the game comes with no image %s", shown);
	free(name.text);
}

static void check_image(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	const struct tw_place place = tw_in_item(handle);
	int32_t w = tw_int(it, TW_IMG_WIDTH, 0), h = tw_int(it, TW_IMG_HEIGHT, 0);
	const struct tw_text size = tw_text("%d x %d", w, h);
	const struct blob *b;

	if (it->ints->n < IMAGE_MIN) {
		warn_number(f, place, "integers", it->ints->n, "at least 6");
		return;
	}
	check_text(f, place, it, TW_IMG_NAME);
	if (it->ints->v[TW_IMG_VERSION] > 1 && tw_int(it, TW_IMG_VARIANT, 1) != 1) {
		warn_number(f, place, "variant", it->ints->v[TW_IMG_VARIANT], "1");
		return;
	}
	if (it->ints->v[TW_IMG_EXTERNAL]) {
		check_external(f, place, it);
		return;
	}
	b = tw_blob_of(f->m, it, TW_IMG_DATA);
	if (w < 1 || h < 1)
		warn(f, place, "size", size.text, "at least 1 x 1");
	else if (!b)
		warn_number(f, place, "data", it->ints->v[TW_IMG_DATA], "a data item");
	else if (b->size / 4 < (uint64_t)w * (uint64_t)h)
		tw_fault(f, TW_F_WARNED, place, "size", size.text, "the pixels that there are",
			"size is %s (there are %" PRIu64 " bytes of pixels)", size.text, b->size);
}

static void check_sound(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	const struct tw_place place = tw_in_item(handle);
	char begin[4] = "";
	struct blob *b;
	size_t got;

	if (it->ints->n < SOUND_MIN) {
		warn_number(f, place, "integers", it->ints->n, "at least 4");
		return;
	}
	check_text(f, place, it, TW_SND_NAME);
	if (it->ints->v[TW_SND_EXTERNAL]) {
		warn_number(f, place, "external", it->ints->v[TW_SND_EXTERNAL], "0");
		return;
	}
	b = tw_blob_of(f->m, it, TW_SND_DATA);
	if (!b)
		warn_number(f, place, "data", it->ints->v[TW_SND_DATA], "a data item");
	else if (blob_prefix(b, begin, sizeof(begin), &got, NULL) == 0 &&
		 memcmp(begin, "OggS", sizeof(begin)) != 0)
		warn(f, place, "data", "", "an Opus file");
}

static void check_envelope(struct tw_faults *f, uint32_t handle)
{
	int32_t channels = tw_int(&f->m->items[handle], TW_ENV_CHANNELS, 4);

	if (channels != 1 && channels != 3 && channels != 4)
		warn_number(f, tw_in_item(handle), "channels", channels, "1, 3 or 4");
}

/* The image of a layer, or the sound. */
static void check_source(struct tw_faults *f, uint32_t handle, uint32_t field)
{
	const struct tw_item *it = &f->m->items[handle], *image;
	bool sound = it->ints->v[TW_LAYER_TYPE] == TW_LAYER_SOUNDS;
	uint32_t n = tw_count(f->m, sound ? TW_SOUND : TW_IMAGE);
	int32_t index = tw_int(it, field, -1), w, h;

	if (index < -1 || index >= (int64_t)n) {
		warn_number(f, tw_in_item(handle), sound ? "sound" : "image", index,
			tw_text("-1 to %" PRId64, (int64_t)n - 1).text);
		return;
	}
	image = field == TW_TILES_IMAGE ? tw_item_at(f->m, TW_IMAGE, index) : NULL;
	if (!image || !tw_image_is_png(f->m, image))
		return;
	w = image->ints->v[TW_IMG_WIDTH];
	h = image->ints->v[TW_IMG_HEIGHT];
	if (w % TILES || h % TILES)
		tw_fault(f, TW_F_WARNED, tw_in_item(handle), "image", tw_text("%d x %d", w, h).text,
			"multiples of 16", "its image has %d x %d pixels (multiples of 16)", w, h);
}

static void check_layer(struct tw_faults *f, uint32_t handle, uint32_t last[64])
{
	const struct tw_item *it = &f->m->items[handle];
	int32_t type = tw_int(it, TW_LAYER_TYPE, -1), kind;

	switch (type) {
	case TW_LAYER_TILES:
		kind = tw_is_tiles(it) ? it->ints->v[TW_TILES_KIND] & 63 : 0;
		if (tw_is_tiles(it) && !kind)
			check_source(f, handle, TW_TILES_IMAGE);
		if (kind && last[kind] != handle)
			tw_fault(f, TW_F_WARNED, tw_in_item(handle), "kind", tw_digits(kind).text,
				"once", "kind is %d, and so is a later layer's, which counts",
				kind);
		return;
	case TW_LAYER_QUADS:
	case TW_LAYER_SOUNDS:
		check_source(f, handle, TW_LIST_SOURCE);
		return;
	default:
		warn_number(f, tw_in_item(handle), "type", type, "2, 3 or 10");
	}
}

static void check_layers(struct tw_faults *f, const struct tw_grouped *g)
{
	const struct tw_type *layers = tw_type(f->m, TW_LAYER);
	uint32_t last[64] = {0}; /* layers by their kind, as handles */

	for (uint32_t i = 0; layers && i < layers->n; i++) {
		const struct tw_item *it = &f->m->items[layers->items[i]];

		if (g->home[i] && tw_is_tiles(it))
			last[it->ints->v[TW_TILES_KIND] & 63] = layers->items[i];
	}
	for (uint32_t i = 0; layers && i < layers->n; i++) {
		if (g->home[i])
			check_layer(f, layers->items[i], last);
		else
			tw_fault(f, TW_F_WARNED, tw_in_item(layers->items[i]), "group", "", "1",
				"is in no group");
	}
}

static void check_each(
	struct tw_faults *f, unsigned type, void (*check)(struct tw_faults *f, uint32_t handle))
{
	const struct tw_type *t = tw_type(f->m, type);

	for (uint32_t i = 0; t && i < t->n; i++)
		check(f, t->items[i]);
}

void tw_check_parts(struct tw_faults *f, const struct tw_grouped *g)
{
	if (!tw_is_typed(f->m))
		return;
	check_info(f);
	check_count(f, "images", TW_IMAGE);
	check_each(f, TW_IMAGE, check_image);
	check_count(f, "sounds", TW_SOUND);
	check_each(f, TW_SOUND, check_sound);
	check_each(f, TW_ENVELOPE, check_envelope);
	check_layers(f, g);
}
