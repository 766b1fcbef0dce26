/* SPDX-License-Identifier: Zlib */
/*
 * The cost of an object does not depend on their number: with eight times as many objects, each
 * kind of work takes about eight times as many steps, not 64 times. Steps are the basic blocks that
 * run in the code of the format, which is compiled for this test so that each block calls
 * __sanitizer_cov_trace_pc; so the result does not depend on time.
 */
#include "support/made.h"

enum { FEW = 250, TIMES = 8, PHASES_MAX = 8 };

static atomic_ullong steps;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
}

struct work {
	struct fixture f;
	const char *names[PHASES_MAX];
	unsigned long long phases[PHASES_MAX], begun;
	unsigned n_phases, n_files;
};

static void start_count(struct work *w)
{
	w->begun = atomic_load(&steps);
}

static void end_count(struct work *w, const char *name)
{
	w->names[w->n_phases] = name;
	w->phases[w->n_phases++] = atomic_load(&steps) - w->begun;
}

static void count(void *arg, const char *path, const struct file_attr *entry)
{
	struct work *w = arg;

	(void)path, (void)entry;
	w->n_files++;
}

static void find_and_read(void *arg, const char *path, const struct file_attr *entry)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct work *w = arg;
	struct error err = ERROR_INIT;
	struct file_attr found;

	assert_int_equal(entry_find(w->f.s, path, &found), 0);
	assert_int_equal(found.id, entry->id);
	assert_ok(entry_get(w->f.s, &found, &b, &err));
}

/* Read in the pieces that the kernel requests. */
static void read_in_pieces(struct work *w, const char *path)
{
	CLEANUP(bytes_unref) struct bytes *whole = content_of(w->f.s, path);
	struct error err = ERROR_INIT;
	entry_id id = id_of(w->f.s, path);
	static char piece[4096];
	uint64_t size;

	start_count(w);
	assert_ok(w->f.s->format->size(w->f.s, id, &size, &err));
	assert_int_equal(size, whole->size);
	for (uint64_t at = 0; at < size; at += sizeof(piece)) {
		size_t n = size - at < sizeof(piece) ? (size_t)(size - at) : sizeof(piece);

		assert_ok(w->f.s->format->get(w->f.s, id, at, piece, n, &err));
		assert_memory_equal(piece, whole->data + at, n);
	}
	end_count(w, "pieces");
}

static void count_fault(void *arg, const struct format_fault *f)
{
	(void)arg, (void)f;
}

static void count_line(void *arg, enum format_line_kind, const char *line)
{
	(void)arg, (void)line;
}

/* Read everything, as ls -lR, tar and mapfs check do. */
static void read_all(struct work *w)
{
	struct error err = ERROR_INIT;

	start_count(w);
	assert_ok(entry_walk(w->f.s, ENTRY_ROOT, "", count, w, &err));
	end_count(w, "list");
	assert_true(w->n_files >= FEW);
	start_count(w);
	assert_ok(entry_walk(w->f.s, ENTRY_ROOT, "", find_and_read, w, &err));
	end_count(w, "read");
	start_count(w);
	(void)w->f.s->format->edit->check(NULL, w->f.s, count_fault, NULL, &err);
	end_count(w, "check");
}

/* Remove all but the first object of a directory, or give each a name. */
static void rebuild(struct work *w, const char *dir, bool removed, unsigned n)
{
	CLEANUP(free) struct placement *places = calloc(n, sizeof(*places));
	CLEANUP(free) char(*names)[NAME_MAX + 1] = calloc(n, sizeof(*names));
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct error err = ERROR_INIT;
	entry_id id = id_of(w->f.s, dir);
	struct file_attr entry;
	uint64_t cookie = 0;
	size_t k = 0;

	assert_true(places && names);
	while (k < n && w->f.s->format->list(w->f.s, id, &cookie, names[k], &entry, &err) == 1) {
		places[k] = (struct placement){.id = entry.id,
			.dir = id,
			.name = names[k],
			.is_removed = removed && k > 0};
		/* Position, name, and the ending of a file. */
		if (!removed)
			snprintf(names[k], sizeof(names[k]), "%zu_x%s", k,
				entry.is_dir ? "" : ".json");
		k++;
	}
	assert_int_equal(k, n);
	start_count(w);
	assert_ok(w->f.s->format->tree->finalize(w->f.s, places, n, &done, count_line, w, &err));
	end_count(w, removed ? "remove" : "rename");
	assert_ptr_not_equal(done, w->f.s);
}

static void open_map(struct work *w, struct made *m)
{
	start_count(w);
	made_open(m, "ro", &w->f);
	end_count(w, "open");
}

static void add_layers(struct made *m, unsigned n)
{
	static const uint8_t tiles[16];

	for (unsigned i = 0; i < n; i++)
		MADE(m, TW_LAYER, i, 0, 2, 0, 2, 2, 2, i == 0, 255, 255, 255, 255, -1, 0, -1,
			made_data(m, tiles, sizeof(tiles)));
}

static void add_group(struct made *m, unsigned i, int32_t first, int32_t n)
{
	MADE(m, TW_GROUP, i, 2, 0, 0, 100, 100, first, n, 0, 0, 0, 0, 0);
}

static void make_groups(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		add_group(&m, i, (int32_t)i, 1);
	add_layers(&m, n);
	open_map(w, &m);
	read_all(w);
	rebuild(w, "groups", true, n);
	rebuild(w, "groups", false, n);
}

/* Layers outside all groups; each gives a report line. */
static void make_layers_without_group(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		add_group(&m, i, 0, 1);
	add_layers(&m, n);
	open_map(w, &m);
	read_all(w);
}

static void make_types(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, 100 + i, 0, 1);
	open_map(w, &m);
	read_all(w);
}

static void make_uuid_types(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, TW_UUID_FIRST + i, 0, 1);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, TW_UUID_INDEX, TW_UUID_FIRST + i, (int32_t)i, 1, 2, 3);
	open_map(w, &m);
	read_all(w);
}

static void make_envelopes(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, TW_ENVELOPE, i, 1, 4, 0, 1);
	MADE(&m, TW_POINTS, 0, 0, 1, 2, 3, 4, 5);
	open_map(w, &m);
	read_all(w);
}

static void make_images(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, TW_IMAGE, i, 1, 64, 64, 1, made_data(&m, "name", sizeof("name")), -1);
	open_map(w, &m);
	read_all(w);
	rebuild(w, "images", true, n);
	rebuild(w, "images", false, n);
}

static void points(struct work *w, unsigned n)
{
	struct made m = {0};
	int32_t *v = calloc(n, 6 * sizeof(*v));

	assert_non_null(v);
	for (unsigned i = 0; i < n; i++)
		v[6 * i] = (int32_t)(100000 + i);
	MADE(&m, TW_VERSION, 0, 1);
	MADE(&m, TW_ENVELOPE, 0, 1, 4, 0, (int32_t)n);
	made_item(&m, TW_POINTS, 0, v, 6 * (size_t)n);
	free(v);
	open_map(w, &m);
	read_in_pieces(w, "envelopes/0.json");
}

static void make_points_of_a_large_envelope(struct work *w, unsigned n)
{
	points(w, 16 * n);
}

/* One auto-mapper item for each of n layers. */
static void make_automappers(struct work *w, unsigned n)
{
	struct made m = {0};

	MADE(&m, TW_VERSION, 0, 1);
	add_group(&m, 0, 0, (int32_t)n);
	add_layers(&m, n);
	for (unsigned i = 0; i < n; i++)
		MADE(&m, 0xfffe, i, 1, 0, (int32_t)i, 3, 42, 1);
	MADE(&m, TW_UUID_INDEX, 0xfffe, 0x3e1b2716, 0x178c3978, (int32_t)0x9bd9b11a,
		(int32_t)0xe0410dd8);
	open_map(w, &m);
	read_all(w);
	rebuild(w, "groups/0/layers", true, n);
	rebuild(w, "groups/0/layers", false, n);
}

static void assert_linear_growth(void (*run)(struct work *w, unsigned n))
{
	struct work few = {.n_phases = 0}, many = {.n_phases = 0};
	bool all = true;

	run(&few, FEW);
	run(&many, TIMES * FEW);
	for (unsigned i = 0; i < few.n_phases; i++) {
		double a = (double)few.phases[i] / FEW, b = (double)many.phases[i] / (TIMES * FEW);

		print_message("%-10s %8.1f steps of each, of eight times as many %8.1f\n",
			few.names[i], a, b);
		/* Sorting and searching add a logarithmic factor. */
		all &= b <= 1.5 * a;
	}
	fixture_close(&few.f);
	fixture_close(&many.f);
	assert_true(all);
}

#define TEST_GROWTH(make)                                                                          \
	static void make##_takes_linear_steps(void **state)                                        \
	{                                                                                          \
		(void)state;                                                                       \
		assert_linear_growth(make);                                                        \
	}

TEST_GROWTH(make_groups)
TEST_GROWTH(make_layers_without_group)
TEST_GROWTH(make_types)
TEST_GROWTH(make_uuid_types)
TEST_GROWTH(make_envelopes)
TEST_GROWTH(make_automappers)
TEST_GROWTH(make_images)
TEST_GROWTH(make_points_of_a_large_envelope)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(make_groups_takes_linear_steps),
		cmocka_unit_test(make_layers_without_group_takes_linear_steps),
		cmocka_unit_test(make_types_takes_linear_steps),
		cmocka_unit_test(make_uuid_types_takes_linear_steps),
		cmocka_unit_test(make_envelopes_takes_linear_steps),
		cmocka_unit_test(make_automappers_takes_linear_steps),
		cmocka_unit_test(make_images_takes_linear_steps),
		cmocka_unit_test(make_points_of_a_large_envelope_takes_linear_steps),
	};

	return cmocka_run_group_tests_name("many", tests, NULL, NULL);
}
