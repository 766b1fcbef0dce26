/* SPDX-License-Identifier: Zlib */
/*
 * The container: which files are refused, with which messages, and which are accepted (layout rule
 * 25).
 */
#include "support/tw_test.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/cursor.h"
#include "codec/zlib/inflate.h"

/* A valid file in memory, to be damaged. */
struct file_bytes {
	uint8_t data[1 << 16];
	size_t size;
};

static void load(struct file_bytes *b, const char *name)
{
	FILE *in = fopen(fixture_path(name), "rb");

	assert_non_null(in);
	b->size = fread(b->data, 1, sizeof(b->data), in);
	fclose(in);
}

static int try_open(const struct file_bytes *b, struct error *e)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct fixture f;
	int r;

	assert_int_equal(write(fd, b->data, b->size), (ssize_t)b->size);
	r = fixture_open_file(&f, file_new(fd), "x.map", "ro", e);
	fixture_close(&f);
	return r;
}

/* Offsets of the tables in a file of version 4. */
struct places {
	size_t types, item_offsets, data_offsets, data_sizes, items;
};

static struct places places_of(const struct file_bytes *b)
{
	struct places p = {.types = 36};

	p.item_offsets = p.types + 12 * load_u32(b->data + 16);
	p.data_offsets = p.item_offsets + 4 * load_u32(b->data + 20);
	p.data_sizes = p.data_offsets + 4 * load_u32(b->data + 24);
	p.items = p.data_sizes + 4 * load_u32(b->data + 24);
	return p;
}

static void assert_refused(size_t at, int32_t value, const char *what)
{
	static struct file_bytes b;
	struct error err = ERROR_INIT;

	load(&b, "full.map");
	store_u32(b.data + at, (uint32_t)value);
	assert_fails(try_open(&b, &err), EINVAL, what);
}

static void assert_accepted(size_t at, int32_t value)
{
	static struct file_bytes b;
	struct error err = ERROR_INIT;

	load(&b, "full.map");
	store_u32(b.data + at, (uint32_t)value);
	assert_ok(try_open(&b, &err));
}

static void damaged_header_fields_are_named(void **state)
{
	(void)state;
	assert_refused(0, 0x42544144, "magic is 44 41 54 42");
	assert_refused(4, 5, "version is 5 (must be 3 or 4)");
	assert_refused(4, 0x04000000, "version is 67108864");
	assert_refused(16, -1, "num_item_types is -1 (at least 0)");
	assert_refused(20, -1, "num_items is -1 (at least 0)");
	assert_refused(24, -1, "num_data is -1 (at least 0)");
	assert_refused(28, -4, "item_size is -4 (at least 0)");
	assert_refused(32, -1, "data_size is -1 (at least 0)");
	assert_refused(16, 0x7ffffffc, "num_item_types is 2147483644: its section ends at");
	assert_refused(20, 0x7ffffffc, "num_items is 2147483644: its section ends at");
	assert_refused(24, 0x40000000, "num_data is 1073741824: its section ends at");
	assert_refused(28, 0x7ffffffc, "item_size is 2147483644: its section ends at");
	assert_refused(32, 0x7fffffff, "data_size is 2147483647: its section ends at");
	assert_refused(28, 918, "item_size is 918 (must be a multiple of 4)");
}

static void damaged_item_types_are_named(void **state)
{
	static struct file_bytes b;
	size_t at;

	(void)state;
	load(&b, "full.map");
	at = places_of(&b).types;
	assert_refused(at, -1, "item_types[0].type is -1 (0 to 65535)");
	assert_refused(at, 65536, "item_types[0].type is 65536");
	assert_refused(at + 12, 0, "item_types[1].type is 0 (already used)");
	assert_refused(at + 12 + 4, 5, "item_types[1].start is 5 (must be 1)");
	assert_refused(at + 12 + 8, -1, "item_types[1].num is -1");
	assert_refused(at + 12 + 8, 19, "item_types[1].num is 19 (0 to 18, the remaining items)");
	assert_refused(at, 8, "items[0].type is 0 (8 in item_types)");
	assert_refused(at + 9 * 12 + 8, 0, "num_items is 19 (item_types list 18)");
}

static void damaged_items_are_named(void **state)
{
	static struct file_bytes b;
	struct places p;

	(void)state;
	load(&b, "full.map");
	p = places_of(&b);
	assert_refused(p.item_offsets + 4, -4, "item_offsets[1] is -4 (0 to item_size - 8 = 984)");
	assert_refused(p.item_offsets + 4, 988, "item_offsets[1] is 988");
	assert_refused(p.item_offsets + 4, 14, "item_offsets[1] is 14 (must be a multiple of 4)");
	assert_refused(p.item_offsets + 8, 0, "items[2].type is 0 (2 in item_types)");
	assert_refused(p.items + 4, -24, "items[0].size is -24");
	assert_refused(p.items + 4, 988, "items[0].size is 988 (0 to 984, the end of the items)");
	assert_refused(p.items + 4, 6, "items[0].size is 6 (must be a multiple of 4)");
	assert_refused(
		p.items + 4, 8, "item_offsets[1] is 12 (item 0, which it overlaps, ends at 16)");
}

static void damaged_data_tables_are_named(void **state)
{
	static struct file_bytes b;
	struct places p;
	uint32_t data_size;

	(void)state;
	load(&b, "full.map");
	p = places_of(&b);
	data_size = load_u32(b.data + 32);
	assert_refused(p.data_offsets, -1, "data_offsets[0] is -1");
	assert_refused(p.data_offsets + 4, (int32_t)data_size + 1, "data_offsets[1] is");
	assert_refused(p.data_offsets + 8, 1, "data_offsets[2] is 1 (at least");
	assert_refused(p.data_sizes + 4, -1, "data_sizes[1] is -1 (at least 0)");
}

static void a_short_file_is_refused(void **state)
{
	static struct file_bytes b;
	size_t whole;

	(void)state;
	load(&b, "full.map");
	for (whole = b.size; b.size > 0; b.size = b.size > 500 ? b.size - 97 : b.size - 1) {
		struct error err = ERROR_INIT;

		if (b.size < whole)
			assert_fails(try_open(&b, &err), EINVAL, "the file has");
	}
}

static void odd_header_sizes_are_accepted(void **state)
{
	(void)state;
	assert_accepted(8, 0);
	assert_accepted(8, -1);
	assert_accepted(12, INT32_MAX);
	assert_accepted(0, 0x44415441); /* ATAD */
}

static void every_version_shows_the_same_files(void **state)
{
	static const char *const names[] = {"v3.map", "atad.map", "crude.map", "level9.map",
		"descending.map", "gaps.map", "tail.map"};
	struct fixture full;

	(void)state;
	must_open(&full, "full.map", "ro");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		static const char *const paths[] = {"info/settings.cfg", "images/0_grass.png",
			"images/2_v2.png", "images/1_desert.json", "sounds/0_wind.opus",
			"raw/items/00005_layer/00004", "raw/data/00008"};
		struct fixture f;

		must_open(&f, names[i], "ro");
		for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
			CLEANUP(bytes_unref) struct bytes *a = content_of(full.s, paths[k]);
			CLEANUP(bytes_unref) struct bytes *b = content_of(f.s, paths[k]);

			assert_int_equal(a->size, b->size);
			assert_memory_equal(a->data, b->data, a->size);
		}
		fixture_close(&f);
	}
	fixture_close(&full);
}

/*
 * All variants of the container are written in the form of the reference writer, which the
 * generator uses for full.map.
 */
static void every_file_of_version_4_is_written_in_the_same_form(void **state)
{
	static const char *const names[] = {"full.map", "atad.map", "crude.map", "level9.map",
		"descending.map", "gaps.map", "tail.map"};
	static struct file_bytes meant, is;

	(void)state;
	load(&meant, "full.map");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct error err = ERROR_INIT;
		struct file *file = NULL;
		struct fixture f;

		must_open(&f, names[i], "ro");
		assert_ok(fixture_encode(&f, f.s, true, &file, NULL, &err));
		is.size = (size_t)fixture_file_size(file);
		assert_int_equal(is.size, meant.size);
		assert_ok(file_read(file, 0, is.data, is.size, &err));
		assert_memory_equal(is.data, meant.data, is.size);
		file_unref(file);
		fixture_close(&f);
	}
}

static void version_3_stays_version_3(void **state)
{
	static struct file_bytes meant, is;
	struct error err = ERROR_INIT;
	struct file *file = NULL;
	struct fixture f;

	(void)state;
	load(&meant, "v3.map");
	must_open(&f, "v3.map", "ro");
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_int_equal(is.size, meant.size);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	assert_memory_equal(is.data, meant.data, is.size);
	file_unref(file);
	/* The new blob is the bytes themselves, uncompressed. */
	assert_int_equal(put_text(&f.s, "info/author", "Zoe Zoe Zoe\n", &err), 1);
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	assert_non_null(memmem(is.data, is.size, "Zoe Zoe Zoe", 12));
	file_unref(file);
	fixture_close(&f);
}

/*
 * An unchanged blob is copied in its compressed form, even if the reference compresses it
 * differently.
 */
static void unchanged_blobs_are_copied_verbatim(void **state)
{
	static struct file_bytes meant, is;
	struct error err = ERROR_INIT;
	struct file *file = NULL;
	struct fixture f;

	(void)state;
	load(&meant, "level9.map");
	must_open(&f, "level9.map", "ro");
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_int_equal(is.size, meant.size);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	assert_memory_equal(is.data, meant.data, is.size);
	file_unref(file);
	fixture_close(&f);
}

static void a_damaged_blob_is_copied_unchanged(void **state)
{
	static struct file_bytes meant, is;
	struct error err = ERROR_INIT;
	struct file *file = NULL;
	struct fixture f;

	(void)state;
	load(&meant, "damaged.map");
	must_open(&f, "damaged.map", "ro");
	assert_ok(fixture_encode(&f, f.s, true, &file, NULL, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_int_equal(is.size, meant.size);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	assert_memory_equal(is.data, meant.data, is.size);
	file_unref(file);
	fixture_close(&f);
}

static int verify_with(const struct fixture *f, const struct plan *plan, const struct file_bytes *b,
	struct error *e)
{
	int fd = memfd_create("written", MFD_CLOEXEC);
	struct file *file = file_new(fd);
	struct source written;
	int r;

	assert_int_equal(write(fd, b->data, b->size), (ssize_t)b->size);
	written = fixture_source(file, "written.map");
	r = f->s->format->edit->verify(f->s, plan, &written, e);
	file_unref(file);
	return r;
}

/*
 * Every bit of the written file, except the magic and two sizes of the header, which readers
 * ignore.
 */
static void verify_finds_every_flipped_bit(void **state)
{
	static struct file_bytes is;
	struct error err = ERROR_INIT;
	struct plan *plan = NULL;
	struct file *file = NULL;
	struct fixture f;

	(void)state;
	must_open(&f, "shared.map", "ro");
	assert_int_equal(put_text(&f.s, "info/author", "Zoe\n", &err), 1);
	assert_ok(fixture_encode(&f, f.s, false, &file, &plan, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	assert_ok(verify_with(&f, plan, &is, &err));
	for (size_t i = 16; i < is.size; i++) {
		is.data[i] ^= 1;
		if (verify_with(&f, plan, &is, &err) == 0)
			fail_msg("byte %zu of %zu", i, is.size);
		is.data[i] ^= 1;
	}
	is.size--;
	assert_true(verify_with(&f, plan, &is, &err) < 0);
	plan_free(plan);
	file_unref(file);
	fixture_close(&f);
}

/* A save calls `same` before it encodes, which materializes all composed blobs. */
static void verify_inflates_each_compressed_blob_once(void **state)
{
	static const char content[] = "a sound of another length";
	static struct file_bytes is;
	struct error err = ERROR_INIT;
	struct plan *plan = NULL;
	struct file *file = NULL;
	const struct tw_map *m;
	struct snapshot *base;
	struct fixture f;
	uint64_t before;

	(void)state;
	must_open(&f, "shared.map", "rw");
	base = snapshot_ref(f.s);
	assert_int_equal(put_text(&f.s, "raw/data/00002", content, &err), 1);
	assert_false(f.s->format->edit->same(base, f.s));
	assert_ok(fixture_encode(&f, f.s, false, &file, &plan, &err));
	is.size = (size_t)fixture_file_size(file);
	assert_ok(file_read(file, 0, is.data, is.size, &err));
	/* Drop the cached blobs, as happens with large images. */
	m = tw_map_of(f.s);
	for (size_t i = 0; i < m->n_blobs; i++)
		budget_drop(f.budget, &m->blobs[i]->slot);
	before = inflate_total();
	assert_ok(verify_with(&f, plan, &is, &err));
	assert_int_equal(inflate_total() - before, strlen(content));
	snapshot_unref(base);
	plan_free(plan);
	file_unref(file);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_header_fields_are_named),
		cmocka_unit_test(damaged_item_types_are_named),
		cmocka_unit_test(damaged_items_are_named),
		cmocka_unit_test(damaged_data_tables_are_named),
		cmocka_unit_test(a_short_file_is_refused),
		cmocka_unit_test(odd_header_sizes_are_accepted),
		cmocka_unit_test(every_version_shows_the_same_files),
		cmocka_unit_test(every_file_of_version_4_is_written_in_the_same_form),
		cmocka_unit_test(version_3_stays_version_3),
		cmocka_unit_test(unchanged_blobs_are_copied_verbatim),
		cmocka_unit_test(a_damaged_blob_is_copied_unchanged),
		cmocka_unit_test(verify_finds_every_flipped_bit),
		cmocka_unit_test(verify_inflates_each_compressed_blob_once),
	};

	return cmocka_run_group_tests_name("datafile", tests, NULL, NULL);
}
