/* SPDX-License-Identifier: Zlib */
/* The name table that a mount keeps for a map that it saved (names/list.h). */
#include "support/world.h"

/* Open the map with this list. Returns 0 or the refusal. */
static int open_with(
	struct fixture *f, const char *map, const void *text, size_t n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *names = bytes_copy(text, n);
	int r;

	must_open(f, map, "off");
	snapshot_unref(f->s);
	f->s = NULL;
	f->ctx.names = names;
	r = format_teeworlds.open(&f->source, &f->ctx, &f->s, e);
	f->ctx.names = NULL;
	return r;
}

static void assert_refused(const char *text, const char *why)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	assert_fails(open_with(&f, "structure.map", text, strlen(text), &err), EINVAL, why);
	assert_null(f.s);
	fixture_close(&f);
}

static void a_list_that_does_not_fit_the_map_is_refused(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;
	char longest[400];

	(void)state;
	assert_refused("image 0 0 = 05_grass.png", "does not end in a line feed");
	assert_refused("\n", "line 1 must be");
	assert_refused("image 0 0 = \n", "line 1 has an invalid name");
	assert_refused("image 0 0 =\n", "line 1 must be");
	assert_refused("picture 0 0 = 05_grass.png\n", "line 1 must be");
	assert_refused("image 0 -1 = 05_grass.png\n", "line 1 must be");
	assert_refused("image 0 0 ! 05_grass.png\n", "line 1 must be");
	assert_refused("image 0 4294967296 = 05_grass.png\n", "line 1 must be");
	assert_refused("image 1 0 = 05_grass.png\n", "line 1 has a group");
	assert_refused("image 0 0 = ../05_grass.png\n", "line 1 has an invalid name");
	assert_refused("image 0 0 = a\\tb.png\n", "line 1 has an invalid name");
	assert_refused("image 0 0 = a.png\\\n", "line 1 has an invalid name");
	assert_refused("image 0 0 = 05_grass\n", "line 1 has an invalid name for its sort");
	assert_refused("image 0 0 = .png\n", "line 1 has an invalid name");
	assert_refused("image 0 3 = 05_grass.png\n", "line 1: the map has no such image");
	assert_refused("layer 9 0 = 05_x\n", "line 1: the map has no such layer");
	assert_refused("layer 0 99 = 05_x\n", "line 1: the map has no such layer");
	assert_refused("image 0 0 = a.png\nimage 0 0 = b.png\n", "line 2 is not in order");
	assert_refused("image 0 1 = a.png\nimage 0 0 = b.png\n", "line 2 is not in order");
	assert_refused("image 0 0 = a.png\nimage 0 2 = a.png\n", "is already used");
	assert_refused("image 0 0 = 2_moon.png\n", "is already used");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "image 0 0 = ", 12);
	strcpy(longest + sizeof(longest) - 6, ".png\n");
	assert_refused(longest, "line 1 has an invalid name");
	assert_fails(open_with(&f, "structure.map", "image\0\n", 7, &err), EINVAL, "NUL");
	fixture_close(&f);
	assert_refused("group 0 0 = a\ngroup 0 1 = a\n", "is already used");
}

/* Any list is refused, or all shown names can be looked up. */
static void a_damaged_list_is_refused_or_gives_consistent_names(void **state)
{
	static const char good[] = "image 0 0 + 05_grass.png\nimage 0 2 = 7_moon.PNG\n"
				   "group 0 0 = 3_Back\nlayer 0 1 = 04_quads\nlayer 2 1 + a\\nb\n";
	uint32_t state_of = 1;
	unsigned taken = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		static const char bytes[] = " \n\\+=/.0123456789aegilmnoprsuy_\377";
		char text[sizeof(good)];
		struct error err = ERROR_INIT;
		struct fixture f;

		memcpy(text, good, sizeof(good));
		for (int k = 0; k <= i % 3; k++) {
			state_of = state_of * 1664525 + 1013904223;
			text[(state_of >> 16) % (sizeof(good) - 2)] =
				bytes[(state_of >> 8) % (sizeof(bytes) - 1)];
		}
		if (open_with(&f, "structure.map", text, sizeof(good) - 1, &err) == 0) {
			static const char *const dirs[] = {"images", "groups"};

			taken++;
			for (size_t d = 0; d < 2; d++) {
				entry_id dir = id_of(f.s, dirs[d]);
				char name[NAME_MAX + 1];
				uint64_t cookie = 0;
				struct file_attr en, found;

				while (f.s->format->list(f.s, dir, &cookie, name, &en, NULL) == 1) {
					assert_ok(
						f.s->format->lookup(f.s, dir, name, &found, &err));
					assert_int_equal(found.id, en.id);
				}
			}
		} else {
			assert_int_equal(err.code, -EINVAL);
		}
		fixture_close(&f);
	}
	assert_true(taken > 100);
}

static void names_of_a_list_are_shown_and_understood(void **state)
{
	static const char list[] = "image 0 0 + 05_grass.PNG\nlayer 2 1 = 7_f\\ng\n";
	CLEANUP(bytes_unref) struct bytes *again = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;
	struct file_attr en;

	(void)state;
	assert_ok(open_with(&f, "structure.map", list, strlen(list), &err));
	assert_ok(entry_find(f.s, "images/05_grass.PNG", &en));
	assert_int_equal(entry_find(f.s, "images/0_grass.png", &en), -ENOENT);
	assert_int_equal(entry_find(f.s, "images/05_grass.png", &en), -ENOENT);
	assert_int_equal(put_text(&f.s, "groups/2/layers/7_f\ng/layer.json",
				 "{\"image\": \"2_moon\"}", &err),
		1);
	assert_int_equal(put_text(&f.s, "groups/2/layers/7_f\ng/layer.json",
				 "{\"image\": \"05_grass\"}", &err),
		1);
	{
		CLEANUP(bytes_unref)
		struct bytes *b = content_of(f.s, "groups/2/layers/7_f\ng/layer.json");

		assert_non_null(memmem(b->data, b->size, "\"05_grass\"", 10));
	}
	assert_fails(put_text(&f.s, "groups/2/layers/7_f\ng/layer.json", "{\"image\": \"0_grass\"}",
			     &err),
		EINVAL, "the map has no such image");
	assert_ok(f.s->format->tree->names(f.s, &again, &err));
	assert_non_null(again);
	assert_int_equal(again->size, strlen(list));
	assert_memory_equal(again->data, list, again->size);
	fixture_close(&f);
}

static void names_that_the_map_itself_gives_need_no_list(void **state)
{
	struct error err = ERROR_INIT;
	struct bytes *list;
	struct fixture f;

	(void)state;
	must_open(&f, "structure.map", "ro");
	assert_ok(f.s->format->tree->names(f.s, &list, &err));
	assert_null(list);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_that_does_not_fit_the_map_is_refused),
		cmocka_unit_test(a_damaged_list_is_refused_or_gives_consistent_names),
		cmocka_unit_test(names_of_a_list_are_shown_and_understood),
		cmocka_unit_test(names_that_the_map_itself_gives_need_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
