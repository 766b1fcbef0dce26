/* SPDX-License-Identifier: Zlib */
/* tree: the directories of images and of sounds. */
#include "formats/teeworlds/lens/media/media.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/mounted.h"

bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it)
{
	int32_t w = tw_int(it, TW_IMG_WIDTH, 0), h = tw_int(it, TW_IMG_HEIGHT, 0);
	const struct blob *b = tw_blob_of(m, it, TW_IMG_DATA);
	uint64_t pixels, file_size;

	if (tw_int(it, TW_IMG_EXTERNAL, -1) != 0 || w < 1 || h < 1 || !b)
		return false;
	if (it->ints->v[TW_IMG_VERSION] >= 2 && tw_int(it, TW_IMG_VARIANT, -1) != 1)
		return false;
	pixels = (uint64_t)w * (uint64_t)h;
	return pixels <= b->size / 4 && png_file_size((uint32_t)w, (uint32_t)h, &file_size) == 0;
}

bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it)
{
	return tw_int(it, TW_SND_EXTERNAL, -1) == 0 && tw_blob_of(m, it, TW_SND_DATA);
}

struct media {
	enum tw_named named;
	enum tw_kind_id file, json;
	const char *ending;
};

static const struct media *media_of(entry_id dir)
{
	static const struct media images = {TW_N_IMAGES, TW_K_IMAGE_PNG, TW_K_IMAGE_JSON, ".png"};
	static const struct media sounds = {TW_N_SOUNDS, TW_K_SOUND_OPUS, TW_K_SOUND_JSON, ".opus"};

	return tw_id_kind(dir) == TW_K_IMAGES ? &images : &sounds;
}

static int media_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	(void)m, (void)id, (void)e;
	tw_stat_dir(ret, true);
	return 0;
}

static int media_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct media *media = media_of(dir);
	const char *dot = strrchr(name, '.');
	uint32_t i;
	bool json;

	if (!dot || tw_stem_find(m, media->named, name, (size_t)(dot - name), &i) < 0)
		return -ENOENT;
	json = tw_names(m, media->named)->v[i].json;
	if (strcmp(dot, json ? ".json" : media->ending) != 0)
		return -ENOENT;
	*ret = tw_id(json ? media->json : media->file, i, 0);
	return 0;
}

static int media_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	const struct media *media = media_of(dir);
	const struct tw_name_list *list = tw_names(m, media->named);
	uint32_t i = (uint32_t)*cookie;
	bool json;

	if (*cookie >= list->n)
		return 0;
	json = list->v[i].json;
	strcpy(name + tw_stem(m, media->named, i, name), json ? ".json" : media->ending);
	*ret = tw_id(json ? media->json : media->file, i, 0);
	(*cookie)++;
	return 1;
}

const struct tw_kind tw_kind_images = {
	.label = "images/",
	.stat = media_stat,
	.find = media_find,
	.child = media_child,
};

const struct tw_kind tw_kind_sounds = {
	.label = "sounds/",
	.stat = media_stat,
	.find = media_find,
	.child = media_child,
};
