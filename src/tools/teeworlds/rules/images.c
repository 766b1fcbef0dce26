/* SPDX-License-Identifier: Zlib */
/* Images that are duplicates, that the game has as well, or that are too large. */
#include <inttypes.h>

#include "base/array.h"
#include "codec/zlib/checksum.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/rules/look.h"

enum { SIDE_MAX = 2048 };

/* Equal w, h and sum mean equal images. w and h are 0 for an external image. */
struct seen_image {
	uint32_t w, h, sum, handle;
};

/* Sum up an image. Returns false if it is unreadable, or has neither pixels nor a name. */
static bool see(const struct tw_look *look, const struct tw_item *it, const struct tw_name *name,
	struct seen_image *ret)
{
	*ret = (struct seen_image){.handle = (uint32_t)(it - look->m->items)};
	if (!tw_image_is_png(look->m, it)) {
		ret->sum = checksum_crc32(CRC32_START, name->text, name->size);
		return name->size > 0;
	}
	ret->w = (uint32_t)it->ints->v[TW_IMG_WIDTH];
	ret->h = (uint32_t)it->ints->v[TW_IMG_HEIGHT];
	return tw_image_checksum(look->m, it, &ret->sum) == 0;
}

static void check_image(
	const struct tw_look *look, const struct seen_image *s, const struct tw_name *name)
{
	const struct tw_place place = tw_in_item(s->handle);
	const struct tw_text sides = tw_text("%" PRIu32 " x %" PRIu32, s->w, s->h);

	if (s->w > SIDE_MAX || s->h > SIDE_MAX)
		tw_warn(look, place, "size", sides.text, "at most 2048 x 2048",
			"has %s pixels (at most 2048 x 2048)", sides.text);
	if (s->w && tw_is_game_image(name->text, name->size, s->w, s->h, s->sum))
		tw_warn(look, place, "external", "false", "true",
			"is embedded, but the game has the same image");
}

static int order(const void *pa, const void *pb)
{
	const struct seen_image *a = pa, *b = pb;

	return array_compare(a->w, b->w) ?: array_compare(a->h, b->h) ?: array_compare(a->sum, b->sum)
		?: array_compare(a->handle, b->handle);
}

static void check_twice(const struct tw_look *look, const struct seen_image *s, size_t n)
{
	char first[TW_PATH_MAX];

	for (size_t i = 0, from = 0; i < n; i++) {
		if (s[i].w != s[from].w || s[i].h != s[from].h || s[i].sum != s[from].sum)
			from = i;
		if (i == from)
			continue;
		tw_path_object(look->m, s[from].handle, first);
		tw_warn(look, tw_in_item(s[i].handle), "content", first, "once", "equals %s",
			first);
	}
}

void tw_rule_images(const struct tw_look *look)
{
	uint32_t all = tw_count(look->m, TW_IMAGE);
	CLEANUP(free) struct seen_image *images = calloc((size_t)all + 1, sizeof(*images));
	size_t n = 0;

	for (uint32_t i = 0; images && i < all; i++) {
		const struct tw_item *it = tw_item_at(look->m, TW_IMAGE, i);
		struct tw_name name = {0};

		if (tw_name_read(look->m, TW_SORT_IMAGE, it, &name) < 0)
			look->faults->out_of_memory = true;
		else if (see(look, it, &name, &images[n]))
			check_image(look, &images[n++], &name);
		free(name.text);
	}
	look->faults->out_of_memory |= !images;
	if (!images)
		return;
	qsort(images, n, sizeof(*images), order);
	check_twice(look, images, n);
}
