/* SPDX-License-Identifier: Zlib */
/*
 * A large image is read, put, compared, written and verified in bounded memory.
 *
 *     test-teeworlds-large [FILE PATH]    another map, and the path of its image
 */
#include "support/tw_test.h"

#include <sys/resource.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"

/*
 * Far less than the 128 MiB of pixels in large.map. The memory of sanitizers counts too, and clang
 * does not announce them.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
enum { PEAK_MAX_KIB = 120 << 10 };
#else
enum { PEAK_MAX_KIB = 96 << 10 };
#endif
enum { STEP = 1 << 20 };

static const char *map_path, *image_path = "images/0_large.png";

static long peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* The file of the image as an extent; if `other`, the byte at `at` of the pixels is changed. */
struct reading {
	struct blob *blob;
	bool other;
};

static int read_pixels(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct reading *r = arg;
	uint64_t at = r->blob->size / 2;
	int code = blob_read(r->blob, off, dst, n, e);

	if (code == 0 && r->other && at >= off && at < off + n)
		((uint8_t *)dst)[at - off] ^= 1;
	return code;
}

static struct extent file_of(const struct fixture *f, const struct file_attr *entry, bool other)
{
	const struct tw_item *it = tw_item_at(fixture_map(f), TW_IMAGE, tw_id_index(entry->id));
	struct reading reading = {tw_get_blob(fixture_map(f), it, 5), other};
	CLEANUP(spool_destroy) struct spool *spool = spool_create(f->dirfd);
	uint32_t w = (uint32_t)it->ints->v[1], h = (uint32_t)it->ints->v[2];
	struct extent x = EXTENT_INIT;
	struct error err = ERROR_INIT;
	static uint8_t chunk[STEP];

	for (uint64_t at = 0; at < entry->size; at += STEP) {
		size_t n = entry->size - at < STEP ? (size_t)(entry->size - at) : STEP;

		if (other)
			assert_ok(png_file_read(
				w, h, read_pixels, &reading, NULL, at, chunk, n, &err));
		else
			assert_ok(f->s->format->get(f->s, entry->id, at, chunk, n, &err));
		assert_ok(spool_append(spool, chunk, n, &err));
	}
	assert_ok(spool_extent(spool, &x, &err));
	return x;
}

static void memory_stays_bounded(void **state)
{
	struct extent same, other;
	struct error err = ERROR_INIT;
	struct snapshot *next = NULL;
	struct file *file = NULL;
	struct file_attr entry;
	struct fixture f;

	(void)state;
	assert_ok(fixture_open(&f, map_path ? map_path : fixture_path("large.map"), "ro", &err));
	assert_int_equal(entry_find(f.s, image_path, &entry), 0);
	same = file_of(&f, &entry, false);
	other = file_of(&f, &entry, true);
	assert_ok(format_put_file(f.s, entry.id, &same, NULL, &next, &err));
	assert_null(next);
	assert_ok(format_put_file(f.s, entry.id, &other, NULL, &next, &err));
	assert_non_null(next);
	snapshot_unref(f.s);
	f.s = TAKE(next);
	assert_ok(format_put_file(f.s, entry.id, &other, NULL, &next, &err));
	assert_null(next);
	assert_ok(fixture_encode(&f, f.s, false, &file, NULL, &err));
	file_unref(file);
	extent_finish(&same);
	extent_finish(&other);
	fixture_close(&f);
	print_message("pixels: %llu KiB, peak: %ld KiB\n", (unsigned long long)entry.size >> 10,
		peak_kib());
	/* The memory of an emulator counts with that of the program. */
	if (!getenv("MESON_EXE_WRAPPER"))
		assert_true(peak_kib() < PEAK_MAX_KIB);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(memory_stays_bounded)};

	if (argc == 3) {
		map_path = argv[1];
		image_path = argv[2];
	}
	return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}
