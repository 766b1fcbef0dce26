/* SPDX-License-Identifier: Zlib */
#include "world.h"

#include "base/cursor.h"
#include "codec/image/png.h"

void world_open(struct world *w, const char *map)
{
	*w = (struct world){0};
	must_open(&w->f, map, "ro");
	w->now = snapshot_ref(w->f.s);
	/* Names are read before anything changes, as the overlay does. */
	entry_find(w->now, "images", &(struct file_attr){0});
}

void world_create(struct world *w)
{
	const struct source none = {.name = "new.map"};
	struct format_context ctx = {0};
	struct error err = ERROR_INIT;

	world_open(w, "full.map");
	snapshot_unref(w->now);
	ctx.budget = w->f.budget;
	ctx.store = &w->f.store;
	assert_ok(format_teeworlds.open(&none, &ctx, &w->now, &err));
}

static void forget_places(struct world *w)
{
	while (w->n)
		free((void *)(uintptr_t)w->places[--w->n].name);
}

static void forget_finalized(struct world *w)
{
	snapshot_unref(TAKE(w->finalized));
	if (w->wrote)
		fixture_close(&w->after);
	w->wrote = false;
}

void world_close(struct world *w)
{
	forget_finalized(w);
	forget_places(w);
	snapshot_unref(w->now);
	fixture_close(&w->f);
}

/* Sort by position: later placements come first, and those without a number last. */
static void sort_places(struct world *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const char *name = w->places[i].name;
		size_t digits = name ? strspn(name, "0123456789") : 0;
		bool has = digits && (name[digits] == '_' || !name[digits]);

		w->places[i].order = (uint32_t)(has ? w->n - i : w->n + i);
	}
}

static void add_placement(struct world *w, struct placement p)
{
	for (size_t i = 0; i < w->n; i++)
		if (entry_object(w->places[i].id) == entry_object(p.id)) {
			free((void *)(uintptr_t)w->places[i].name);
			memmove(w->places + i, w->places + i + 1,
				(w->n - i - 1) * sizeof(w->places[0]));
			w->n--;
			break;
		}
	assert_true(w->n < WORLD_PLACES);
	w->places[w->n++] = p;
	sort_places(w);
}

entry_id world_add_in(struct world *w, entry_id dir, const char *name, bool is_dir)
{
	struct error err = ERROR_INIT;
	struct name_class m;
	entry_id id;

	assert_ok(w->now->format->tree->classify(w->now, dir, name, is_dir, ENTRY_ROOT, &m, &err));
	assert_true(m.kind != NAME_SCRATCH);
	assert_ok(w->now->format->tree->add(&w->now, dir, name, is_dir, &id, &err));
	if (m.kind == NAME_OBJECT)
		add_placement(w, (struct placement){.id = id, .dir = dir, .name = strdup(name)});
	return id;
}

entry_id world_add(struct world *w, const char *dir, const char *name, bool is_dir)
{
	return world_add_in(w, id_of(w->now, dir), name, is_dir);
}

int world_put(struct world *w, entry_id id, const void *data, size_t n, struct error *e)
{
	const struct build_context others = {.placements = w->places, .n_placements = w->n};

	return entry_put_beside(&w->now, id, data, n, &others, e);
}

int world_put_text(struct world *w, entry_id id, const char *text, struct error *e)
{
	return world_put(w, id, text, strlen(text), e);
}

void world_set(struct world *w, entry_id id, const char *text)
{
	struct error err = ERROR_INIT;

	assert_ok(world_put_text(w, id, text, &err));
}

entry_id world_copy(struct world *w, const char *dir, const char *name, const struct bytes *content)
{
	entry_id id = world_add(w, dir, name, false);
	struct error err = ERROR_INIT;

	assert_ok(world_put(w, id, content->data, content->size, &err));
	return id;
}

const char *world_name(const struct world *w, entry_id id)
{
	for (size_t i = 0; i < w->n; i++)
		if (entry_object(w->places[i].id) == entry_object(id))
			return w->places[i].name;
	return NULL;
}

void world_move(struct world *w, entry_id id, entry_id dir, const char *name)
{
	add_placement(w, (struct placement){.id = id, .dir = dir, .name = strdup(name)});
}

void world_remove(struct world *w, entry_id id)
{
	const struct extent nothing = EXTENT_INIT;
	struct snapshot *next = NULL;
	struct error err = ERROR_INIT;
	struct file_attr en;

	assert_ok(w->now->format->stat(w->now, id, &en, &err));
	if (en.is_dir || !(en.is_cleared_by_mount || en.is_cleared_by_save)) {
		add_placement(w, (struct placement){.id = id, .is_removed = true});
		return;
	}
	assert_ok(format_put_file(
		w->now, id, en.is_cleared_by_mount ? NULL : &nothing, NULL, &next, &err));
	if (next) {
		snapshot_unref(w->now);
		w->now = next;
	}
}

static void print_line(void *arg, enum format_line_kind, const char *line)
{
	struct world *w = arg;
	size_t n = strlen(w->report);

	snprintf(w->report + n, sizeof(w->report) - n, "%s\n", line);
}

int world_try(struct world *w, struct error *e)
{
	forget_finalized(w);
	w->report[0] = '\0';
	return w->now->format->tree->finalize(
		w->now, w->places, w->n, &w->finalized, print_line, w, e);
}

void world_finalize(struct world *w)
{
	struct error err = ERROR_INIT;
	struct file *file = NULL;

	assert_ok(world_try(w, &err));
	assert_ok(fixture_encode(&w->f, w->finalized, false, &file, NULL, &err));
	w->wrote = true;
	assert_ok(fixture_open_file(&w->after, file, "after.map", "ro", &err));
}

const char *world_list(struct world *w, const char *dir)
{
	static char names[4096];
	struct error err = ERROR_INIT;
	entry_id id = id_of(w->after.s, dir);
	uint64_t cookie = 0;
	struct file_attr entry;
	size_t n = 0;

	names[0] = '\0';
	while (w->after.s->format->list(w->after.s, id, &cookie, names + n, &entry, &err) == 1) {
		n += strlen(names + n);
		strcpy(names + n++, " ");
		assert_true(n + NAME_MAX < sizeof(names));
	}
	names[n] = '\0';
	return names;
}

bool world_said(const struct world *w, const char *text)
{
	return strstr(w->report, text) != NULL;
}

bool world_is_unchanged(const struct world *w)
{
	const struct file *a = w->f.source.files[0], *b = w->after.source.files[0];
	size_t size = (size_t)fixture_file_size(a);
	CLEANUP(free) char *x = malloc(size + 1), *y = malloc(size + 1);

	return size == fixture_file_size(b) && file_read(a, 0, x, size, NULL) == 0 &&
	       file_read(b, 0, y, size, NULL) == 0 && memcmp(x, y, size) == 0;
}

int32_t world_int(const struct world *w, unsigned type, int position, uint32_t i)
{
	const struct tw_item *it = tw_item_at(fixture_map(&w->after), type, position);

	assert_non_null(it);
	assert_true(i < it->ints->n);
	return it->ints->v[i];
}

static int fill_pixels(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	(void)off, (void)e;
	memset(dst, *(const uint8_t *)arg, n);
	return 0;
}

struct bytes *world_png(uint32_t w, uint32_t h, uint8_t value)
{
	struct error err = ERROR_INIT;
	uint64_t size = 0;
	struct bytes *b;
	uint8_t *dst;

	assert_int_equal(png_file_size(w, h, &size), 0);
	b = bytes_new((size_t)size, &dst);
	assert_ok(png_file_read(w, h, fill_pixels, &value, NULL, 0, dst, (size_t)size, &err));
	return b;
}

const int32_t *world_ints(struct world *w, unsigned type, int position, uint32_t field)
{
	static int32_t ints[4096];
	const struct tw_map *m = fixture_map(&w->after);
	struct blob *b = tw_get_blob(m, tw_item_at(m, type, position), field);
	struct error err = ERROR_INIT;

	assert_non_null(b);
	assert_true(b->size <= sizeof(ints));
	assert_ok(blob_read(b, 0, ints, (size_t)b->size, &err));
	for (size_t i = 0; i < b->size / sizeof(*ints); i++)
		ints[i] = load_i32((const uint8_t *)&ints[i]);
	return ints;
}

void world_item(const struct world *w, unsigned type, int position, size_t n, const int32_t *v)
{
	for (uint32_t i = 0; i < n; i++)
		if (world_int(w, type, position, i) != v[i])
			fail_msg("integer %u is %d, meant: %d", i, world_int(w, type, position, i),
				v[i]);
}

void world_range(const struct world *w, int group, int start, int count)
{
	assert_int_equal(world_int(w, TW_GROUP, group, 5 /* start */), start);
	assert_int_equal(world_int(w, TW_GROUP, group, 6 /* count */), count);
}
