/* SPDX-License-Identifier: Zlib */
/*
 * The files of info, images, sounds and raw: which content they show, accept and refuse, and
 * derived changes.
 */
#include "support/tw_test.h"

#include "codec/image/png.h"
#include "formats/teeworlds/names/mounted.h"

enum { IMAGE_DATA = 5, TILES_DATA = 14, OPAQUE = 4 };

static struct blob *data_of(const struct snapshot *s, unsigned type, int position, uint32_t field)
{
	return tw_get_blob(tw_map_of(s), tw_item_at(tw_map_of(s), type, position), field);
}

static struct bytes *decode_blob(struct blob *b)
{
	struct error err = ERROR_INIT;
	struct bytes *whole = NULL;

	assert_ok(blob_load(b, &whole, &err));
	return whole;
}

/* Pixels made by the test: alpha is 255 except in the given cells. */
struct painting {
	uint32_t side; /* pixels per side of the image */
	uint8_t alpha;
	int clear[4]; /* ids whose cell has one pixel of this alpha; -1 ends the list */
};

static int make_painting(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct painting *p = arg;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = off + i, pixel = at / 4;
		uint32_t cell = p->side / 16, x = (uint32_t)(pixel % p->side),
			 y = (uint32_t)(pixel / p->side);
		uint8_t v = at % 4 == 3 ? 255 : (uint8_t)(at * 31);

		for (int k = 0; k < 4 && p->clear[k] >= 0; k++)
			if (at % 4 == 3 && x == cell * (uint32_t)(p->clear[k] % 16) &&
				y == cell * (uint32_t)(p->clear[k] / 16))
				v = p->alpha;
		((uint8_t *)dst)[i] = v;
	}
	return 0;
}

static int put_painting(struct snapshot **s, const char *path, struct painting p, struct error *e)
{
	uint64_t size = 0;
	uint8_t *file;
	int r;

	assert_int_equal(png_file_size(p.side, p.side, &size), 0);
	file = malloc((size_t)size);
	assert_int_equal(
		png_file_read(p.side, p.side, make_painting, &p, NULL, 0, file, (size_t)size, e),
		0);
	r = entry_put(s, id_of(*s, path), file, (size_t)size, e);
	free(file);
	return r;
}

/* Flags of a stored tile of the layer. */
static uint8_t flags_at(const struct snapshot *s, int layer, size_t tile)
{
	CLEANUP(bytes_unref) struct bytes *b = decode_blob(data_of(s, TW_LAYER, layer, TILES_DATA));

	return b->data[4 * tile + 1];
}

/*
 * Layer 1 of full.map has every id once with flags 5 (opaque and a mirror bit), stale for cells
 * that are not opaque; its image is fully opaque.
 */
static void opaque_bits_follow_only_changes_of_opacity(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	assert_int_equal(put_painting(&f.s, "images/0_grass.png",
				 (struct painting){16, 249, {7, 200, 0, -1}}, &err),
		1);
	assert_int_equal(flags_at(f.s, 1, 7), 1);
	assert_int_equal(flags_at(f.s, 1, 200), 1);
	for (size_t i = 0; i < 256; i++)
		if (i != 7 && i != 200)
			assert_int_equal(flags_at(f.s, 1, i), 5);
	/*
	 * Change back: the bit returns for those two. Id 0 never had it correctly, and keeps its
	 * bit.
	 */
	assert_int_equal(put_painting(&f.s, "images/0_grass.png",
				 (struct painting){16, 250, {7, 200, 0, -1}}, &err),
		1);
	for (size_t i = 0; i < 256; i++)
		assert_int_equal(flags_at(f.s, 1, i), 5);
	fixture_close(&f);
}

static void opaque_bits_follow_a_larger_image(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	assert_int_equal(
		put_painting(&f.s, "images/0_grass.png", (struct painting){64, 0, {9, -1}}, &err),
		1);
	assert_int_equal(flags_at(f.s, 1, 9), 1);
	assert_int_equal(flags_at(f.s, 1, 8), 5);
	assert_int_equal(tw_item_at(fixture_map(&f), TW_IMAGE, 0)->ints->v[1], 64);
	assert_int_equal(tw_item_at(fixture_map(&f), TW_IMAGE, 0)->ints->v[2], 64);
	fixture_close(&f);
}

static void transparent_layers_and_layers_of_other_images_stay(void **state)
{
	struct error err = ERROR_INIT;
	struct blob *clear, *other;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	clear = data_of(f.s, TW_LAYER, 2, TILES_DATA);
	other = data_of(f.s, TW_LAYER, 3, TILES_DATA);
	assert_int_equal(put_painting(&f.s, "images/0_grass.png",
				 (struct painting){16, 0, {7, 5, -1}}, &err),
		1);
	assert_ptr_equal(data_of(f.s, TW_LAYER, 2, TILES_DATA), clear);
	assert_ptr_equal(data_of(f.s, TW_LAYER, 3, TILES_DATA), other);
	fixture_close(&f);
}

static void packed_tiles_stay_packed_and_follow_the_image(void **state)
{
	static const uint8_t meant[] = {5, 0, 255, 0, 5, 0, 43, 0};
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct blob *before, *after;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	before = data_of(f.s, TW_LAYER, 4, TILES_DATA);
	/* The opacity of another id changes no tile of this layer, so its data stays the same. */
	assert_int_equal(
		put_painting(&f.s, "images/0_grass.png", (struct painting){16, 0, {6, -1}}, &err),
		1);
	after = data_of(f.s, TW_LAYER, 4, TILES_DATA);
	assert_ok(blob_materialize(after, &err));
	assert_ptr_equal(after->stored.file, before->stored.file);
	assert_int_equal(after->stored.off, before->stored.off);
	assert_int_equal(
		put_painting(&f.s, "images/0_grass.png", (struct painting){16, 0, {5, -1}}, &err),
		1);
	b = decode_blob(data_of(f.s, TW_LAYER, 4, TILES_DATA));
	assert_int_equal(b->size, sizeof(meant));
	assert_memory_equal(b->data, meant, sizeof(meant));
	fixture_close(&f);
}

/* In shared.map two images share their pixels, and two layers of these images share their tiles. */
static void shared_data_is_copied_before_a_change(void **state)
{
	struct error err = ERROR_INIT;
	struct blob *pixels, *tiles, *sound;
	struct bytes *opus;
	struct fixture f;

	(void)state;
	must_open(&f, "shared.map", "ro");
	pixels = data_of(f.s, TW_IMAGE, 1, IMAGE_DATA);
	tiles = data_of(f.s, TW_LAYER, 1, TILES_DATA);
	assert_int_equal(
		put_painting(&f.s, "images/0_same.png", (struct painting){16, 0, {7, -1}}, &err),
		1);
	assert_ptr_equal(data_of(f.s, TW_IMAGE, 1, IMAGE_DATA), pixels);
	assert_ptr_not_equal(data_of(f.s, TW_IMAGE, 0, IMAGE_DATA), pixels);
	assert_ptr_equal(data_of(f.s, TW_LAYER, 1, TILES_DATA), tiles);
	assert_int_equal(flags_at(f.s, 0, 7), 0);
	assert_int_equal(flags_at(f.s, 1, 7), 4);

	sound = data_of(f.s, TW_SOUND, 0, 3);
	opus = content_of(f.s, "sounds/1_same.opus");
	assert_int_equal(
		entry_put(&f.s, id_of(f.s, "sounds/1_same.opus"), opus->data, opus->size - 1, &err),
		1);
	assert_ptr_equal(data_of(f.s, TW_SOUND, 0, 3), sound);
	assert_int_equal(data_of(f.s, TW_SOUND, 1, 3)->size, opus->size - 1);
	/* The item's count of bytes follows. */
	assert_int_equal(tw_item_at(fixture_map(&f), TW_SOUND, 1)->ints->v[4], opus->size - 1);
	bytes_unref(opus);

	/* The text is author, version and four names; a new author changes no other string. */
	assert_int_equal(put_text(&f.s, "info/author", "Zoe\n", &err), 1);
	assert_content(f.s, "info/author", "Zoe\n");
	assert_content(f.s, "info/version", "same\n");
	fixture_close(&f);
}

static void bytes_after_the_pixels_stay_if_the_size_does(void **state)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;
	uint8_t file[200];
	uint64_t size;

	(void)state;
	must_open(&f, "odd.map", "ro");
	assert_int_equal(png_file_size(2, 2, &size), 0);
	assert_ok(png_file_read(2, 2, make_painting, &(struct painting){16, 0, {-1}}, NULL, 0, file,
		(size_t)size, &err));
	assert_int_equal(
		entry_put(&f.s, id_of(f.s, "images/1_tail.png"), file, (size_t)size, &err), 1);
	b = decode_blob(data_of(f.s, TW_IMAGE, 1, IMAGE_DATA));
	assert_int_equal(b->size, 21);
	assert_memory_equal(b->data + 16, "after", 5);
	assert_int_equal(png_file_size(2, 1, &size), 0);
	assert_ok(png_file_read(2, 1, make_painting, &(struct painting){16, 0, {-1}}, NULL, 0, file,
		(size_t)size, &err));
	assert_int_equal(
		entry_put(&f.s, id_of(f.s, "images/1_tail.png"), file, (size_t)size, &err), 1);
	assert_int_equal(data_of(f.s, TW_IMAGE, 1, IMAGE_DATA)->size, 8);
	fixture_close(&f);
}

static void images_have_the_ending_of_their_form(void **state)
{
	static const char *const paths[] = {"images/0_rgb.json", "images/1_tail.png",
		"images/2_small.json", "images/3_none.json", "images/4_variant.json",
		"images/5_garbage.png", "images/6_..%2Fa%2Fb%25c.png", "images/7.png",
		"images/8.json", "images/9.json"};
	struct fixture f;

	(void)state;
	must_open(&f, "odd.map", "ro");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		(void)id_of(f.s, paths[i]);
	assert_content(f.s, "images/8.json", "{\n  \"width\": 3,\n  \"height\": 4\n}\n");
	assert_content(f.s, "images/9.json", "{}\n");
	assert_content(f.s, "images/0_rgb.json",
		"{\n  \"external\": false,\n  \"width\": 2,\n  \"height\": 2\n}\n");
	fixture_close(&f);
}

static void an_external_image_accepts_only_its_size(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	assert_int_equal(put_text(&f.s, "images/1_desert.json", "{\"height\": 64}", &err), 1);
	assert_content(f.s, "images/1_desert.json",
		"{\n  \"external\": true,\n  \"width\": 1024,\n  \"height\": 64\n}\n");
	assert_fails(put_text(&f.s, "images/1_desert.json", "{\"external\": 0}", &err), EINVAL,
		"external is 0 (cannot be changed from true)");
	assert_fails(
		put_text(&f.s, "images/1_desert.json", "{\"width\": 1.5}", &err), EINVAL, "width");
	assert_fails(
		put_text(&f.s, "images/1_desert.json", "{\"name\": \"x\"}", &err), EINVAL, "name");
	assert_fails(put_text(&f.s, "sounds/1_away.json", "{\"external\": 0}", &err), EINVAL,
		"external");
	assert_int_equal(put_text(&f.s, "sounds/1_away.json", "{\"external\": 1}", &err), 0);
	assert_int_equal(put_text(&f.s, "sounds/1_away.json", "{\"external\": true}", &err), 0);
	assert_fails(put_text(&f.s, "images/1_desert.json", "{\"external\": false}", &err), EINVAL,
		"external");
	assert_fails(
		put_text(&f.s, "images/1_desert.json", "{\"width\": true}", &err), EINVAL, "width");
	fixture_close(&f);
	must_open(&f, "odd.map", "ro");
	assert_fails(put_text(&f.s, "images/0_rgb.json", "{\"width\": 3}", &err), EINVAL,
		"without valid RGBA pixels");
	assert_fails(
		put_text(&f.s, "images/8.json", "{\"external\": 1}", &err), EINVAL, "too short");
	assert_fails(put_text(&f.s, "images/8.json", "{\"width\": 5}", &err), EINVAL,
		"without valid RGBA pixels");
	fixture_close(&f);
}

static void invalid_images_and_sounds_are_refused(void **state)
{
	struct error err = ERROR_INIT;
	struct snapshot *before;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	before = f.s;
	assert_fails(put_text(&f.s, "images/0_grass.png", "GIF89a", &err), EINVAL, "PNG");
	assert_fails(put_text(&f.s, "images/0_grass.png", "", &err), EINVAL, "PNG");
	assert_fails(put_text(&f.s, "sounds/0_wind.opus", "", &err), EINVAL, "OggS");
	assert_fails(put_text(&f.s, "sounds/0_wind.opus",
			     "OggS but no more than that, I fear, is here", &err),
		EINVAL, "Opus");
	assert_ptr_equal(f.s, before);
	fixture_close(&f);
}

static void a_text_has_limits_that_existing_texts_may_exceed(void **state)
{
	struct error err = ERROR_INIT;
	char line[400];
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	memset(line, 'x', sizeof(line));
	line[31] = '\0';
	assert_int_equal(put_text(&f.s, "info/author", line, &err), 1);
	line[31] = 'x', line[32] = '\0';
	assert_fails(put_text(&f.s, "info/author", line, &err), EINVAL, "32 bytes (at most 31)");
	assert_fails(
		put_text(&f.s, "info/version", "0123456789abcdef\n", &err), EINVAL, "at most 15");
	line[32] = 'x', line[128] = '\0';
	assert_fails(put_text(&f.s, "info/credits", line, &err), EINVAL, "128 bytes (at most 127)");
	assert_fails(put_text(&f.s, "info/license", line, &err), EINVAL, "at most 31");
	line[128] = 'x', line[255] = '\0';
	assert_int_equal(put_text(&f.s, "info/settings.cfg", line, &err), 1);
	line[255] = 'x', line[256] = '\0';
	assert_fails(put_text(&f.s, "info/settings.cfg", line, &err), EINVAL, "line 1: 256 bytes");
	assert_fails(put_text(&f.s, "info/author", "two\nlines\n", &err), EINVAL, "line 2");
	assert_fails(put_text(&f.s, "info/author", "\n\n", &err), EINVAL, "line 2");
	assert_fails(entry_put(&f.s, id_of(f.s, "info/author"), "a\0b\n", 4, &err), EINVAL, "NUL");
	assert_fails(put_text(&f.s, "info/author", "st\xfc\n", &err), EINVAL, "line 1: not UTF-8");
	fixture_close(&f);

	must_open(&f, "odd.map", "ro");
	assert_int_equal(put_text(&f.s, "info/version", "a\xfcl\n", &err), 1);
	memset(line, 'y', sizeof(line));
	line[200] = '\0';
	assert_int_equal(put_text(&f.s, "info/credits", line, &err), 1);
	line[200] = 'y', line[201] = '\0';
	assert_fails(put_text(&f.s, "info/credits", line, &err), EINVAL, "201 bytes (at most 200)");
	fixture_close(&f);
}

static void strings_that_end_with_nul_are_shown_as_lines(void **state)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	assert_content(f.s, "info/author", "Ann\n");
	assert_content(f.s, "info/license", "");
	assert_content(f.s, "info/settings.cfg", "sv_gametype dm\ntune gravity 0.5\n");
	/* A missing last line feed is no change. */
	assert_int_equal(put_text(&f.s, "info/settings.cfg", "a\n\nb", &err), 1);
	assert_content(f.s, "info/settings.cfg", "a\n\nb\n");
	assert_int_equal(put_text(&f.s, "info/settings.cfg", "a\n\nb", &err), 0);
	b = decode_blob(data_of(f.s, TW_INFO, 0, 5));
	assert_int_equal(b->size, 5);
	assert_memory_equal(b->data, "a\0\0b", 5);
	/* An empty file means no string, and a line feed an empty string. */
	assert_int_equal(put_text(&f.s, "info/author", "", &err), 1);
	assert_int_equal(tw_item_at(fixture_map(&f), TW_INFO, 0)->ints->v[1], -1);
	assert_int_equal(put_text(&f.s, "info/author", "", &err), 0);
	assert_int_equal(put_text(&f.s, "info/author", "\n", &err), 1);
	assert_int_equal(data_of(f.s, TW_INFO, 0, 1)->size, 1);
	fixture_close(&f);
}

/* A text with a byte order mark. */
#define MARKED(text) "\xef\xbb\xbf" text

static void byte_order_marks_and_crs_of_an_editor_are_dropped(void **state)
{
	struct error err = ERROR_INIT;
	char path[32];
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "rw");
	assert_int_equal(put_text(&f.s, "info/author", MARKED("Ann\r\n"), &err), 0);
	assert_int_equal(put_text(&f.s, "info/author", MARKED(""), &err), 1);
	assert_content(f.s, "info/author", "");
	assert_int_equal(put_text(&f.s, "info/author", MARKED(""), &err), 0);
	assert_int_equal(put_text(&f.s, "info/settings.cfg", MARKED("a\r\nb\rc\r\n"), &err), 1);
	assert_content(f.s, "info/settings.cfg", "a\nb\rc\n");
	/* A text that already has them, as in some maps, keeps the written bytes. */
	snprintf(path, sizeof(path), "raw/data/%05d",
		tw_item_at(fixture_map(&f), TW_INFO, 0)->ints->v[5]);
	assert_int_equal(entry_put(&f.s, id_of(f.s, path), MARKED("a\r"), 6, &err), 1);
	assert_content(f.s, "info/settings.cfg", MARKED("a\r\n"));
	assert_int_equal(put_text(&f.s, "info/settings.cfg", MARKED("b\r\nc\r\n"), &err), 1);
	assert_content(f.s, "info/settings.cfg", MARKED("b\r\nc\r\n"));
	fixture_close(&f);
}

static void a_missing_info_item_or_field_is_created(void **state)
{
	struct error err = ERROR_INIT;
	const struct tw_item *it;
	struct fixture f;

	(void)state;
	must_open(&f, "odd.map", "ro");
	assert_content(f.s, "info/settings.cfg", "");
	assert_int_equal(put_text(&f.s, "info/settings.cfg", "sv_x 1\n", &err), 1);
	it = tw_item_at(fixture_map(&f), TW_INFO, 0);
	assert_int_equal(it->ints->n, 6);
	assert_int_equal(it->ints->v[4], 99);
	assert_content(f.s, "info/settings.cfg", "sv_x 1\n");
	fixture_close(&f);

	must_open(&f, "eleven.map", "ro");
	assert_content(f.s, "info/author", "");
	assert_int_equal(put_text(&f.s, "info/author", "Zoe\n", &err), 1);
	it = tw_item_at(fixture_map(&f), TW_INFO, 0);
	assert_int_equal(it->ints->n, 6);
	assert_int_equal(it->ints->v[0], 1);
	for (int i = 2; i < 6; i++)
		assert_int_equal(it->ints->v[i], -1);
	assert_content(f.s, "info/author", "Zoe\n");
	(void)id_of(f.s, "raw/items/00001_info/00000");
	fixture_close(&f);
}

static void positions_are_padded_to_the_width_of_the_last(void **state)
{
	struct fixture f;

	(void)state;
	must_open(&f, "eleven.map", "ro");
	(void)id_of(f.s, "images/00_a.json");
	(void)id_of(f.s, "images/10_k.json");
	fixture_close(&f);
}

/* "Game" with bytes after its NUL; then unusual stored forms. */
static void names_in_items_end_at_the_first_nul(void **state)
{
	static const int32_t game[] = {(int32_t)0xc7e1ede5, (int32_t)0x80e1e1e1, 0x61616161};
	static const int32_t zero[] = {0, 0, 0}, high[] = {(int32_t)0xffffffff, -1, -1};
	char name[12];

	(void)state;
	assert_int_equal(tw_name_of_ints(game, 3, name), 4);
	assert_memory_equal(name, "Game", 4);
	assert_int_equal(tw_name_of_ints(zero, 3, name), 0);
	assert_int_equal(tw_name_of_ints(high, 3, name), 11);
	assert_int_equal(name[10], 0x7f);
}

/* A removed text leaves no bytes in the file, and all numbers still refer to the same data. */
static void a_removed_text_is_removed_from_the_file(void **state)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct fixture f, again;
	struct file *file = NULL;
	struct file_attr entry;
	entry_id gone;
	int32_t number;
	size_t before;

	(void)state;
	must_open(&f, "full.map", "ro");
	before = fixture_map(&f)->n_blobs;
	number = tw_item_at(fixture_map(&f), TW_INFO, 0)->ints->v[2];
	gone = tw_id(TW_K_RAW_DATA, (uint32_t)number, 0);
	assert_int_equal(put_text(&f.s, "info/version", "", &err), 1);
	assert_ok(f.s->format->stat(f.s, gone, &entry, &err));
	assert_int_equal(entry.size, 0);
	assert_fails(
		f.s->format->get(f.s, gone, 0, NULL, 0, &err), EIO, "was removed from the map");
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	assert_ok(fixture_open_file(&again, file, "again.map", "ro", &err));
	assert_int_equal(fixture_map(&again)->n_blobs, before - 1);
	assert_content(again.s, "info/author", "Ann\n");
	assert_content(again.s, "info/version", "");
	assert_content(again.s, "info/credits", "Ben, Cid\n");
	(void)id_of(again.s, "images/2_v2.png");
	(void)id_of(again.s, "sounds/0_wind.opus");
	/* Garbage in fields that are no references is not changed. */
	assert_int_equal(tw_item_at(fixture_map(&again), TW_LAYER, 5)->ints->v[19], 77);
	assert_int_equal(tw_item_at(fixture_map(&again), TW_LAYER, 6)->ints->v[16], 12);
	/* Fields that are references follow in all versions that have them. */
	b = decode_blob(data_of(again.s, TW_LAYER, 6, 15));
	assert_memory_equal(b->data, "oldoldold", 9);
	assert_int_equal(tw_item_at(fixture_map(&again), TW_LAYER, 5)->ints->v[18],
		tw_item_at(fixture_map(&f), TW_LAYER, 5)->ints->v[18] - 1);
	fixture_close(&again);
	fixture_close(&f);
}

static void data_numbers_stay_if_unknown_items_might_contain_them(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f, again;
	struct file *file = NULL;

	(void)state;
	must_open(&f, "odd.map", "ro");
	assert_int_equal(put_text(&f.s, "info/author", "", &err), 1);
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	assert_ok(fixture_open_file(&again, file, "again.map", "ro", &err));
	assert_int_equal(fixture_map(&again)->n_blobs, fixture_map(&f)->n_blobs);
	assert_int_equal(fixture_map(&again)->blobs[0]->size, 1);
	fixture_close(&again);
	fixture_close(&f);
}

static void names_in_raw_are_as_documented(void **state)
{
	static const char *const paths[] = {"raw/items/00000_version/00000",
		"raw/items/00001_info/00001", "raw/items/00002_image/00009",
		"raw/items/00002_image/00009+1", "raw/items/00002_image/00009+2",
		"raw/items/00009/00003", "raw/items/33059/00000",
		"raw/items/65533_00010203-0405-0607-0809-0a0b0c0d0e0f/00000",
		"raw/items/65532/00000", "raw/items/65535_uuid/65533",
		"raw/items/65535_uuid/65533+1", "raw/items/65535_uuid/65532", "raw/data/00000"};
	struct file_attr entry;
	struct fixture f;

	(void)state;
	must_open(&f, "odd.map", "ro");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		(void)id_of(f.s, paths[i]);
	assert_content(f.s, "raw/items/00009/00003", "1\n2\n3\n");
	assert_content(f.s, "raw/items/33059/00000", "");
	assert_content(f.s, "raw/items/00002_image/00009+1", "1\n3\n4\n");
	assert_int_equal(entry_find(f.s, "raw/items/00002_image/00009+3", &entry), -ENOENT);
	assert_int_equal(entry_find(f.s, "raw/items/00002_image/9", &entry), -ENOENT);
	assert_int_equal(entry_find(f.s, "raw/items/00002_image/00009+0", &entry), -ENOENT);
	assert_int_equal(entry_find(f.s, "raw/data/0", &entry), -ENOENT);
	fixture_close(&f);
	must_open(&f, "full.map", "ro");
	(void)id_of(f.s, "raw/items/65534_3e1b2716-178c-3978-9bd9-b11ae0410dd8/00000");
	fixture_close(&f);
}

static void raw_is_read_only_by_default(void **state)
{
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "ro");
	assert_int_equal(entry_find(f.s, "raw/data/00000", &entry), 0);
	assert_false(entry.is_writable);
	assert_fails(put_text(&f.s, "raw/data/00000", "x", &err), EROFS, "raw=rw");
	assert_fails(put_text(&f.s, "raw/items/00000_version/00000", "2\n", &err), EROFS, "raw=rw");
	fixture_close(&f);
	must_open(&f, "full.map", "off");
	assert_int_equal(entry_find(f.s, "raw", &entry), -ENOENT);
	fixture_close(&f);
}

static void raw_refuses_content_that_breaks_typed_files(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "rw");
	assert_fails(put_text(&f.s, "raw/items/00000_version/00000", "2\n", &err), EINVAL,
		"version item");
	assert_fails(put_text(&f.s, "raw/items/00002_image/00000", "1\n17\n16\n0\n4\n5\n", &err),
		EINVAL, "images/0_grass.png would become unreadable");
	assert_fails(put_text(&f.s, "raw/data/00005", "short", &err), EINVAL, "unreadable");
	assert_fails(put_text(&f.s, "raw/data/00000", "", &err), EINVAL, "empty");
	assert_fails(
		put_text(&f.s, "raw/items/00001_info/00000", "1\nx\n", &err), EINVAL, "line 2");
	assert_fails(put_text(&f.s, "raw/items/00001_info/00000", "4294967296\n", &err), EINVAL,
		"line 1: the number does not fit 32 bits");
	/* The blob changes for all its users; and a smaller image is still valid. */
	assert_int_equal(
		put_text(&f.s, "raw/items/00002_image/00000", " 1\r\n8\n8\n0\n4\n5", &err), 1);
	assert_content(f.s, "raw/items/00002_image/00000", "1\n8\n8\n0\n4\n5\n");
	assert_int_equal(put_text(&f.s, "raw/data/00000", "Eve", &err), 1);
	assert_content(f.s, "info/author", "Eve");
	fixture_close(&f);
}

static void a_map_without_a_version_item_shows_only_raw(void **state)
{
	static const char *const names[] = {"untyped.map", "version2.map", "empty_v3.map"};
	struct file_attr entry;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		must_open(&f, names[i], "ro");
		assert_int_equal(entry_find(f.s, "info", &entry), -ENOENT);
		(void)id_of(f.s, "raw/items");
		(void)id_of(f.s, "raw/data");
		fixture_close(&f);
	}
}

static void unreadable_files_are_empty_and_give_eio(void **state)
{
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;

	(void)state;
	must_open(&f, "odd.map", "ro");
	assert_int_equal(entry_find(f.s, "info/license", &entry), 0);
	assert_int_equal(entry.size, 0);
	assert_fails(f.s->format->get(f.s, entry.id, 0, NULL, 0, &err), EIO, "data index is 99");
	fixture_close(&f);
}

static void collect(void *arg, const struct format_fault *f)
{
	size_t n = strlen(arg);

	snprintf((char *)arg + n, 400 - n, "%s\n", f->line);
}

static void a_save_refuses_maps_that_a_game_refuses(void **state)
{
	struct error err = ERROR_INIT;
	struct snapshot *before;
	char why[400] = "";
	struct fixture f;

	(void)state;
	must_open(&f, "full.map", "rw");
	before = snapshot_ref(f.s);
	assert_ok(f.s->format->edit->check(before, f.s, collect, why, &err));
	assert_string_equal(why, "");
	/* The game layer becomes a design layer. */
	assert_int_equal(
		put_text(&f.s, "raw/items/00005_layer/00000",
			"0\n2\n0\n3\n4\n3\n0\n255\n255\n255\n300\n-1\n0\n-1\n10\n0\n0\n0\n", &err),
		1);
	assert_fails(
		f.s->format->edit->check(before, f.s, collect, why, &err), EINVAL, "a game would");
	assert_non_null(strstr(why, "the map has no game layer\n"));
	assert_non_null(strstr(why, "color[3] is 300 (0 to 255)\n"));
	/* Faults that the base has are not reported. */
	assert_ok(f.s->format->edit->check(f.s, f.s, collect, why, &err));
	snapshot_unref(before);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(opaque_bits_follow_only_changes_of_opacity),
		cmocka_unit_test(opaque_bits_follow_a_larger_image),
		cmocka_unit_test(transparent_layers_and_layers_of_other_images_stay),
		cmocka_unit_test(packed_tiles_stay_packed_and_follow_the_image),
		cmocka_unit_test(shared_data_is_copied_before_a_change),
		cmocka_unit_test(bytes_after_the_pixels_stay_if_the_size_does),
		cmocka_unit_test(images_have_the_ending_of_their_form),
		cmocka_unit_test(an_external_image_accepts_only_its_size),
		cmocka_unit_test(invalid_images_and_sounds_are_refused),
		cmocka_unit_test(a_text_has_limits_that_existing_texts_may_exceed),
		cmocka_unit_test(strings_that_end_with_nul_are_shown_as_lines),
		cmocka_unit_test(byte_order_marks_and_crs_of_an_editor_are_dropped),
		cmocka_unit_test(a_missing_info_item_or_field_is_created),
		cmocka_unit_test(positions_are_padded_to_the_width_of_the_last),
		cmocka_unit_test(names_in_items_end_at_the_first_nul),
		cmocka_unit_test(a_removed_text_is_removed_from_the_file),
		cmocka_unit_test(data_numbers_stay_if_unknown_items_might_contain_them),
		cmocka_unit_test(names_in_raw_are_as_documented),
		cmocka_unit_test(raw_is_read_only_by_default),
		cmocka_unit_test(raw_refuses_content_that_breaks_typed_files),
		cmocka_unit_test(a_map_without_a_version_item_shows_only_raw),
		cmocka_unit_test(unreadable_files_are_empty_and_give_eio),
		cmocka_unit_test(a_save_refuses_maps_that_a_game_refuses),
	};

	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
