/* SPDX-License-Identifier: Zlib */
/* Parts of a map that a game warns of or does not use. */
#include <inttypes.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/preview.h"
#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/paths.h"

enum { TEXT_MAX = 1 << 20, OBJECTS_MAX = 64, SOUND_MIN = 4, TILES = 16 };
enum { ENVELOPE_MIN = TW_ENV_NAME + 1 /* the game's editor reads the first integer of a name */ };
enum { CLIPPED_GROUP = 12, NAMED_GROUP = 15, NAMED_LIST = 10 };

static void warn(struct tw_faults *f, struct tw_place place, const char *field, const char *value,
	const char *bound)
{
	tw_fault_add(f, TW_F_WARNED, place, field, value, bound, NULL);
}

static void warn_number(struct tw_faults *f, struct tw_place place, const char *field,
	int64_t value, const char *bound)
{
	warn(f, place, field, tw_digits(value).text, bound);
}

/* Check a text that an item refers to: it must be UTF-8, with one NUL, at its end. Settings are a
 * list of texts, and only need to end in NUL. */
static void check_text(
	struct tw_faults *f, struct tw_place place, const struct tw_item *it, uint32_t field)
{
	bool list = place.at == TW_AT_INFO && field == TW_INFO_SETTINGS;
	struct blob *b = tw_get_blob(f->m, it, field);
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int32_t index = tw_get_int(it, field, -1);
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
		tw_fault_add(f, list ? TW_F_SETTINGS_END : TW_F_WARNED, place, "text", "",
			"UTF-8 that ends in its only NUL", "the text of data item %d %s", index,
			wrong);
}

static bool is_short(struct tw_faults *f, uint32_t handle, uint32_t least)
{
	return tw_fault_short(f, TW_F_WARNED, handle, least);
}

/* Warn of a version that a game or its editor does not know. lost: the consequence. */
static void check_version(struct tw_faults *f, uint32_t handle, int32_t version, int32_t least,
	int32_t most, const char *lost)
{
	if (version < least || version > most)
		tw_fault_add(f, TW_F_WARNED, tw_in_item(handle), "version", tw_digits(version).text,
			tw_text("%d to %d", least, most).text, "version is %d (%d to %d): %s",
			version, least, most, lost);
}

static void check_info(struct tw_faults *f)
{
	const struct tw_item *it = tw_item_at(f->m, TW_INFO, 0);
	uint32_t handle = it ? (uint32_t)(it - f->m->items) : 0;

	if (it && !is_short(f, handle, TW_INFO_SETTINGS))
		check_version(f, handle, it->ints->v[TW_INFO_VERSION], 1, 1,
			"the game's editor drops the settings");
	for (uint32_t i = 0; it && i < TW_INFO_FILES; i++)
		if (TW_INFO_AUTHOR + i < it->ints->n)
			check_text(f, tw_in_info(i), it, TW_INFO_AUTHOR + i);
}

static void check_count(struct tw_faults *f, const char *what, unsigned type)
{
	if (tw_count(f->m, type) > OBJECTS_MAX)
		warn_number(f, tw_in_map(), what, tw_count(f->m, type), "at most 64 are used");
}

/* Has a game the image? Looks in game_images.c, and in the directories given as options. */
static bool is_in_game(const struct tw_map *m, const struct tw_name *name)
{
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	char text[NAME_MAX + 1] = "";

	if (tw_game_image(name->text, name->size))
		return true;
	if (!m->shared->load_image || name->size > NAME_MAX)
		return false;
	memcpy(text, name->text, name->size);
	return strlen(text) == name->size && m->shared->load_image(m->shared->image_arg,
						     PREVIEW_ANY_GAME, text, &file, NULL) == 0;
}

static void check_external(struct tw_faults *f, struct tw_place place, const struct tw_item *it)
{
	struct tw_name name = {0};
	char shown[NAME_MAX + 1];

	if (tw_name_read(f->m, TW_SORT_IMAGE, it, &name) < 0) {
		f->out_of_memory = true;
		return;
	}
	name_escape(name.text, name.size, shown, NAME_MAX);
	if (!is_in_game(f->m, &name))
		tw_fault_add(f, TW_F_WARNED, place, "name", shown,
			"the name of an image of the game",
			"is external, but the game has no image %s", shown);
	free(name.text);
}

static void check_image(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	const struct tw_place place = tw_in_item(handle);
	int32_t w = tw_get_int(it, TW_IMG_WIDTH, 0), h = tw_get_int(it, TW_IMG_HEIGHT, 0);
	const struct tw_text size = tw_text("%d x %d", w, h);
	bool has_variant = tw_get_int(it, TW_IMG_VERSION, 0) > 1;
	const struct blob *b;

	if (is_short(f, handle, has_variant ? TW_IMG_VARIANT + 1 : TW_IMG_DATA + 1))
		return;
	check_text(f, place, it, TW_IMG_NAME);
	if (has_variant && it->ints->v[TW_IMG_VARIANT] != 1) {
		warn_number(f, place, "variant", it->ints->v[TW_IMG_VARIANT], "1");
		return;
	}
	if (it->ints->v[TW_IMG_EXTERNAL]) {
		check_external(f, place, it);
		return;
	}
	b = tw_get_blob(f->m, it, TW_IMG_DATA);
	if (w < 1 || h < 1)
		tw_fault_add(f, TW_F_IMAGE_SIZE, place, "size", size.text, "at least 1 x 1", NULL);
	else if (!b)
		warn_number(f, place, "data", it->ints->v[TW_IMG_DATA], "a data item");
	else if (b->size / 4 < (uint64_t)w * (uint64_t)h)
		tw_fault_add(f, TW_F_IMAGE_SIZE, place, "size", size.text,
			"at most the number of pixels",
			"size is %s (the pixels have %" PRIu64 " bytes)", size.text, b->size);
}

static void check_sound(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	const struct tw_place place = tw_in_item(handle);
	uint8_t head[TW_OPUS_HEAD] = {0};
	struct error e = ERROR_INIT;
	struct blob *b;
	size_t got;

	if (is_short(f, handle, SOUND_MIN))
		return;
	check_text(f, place, it, TW_SND_NAME);
	if (it->ints->v[TW_SND_EXTERNAL]) {
		warn_number(f, place, "external", it->ints->v[TW_SND_EXTERNAL], "0");
		return;
	}
	b = tw_get_blob(f->m, it, TW_SND_DATA);
	if (!b)
		warn_number(f, place, "data", it->ints->v[TW_SND_DATA], "a data item");
	else if (blob_prefix(b, head, sizeof(head), &got, NULL) == 0 && tw_opus_check(head, &e) < 0)
		tw_fault_add(
			f, TW_F_WARNED, place, "data", "", "an Opus file", "%s", error_text(&e));
}

/* If points of an envelope are missing, the game uses the others. */
static void check_envelope(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	bool synchronized = tw_get_int(it, 0, 0) > 1;
	int64_t start, count;
	struct tw_points p;
	int32_t channels;

	if (is_short(f, handle, synchronized ? TW_ENV_SYNCHRONIZED + 1 : ENVELOPE_MIN))
		return;
	channels = it->ints->v[TW_ENV_CHANNELS];
	if (channels != 1 && channels != 3 && channels != 4)
		warn_number(f, tw_in_item(handle), "channels", channels, "1, 3 or 4");
	tw_points_get_all(f->m, &p);
	start = it->ints->v[TW_ENV_START];
	count = it->ints->v[TW_ENV_COUNT];
	if (start < 0 || count < 0 || start + count > p.n)
		tw_fault_add(f, TW_F_WARNED, tw_in_item(handle), "points",
			tw_text("%" PRId64 ", count %" PRId64, start, count).text,
			tw_text("%u points", p.n).text,
			"points is %" PRId64 ", count %" PRId64 " (the map has %u points)", start,
			count, p.n);
}

static void check_points(struct tw_faults *f)
{
	const struct tw_item *bezier = tw_uuid_item(f->m, TW_BEZIER, 0);
	struct tw_points p;

	tw_points_get_all(f->m, &p);
	if (p.item && p.item->ints->n % p.stride)
		tw_fault_add(f, TW_F_WARNED, tw_in_map(), "points", tw_digits(p.item->ints->n).text,
			tw_text("a multiple of %u", p.stride).text,
			"the points of all envelopes have %u integers (a multiple of %u)",
			p.item->ints->n, p.stride);
	if (bezier && !p.bezier)
		tw_fault_add(f, TW_F_WARNED, tw_in_map(), "tangents",
			tw_digits(bezier->ints->n).text,
			tw_text("%u", p.n * TW_POINT_TANGENTS).text,
			"the tangents of all points have %u integers (%u): the game does not use "
			"them",
			bezier->ints->n, p.n * TW_POINT_TANGENTS);
}

static void check_group(struct tw_faults *f, uint32_t handle)
{
	int32_t version = tw_get_int(&f->m->items[handle], 0, 0);

	if (f->m->items[handle].ints->n <= TW_GROUP_COUNT) /* an error */
		return;
	check_version(f, handle, version, 1, 3, "the game's editor drops the group");
	(void)is_short(f, handle, version > 2 ? NAMED_GROUP : version > 1 ? CLIPPED_GROUP : 0);
}

/* Check the image or sound of a layer. */
static void check_source(struct tw_faults *f, uint32_t handle, uint32_t field)
{
	const struct tw_item *it = &f->m->items[handle], *image;
	bool sound = it->ints->v[TW_LAYER_TYPE] >= TW_LAYER_OLD_SOUNDS;
	uint32_t n = tw_count(f->m, sound ? TW_SOUND : TW_IMAGE);
	int32_t index = tw_get_int(it, field, -1), w, h;

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
		tw_fault_add(f, TW_F_WARNED, tw_in_item(handle), "image",
			tw_text("%d x %d", w, h).text, "multiples of 16",
			"its image has %d x %d pixels (multiples of 16)", w, h);
}

/* Check quads or sources. The game skips old sounds, but its editor reads all of `count`. */
static void check_list(struct tw_faults *f, uint32_t handle)
{
	const struct tw_item *it = &f->m->items[handle];
	bool quads = it->ints->v[TW_LAYER_TYPE] == TW_LAYER_QUADS;
	int32_t version = tw_get_int(it, TW_LAYER_VERSION, 0);
	struct error e = ERROR_INIT;

	if (!quads)
		check_version(f, handle, version, 1, 2, "the game skips the layer");
	if (is_short(f, handle, !quads || version > 1 ? NAMED_LIST : TW_LIST_MIN))
		return;
	check_source(f, handle, TW_LIST_SOURCE);
	if (tw_layer_check(f->m, it, &e) < 0)
		tw_fault_add(f, TW_F_WARNED, tw_in_item(handle), "count",
			tw_digits(it->ints->v[TW_LIST_COUNT]).text,
			tw_text("0 to %" PRIu64, tw_list_room(f->m, it)).text, "%s: %s",
			error_text(&e),
			quads ? "the game draws no quad of the layer"
			      : "the game plays no other sources");
}

static void warn_unused(struct tw_faults *f, uint32_t handle, int32_t kind, uint32_t used)
{
	char path[TW_PATH_MAX];

	tw_path_layer(f->m, used, path);
	tw_fault_add(f, TW_F_WARNED, tw_in_item(handle), "kind", tw_digits(kind).text, "once",
		"kind is %d like that of %s: a game uses only the last such layer", kind, path);
}

static void check_layer(struct tw_faults *f, uint32_t handle, uint32_t last[64])
{
	const struct tw_item *it = &f->m->items[handle];
	int32_t kind = tw_is_tiles(it) ? it->ints->v[TW_TILES_KIND] & 63 : 0;
	int32_t type = it->ints->v[TW_LAYER_TYPE];

	if (type != TW_LAYER_TILES && type != TW_LAYER_QUADS && type != TW_LAYER_SOUNDS)
		warn_number(f, tw_in_item(handle), "type", type, "2, 3 or 10");
	if (type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS)
		check_list(f, handle);
	else if (tw_is_tiles(it) && !kind)
		check_source(f, handle, TW_TILES_IMAGE);
	else if (kind && last[kind] != handle)
		warn_unused(f, handle, kind, last[kind]);
}

static void check_layers(struct tw_faults *f, const struct tw_grouped *g)
{
	const struct tw_type *layers = tw_type(f->m, TW_LAYER);
	uint32_t last[64] = {0}; /* by kind: handle of the last such layer */

	for (uint32_t i = 0; layers && i < layers->n; i++) {
		const struct tw_item *it = &f->m->items[layers->items[i]];

		if (g->home[i] && tw_is_tiles(it))
			last[it->ints->v[TW_TILES_KIND] & 63] = layers->items[i];
	}
	for (uint32_t i = 0; layers && i < layers->n; i++) {
		if (g->home[i] && f->m->items[layers->items[i]].ints->n >= TW_LAYER_MIN)
			check_layer(f, layers->items[i], last);
		else if (!g->home[i])
			tw_fault_add(f, TW_F_WARNED, tw_in_item(layers->items[i]), "group", "", "1",
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
	check_points(f);
	check_each(f, TW_GROUP, check_group);
	check_layers(f, g);
}
