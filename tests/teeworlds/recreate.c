/* SPDX-License-Identifier: Zlib */
/*
 * recreate: makes a new map from the typed files of another one.
 *
 *     recreate IN.map OUT.map [SEED]
 *
 * Every file of info, images, sounds, envelopes and groups is put into an empty map, in the order
 * of the listing or shuffled; unresolved files are tried again until nothing changes. Prints the
 * files that cannot be put; the exit code is then 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"

enum { FILES_MAX = 20000 };

struct item {
	char *path;
	struct bytes *content;
	entry_id id;
	bool done;
};

struct new_map {
	struct fixture in;
	struct snapshot *now;
	struct item *items;
	size_t n;
	struct placement *places;
	size_t n_places;
	struct {
		char *path;
		entry_id id;
	} * dirs;
	size_t n_dirs;
	int bad;
};

static void complain(struct new_map *m, const char *path, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", path, error_text(e));
	m->bad = 1;
}

static void add_part(void *arg, const char *path, const struct file_attr *entry)
{
	struct new_map *m = arg;
	struct error e = ERROR_INIT;
	struct item *it = &m->items[m->n];

	if (strncmp(path, "raw/", 4) == 0 || m->n == FILES_MAX)
		return;
	if (entry_get(m->in.s, entry, &it->content, &e) < 0) {
		complain(m, path, &e);
		return;
	}
	it->path = strdup(path);
	m->n++;
}

static void collect_placements(struct new_map *m, entry_id id, entry_id dir, const char *name)
{
	m->places[m->n_places++] = (struct placement){
		.id = id, .dir = dir, .name = strdup(name), .order = (uint32_t)m->n_places};
}

/* Find the entry of a path in the new map, or create it. */
static int find_or_create(
	struct new_map *m, const char *path, bool is_dir, entry_id *ret, struct error *e)
{
	const char *slash = strrchr(path, '/');
	char above[1024];
	struct file_attr entry;
	struct name_class meaning = {0};
	entry_id dir;
	int r;

	if (entry_find(m->now, path, &entry) == 0) {
		*ret = entry.id;
		return 0;
	}
	for (size_t i = 0; i < m->n_dirs; i++)
		if (strcmp(m->dirs[i].path, path) == 0) {
			*ret = m->dirs[i].id;
			return 0;
		}
	if (!slash)
		return error_set(e, -2, "%s: it is not there", path);
	snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
	r = find_or_create(m, above, true, &dir, e);
	if (r < 0)
		return r;
	r = m->now->format->tree->classify(m->now, dir, slash + 1, is_dir, ENTRY_ROOT, &meaning, e);
	if (r == 0 && meaning.kind == NAME_SCRATCH)
		return error_set(e, -22, "the name means nothing");
	if (r == 0)
		r = m->now->format->tree->add(&m->now, dir, slash + 1, is_dir, ret, e);
	if (r == 0 && meaning.kind == NAME_OBJECT)
		collect_placements(m, *ret, dir, slash + 1);
	if (r == 0 && is_dir) {
		m->dirs[m->n_dirs].path = strdup(path);
		m->dirs[m->n_dirs++].id = *ret;
	}
	return r;
}

static void shuffle(struct new_map *m, unsigned seed)
{
	for (size_t i = m->n; seed && i > 1; i--) {
		size_t k = (seed >> 8) % i;
		struct item t = m->items[i - 1];

		seed = seed * 1103515245 + 12345;
		m->items[i - 1] = m->items[k];
		m->items[k] = t;
	}
}

static int put_one(struct new_map *m, const struct item *it, struct error *e)
{
	const struct build_context others = {.placements = m->places, .n_placements = m->n_places};

	return entry_put_beside(&m->now, it->id, it->content->data, it->content->size, &others, e);
}

static void put_all(struct new_map *m)
{
	size_t left = m->n, before = m->n + 1;
	struct error e = ERROR_INIT;

	for (size_t i = 0; i < m->n; i++)
		if (find_or_create(m, m->items[i].path, false, &m->items[i].id, &e) < 0)
			complain(m, m->items[i].path, &e);
	while (left && left < before) {
		before = left;
		for (size_t i = 0; i < m->n; i++) {
			struct item *it = &m->items[i];
			int r = it->done ? 0 : put_one(m, it, &e);

			if (it->done || r == -EAGAIN)
				continue;
			if (r < 0)
				complain(m, it->path, &e);
			it->done = true;
			left--;
		}
	}
	for (size_t i = 0; i < m->n; i++)
		if (!m->items[i].done)
			complain(m, m->items[i].path, &e);
}

static void print_line(void *arg, enum format_line_kind, const char *line)
{
	(void)arg;
	printf("%s\n", line);
}

static void refused(void *arg, const struct format_fault *f)
{
	print_line(arg, FORMAT_NOTE, f->line);
}

static int write_map(struct new_map *m, const char *path, struct error *e)
{
	struct snapshot *finalized = NULL;
	struct file *file = NULL;
	static char buffer[1 << 16];
	uint64_t size, at = 0;
	FILE *out;
	int r = m->now->format->tree->finalize(
		m->now, m->places, m->n_places, &finalized, print_line, m, e);

	if (r == 0)
		r = m->now->format->edit->check(m->in.s, finalized, refused, m, e);
	if (r == 0)
		r = fixture_encode(&m->in, finalized, false, &file, NULL, e);
	snapshot_unref(finalized);
	if (r < 0)
		return r;
	out = fopen(path, "wb");
	size = fixture_file_size(file);
	while (out && at < size) {
		size_t n = size - at < sizeof(buffer) ? (size_t)(size - at) : sizeof(buffer);

		if (file_read(file, at, buffer, n, e) < 0 || fwrite(buffer, 1, n, out) != n)
			break;
		at += n;
	}
	file_unref(file);
	return out && fclose(out) == 0 && at == size ? 0 : error_set(e, -5, "cannot be written");
}

int main(int argc, char **argv)
{
	static struct new_map m;
	const struct source none = {.name = "new.map"};
	struct format_context ctx = {0};
	struct error e = ERROR_INIT;

	if (argc < 3 || fixture_open(&m.in, argv[1], "off", &e) < 0) {
		fprintf(stderr, "recreate IN.map OUT.map [SEED]: %s\n", error_text(&e));
		return 1;
	}
	ctx.budget = m.in.budget;
	ctx.store = &m.in.store;
	m.items = calloc(FILES_MAX, sizeof(*m.items));
	m.places = calloc(FILES_MAX, sizeof(*m.places));
	m.dirs = calloc(FILES_MAX, sizeof(*m.dirs));
	if (!m.items || !m.places || !m.dirs ||
		format_teeworlds.open(&none, &ctx, &m.now, &e) < 0 ||
		entry_walk(m.in.s, ENTRY_ROOT, "", add_part, &m, &e) < 0) {
		fprintf(stderr, "%s\n", error_text(&e));
		return 1;
	}
	shuffle(&m, argc > 3 ? (unsigned)atoi(argv[3]) : 0);
	put_all(&m);
	if (write_map(&m, argv[2], &e) < 0)
		complain(&m, argv[2], &e);
	return m.bad;
}
