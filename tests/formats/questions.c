/* SPDX-License-Identifier: Zlib */
/*
 * questions: no operation that takes a `const struct snapshot *` changes a later result.
 *
 *     questions SEEDS FILE [SECOND]
 *
 * For each seed a sequence of random changes (content put, files and directories created, renamed
 * and removed) runs four times: without questions; with questions of all kinds between its steps;
 * and with each kind of these, or each of these, asked once more before the map is written. If a
 * question changes something, and the same question changes it back the next time, for the map or
 * for one entry, then one of these runs asks it an odd number of times. All maps must be equal byte
 * for byte. The program needs only formats/format.h, so it serves every format.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"
#include "support/laws.h"
#include "base/array.h"
#include "base/buffer.h"
#include "formats/format.h"

enum { STEPS = 60, QUESTIONS = 6, NAMES = 4096 };

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *r, uint32_t n)
{
	r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return n ? (uint32_t)(r->state >> 33) % n : 0;
}

/* An entry of the map, present or removed. */
struct thing {
	entry_id id, dir;
	char name[NAME_MAX + 1];
	bool is_dir, made, placed, removed, put;
};

enum question { ASK_SAVE, ASK_SOUND, ASK_LIST, ASK_STAT, ASK_NAMES, ASK_CONTENT };
enum asking { SILENT, ASKED, KINDS_AGAIN, ALL_AGAIN, WAYS };

struct asked_question {
	enum question what;
	uint32_t thing;
};

struct run {
	const struct format *f;
	struct fixture map;
	struct random steps, questions;
	struct asked_question asked[STEPS * QUESTIONS]; /* each one once */
	size_t n_asked;
	struct snapshot *before, *now;
	struct thing *things;
	size_t n, room;
	unsigned puts, made, moved, removed; /* sum over all runs */
};

static void exit_with_error(const char *what, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", what, e ? error_text(e) : "");
	exit(2);
}

static struct thing *add_thing(struct run *run)
{
	if (!array_reserve(run->things, run->n, run->room))
		exit_with_error("no memory", NULL);
	run->things[run->n] = (struct thing){0};
	return &run->things[run->n++];
}

static void collect_entries(struct run *run, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;

	while (run->n < NAMES && run->f->list(run->now, dir, &cookie, name, &en, NULL) > 0) {
		struct thing *t = add_thing(run);

		*t = (struct thing){.id = en.id, .dir = dir, .is_dir = en.is_dir};
		strcpy(t->name, name);
		if (en.is_dir)
			collect_entries(run, en.id);
	}
}

static struct bytes *content_of(const struct run *run, const struct thing *t)
{
	const struct file_attr unsized = {.id = t->id};
	struct bytes *b = NULL;

	return !t->is_dir && entry_get(run->now, &unsized, &b, NULL) == 0 ? b : NULL;
}

static const char *ending_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot : "";
}

/* The content of the file without its last line. */
static struct bytes *content_without_last_line(const struct run *run, const struct thing *t)
{
	CLEANUP(bytes_unref) struct bytes *whole = content_of(run, t);
	size_t n = whole ? whole->size : 0;

	while (n > 1 && whole->data[n - 2] != '\n')
		n--;
	return n > 1 ? bytes_copy(whole->data, n - 1) : NULL;
}

/*
 * Content that is likely to be accepted or validly refused: the content of another file with the
 * same ending, or the file itself without a line.
 */
static struct bytes *pick_content(const struct run *run, struct random *r, const struct thing *file)
{
	for (unsigned tries = 0; tries < 50; tries++) {
		const struct thing *t = &run->things[random_below(r, (uint32_t)run->n)];

		if (!t->is_dir && !strcmp(ending_of(t->name), ending_of(file->name)))
			return random_below(r, 4) ? content_of(run, t)
						  : content_without_last_line(run, file);
	}
	return bytes_copy("x\n", 2);
}

static void put_content(struct run *run, struct thing *t)
{
	CLEANUP(bytes_unref) struct bytes *b = pick_content(run, &run->steps, t);

	if (b && !t->is_dir && entry_put(&run->now, t->id, b->data, b->size, NULL) == 1) {
		t->put = true;
		run->puts++;
	}
}

/* Make an unused name similar to that of t. */
static bool make_similar_name(
	const struct run *run, struct random *r, const struct thing *t, char *ret)
{
	size_t n = strlen(t->name) - strlen(ending_of(t->name));

	if (!n || strlen(t->name) + 4 > NAME_MAX)
		return false;
	snprintf(ret, NAME_MAX + 1, "%.*s%c%c%s", (int)n, t->name, 'a' + (int)random_below(r, 26),
		'a' + (int)random_below(r, 26), ending_of(t->name));
	for (size_t i = 0; i < run->n; i++)
		if (run->things[i].dir == t->dir && !strcmp(run->things[i].name, ret))
			return false;
	return true;
}

static bool means_object(
	const struct run *run, entry_id dir, const char *name, bool is_dir, entry_id moved)
{
	struct name_class m;

	return run->f->tree->classify(run->now, dir, name, is_dir, moved, &m, NULL) == 0 &&
	       !m.is_known && m.kind == NAME_OBJECT && (moved == ENTRY_ROOT || m.accepts_object);
}

static void make_entry(struct run *run, const struct thing *like)
{
	struct thing t = {.dir = like->dir, .is_dir = like->is_dir, .made = true, .placed = true};

	if (!make_similar_name(run, &run->steps, like, t.name) ||
		!means_object(run, t.dir, t.name, t.is_dir, ENTRY_ROOT) ||
		run->f->tree->add(&run->now, t.dir, t.name, t.is_dir, &t.id, NULL) < 0)
		return;
	put_content(run, &t);
	t.put |= t.is_dir;
	if (t.put) {
		*add_thing(run) = t;
		run->made++;
	}
}

static void move_entry(struct run *run, struct thing *t)
{
	char name[NAME_MAX + 1];

	if (make_similar_name(run, &run->steps, t, name) &&
		means_object(run, t->dir, name, t->is_dir, t->id)) {
		strcpy(t->name, name);
		t->placed = true;
		run->moved++;
	}
}

static void remove_entry(struct run *run, struct thing *t)
{
	struct name_class m;
	struct file_attr en;

	if (t->is_dir || run->f->stat(run->now, t->id, &en, NULL) < 0 || en.is_permanent ||
		en.is_cleared_by_save)
		return;
	t->removed = t->made || (run->f->tree->classify(run->now, t->dir, t->name, false,
					 ENTRY_ROOT, &m, NULL) == 0 &&
					m.is_known);
	run->removed += t->removed;
}

static void make_step(struct run *run)
{
	uint32_t what = random_below(&run->steps, 8),
		 i = random_below(&run->steps, (uint32_t)run->n);
	struct thing *t = &run->things[i];

	if (t->removed)
		return;
	if (what < 4)
		put_content(run, t);
	else if (what < 6)
		make_entry(run, t);
	else if (what == 6)
		move_entry(run, t);
	else
		remove_entry(run, t);
}

/* Placements of all entries, and times that are the same in all runs. */
static size_t placements(const struct run *run, struct placement **ret)
{
	struct placement *p = calloc(2 * run->n + 1, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; p && i < run->n; i++) {
		const struct thing *t = &run->things[i];

		if (t->removed ? !t->made : t->placed)
			p[n++] = (struct placement){.id = t->id,
				.dir = t->dir,
				.name = t->removed ? NULL : t->name,
				.is_removed = t->removed};
	}
	for (size_t i = 0; p && run->f->kept_time && i < run->n; i++)
		if (run->things[i].put && !run->things[i].removed && !run->things[i].is_dir)
			p[n++] = (struct placement){.id = run->things[i].id,
				.is_time_only = true,
				.mtime.tv_sec = 1000000000 + (time_t)i};
	*ret = p;
	return n;
}

static void ignore_fault(void *arg, const struct format_fault *f)
{
	(void)arg, (void)f;
}

static void ignore(void *arg, enum format_line_kind, const char *line)
{
	(void)arg;
	(void)line;
}

static int finalize(const struct run *run, struct snapshot **ret, struct error *e)
{
	CLEANUP(free) struct placement *p = NULL;
	size_t n = placements(run, &p);

	return p ? run->f->tree->finalize(run->now, p, n, ret, ignore, NULL, e) : -ENOMEM;
}

/* Make a save and drop its result. */
static void ask_for_a_save(const struct run *run)
{
	const struct format_edit *edit = run->f->edit;
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	CLEANUP(plan_free) struct plan *plan = NULL;
	struct source w = {0};
	struct error e = ERROR_INIT;

	if (finalize(run, &s, &e) < 0)
		return;
	if (edit->same)
		(void)edit->same(run->before, s);
	if (edit->check) {
		(void)edit->check(run->before, s, ignore_fault, NULL, &e);
		(void)edit->check(NULL, s, ignore_fault, NULL, &e);
	}
	(void)fixture_write(&run->map, s, false, &w, &plan, &e);
	source_drop(&w);
}

static void ask_of_names(const struct run *run, struct random *r, const struct thing *t)
{
	const struct thing *other = &run->things[random_below(r, (uint32_t)run->n)];
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	CLEANUP(bytes_unref) struct bytes *names = NULL;
	char name[NAME_MAX + 1];
	struct file_attr en;
	struct name_class m;

	(void)run->f->lookup(run->now, t->dir, other->name, &en, NULL);
	(void)run->f->tree->classify(run->now, t->dir, other->name, other->is_dir, t->id, &m, NULL);
	if (make_similar_name(run, r, t, name))
		(void)run->f->tree->classify(run->now, t->dir, name, t->is_dir, t->id, &m, NULL);
	if (run->f->tree->names && !random_below(r, 8) && finalize(run, &s, NULL) == 0)
		(void)run->f->tree->names(s, &names, NULL);
}

static void ask_of_content(const struct run *run, struct random *r, const struct thing *t)
{
	CLEANUP(snapshot_unref) struct snapshot *next = NULL;
	CLEANUP(bytes_unref) struct bytes *note = NULL;
	CLEANUP_EXTENT struct extent in = EXTENT_INIT;
	struct bytes *b = pick_content(run, r, t);

	bytes_unref(content_of(run, t));
	if (run->f->note)
		(void)run->f->note(run->now, t->id, &note, NULL);
	if (!b || t->is_dir) {
		bytes_unref(b);
		return;
	}
	in = extent_of_bytes(b);
	(void)format_put_file(run->now, t->id, &in, NULL, &next, NULL);
}

static void ask_question(struct run *run, enum question what, const struct thing *t)
{
	struct random *r = &run->questions;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;

	switch (what) {
	case ASK_SAVE:
		ask_for_a_save(run);
		break;
	case ASK_SOUND:
		if (run->f->edit->check_sound)
			(void)run->f->edit->check_sound(run->now, random_below(r, 2), NULL);
		break;
	case ASK_LIST:
		while (run->f->list(run->now, t->dir, &cookie, name, &en, NULL) > 0)
			;
		break;
	case ASK_STAT:
		(void)run->f->stat(run->now, t->id, &en, NULL);
		break;
	case ASK_NAMES:
		ask_of_names(run, r, t);
		break;
	case ASK_CONTENT:
		ask_of_content(run, r, t);
		break;
	}
}

static void ask_something(struct run *run)
{
	static const enum question rare[] = {ASK_SAVE, ASK_SOUND, ASK_LIST, ASK_LIST, ASK_STAT};
	uint32_t i = random_below(&run->questions, (uint32_t)run->n),
		 what = random_below(&run->questions, 24);
	struct asked_question a = {.what = ASK_NAMES, .thing = i};
	size_t k = 0;

	if (what < sizeof(rare) / sizeof(*rare))
		a.what = rare[what];
	else if (random_below(&run->questions, 2))
		a.what = ASK_CONTENT;
	ask_question(run, a.what, &run->things[i]);
	while (k < run->n_asked && (run->asked[k].what != a.what || run->asked[k].thing != i))
		k++;
	run->asked[k] = a;
	run->n_asked += k == run->n_asked;
}

static void ask_again(struct run *run, enum asking asking)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < run->n_asked; i++) {
		const struct asked_question *a = &run->asked[i];

		if (asking == ALL_AGAIN || !(kinds & 1U << a->what))
			ask_question(run, a->what, &run->things[a->thing]);
		kinds |= 1U << a->what;
	}
}

/* Returns the map after the run, both files of it. */
static struct bytes *run_once(struct run *run, uint64_t seed, enum asking asking)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct buffer all = BUFFER_INIT;
	struct error e = ERROR_INIT;
	struct bytes *ret = NULL;
	struct source w = {0};

	run->steps.state = run->questions.state = seed;
	run->n_asked = 0;
	if (run->f->open(&run->map.source, &run->map.ctx, &run->before, &e) < 0)
		exit_with_error("open", &e);
	run->now = snapshot_ref(run->before);
	collect_entries(run, ENTRY_ROOT);
	for (unsigned i = 0; i < STEPS; i++) {
		for (unsigned k = 0; asking != SILENT && k < QUESTIONS; k++)
			ask_something(run);
		make_step(run);
	}
	if (asking >= KINDS_AGAIN)
		ask_again(run, asking);
	if (finalize(run, &s, &e) < 0 || fixture_write(&run->map, s, false, &w, NULL, &e) < 0)
		exit_with_error("save", &e);
	for (unsigned i = 0; i < w.n_files; i++) {
		uint8_t *to = buffer_reserve(&all, (size_t)w.sizes[i]);

		if (!to || file_read(w.files[i], 0, to, (size_t)w.sizes[i], &e) < 0)
			exit_with_error("read back", &e);
		all.size += (size_t)w.sizes[i];
	}
	if (buffer_finish(&all, &ret) < 0)
		exit_with_error("no memory", NULL);
	source_drop(&w);
	snapshot_unref(TAKE(run->now));
	snapshot_unref(TAKE(run->before));
	free(run->things);
	run->things = NULL;
	run->n = run->room = 0;
	return ret;
}

static bool check_seed(struct run *run, uint64_t seed)
{
	CLEANUP(bytes_unref) struct bytes *silent = run_once(run, seed, SILENT);

	for (enum asking how = ASKED; how < WAYS; how++) {
		CLEANUP(bytes_unref) struct bytes *asked = run_once(run, seed, how);

		if (silent->size == asked->size && !memcmp(silent->data, asked->data, asked->size))
			continue;
		fprintf(stderr, "seed %u: what was asked%s changed the map\n", (unsigned)seed,
			how == ASKED ? "" : " an odd number of times");
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct run run;
	struct source src = {0};
	struct error e = ERROR_INIT;
	int wrong = 0;

	if (argc < 3)
		return 2;
	for (int i = 2; i < argc; i++)
		if (source_add(&src, argv[i], &e) < 0)
			exit_with_error(argv[i], &e);
	if (fixture_open_source(&run.map, NULL, &src, NULL, &e) < 0)
		exit_with_error(argv[2], &e);
	run.f = run.map.s->format;
	for (int seed = 1; seed <= atoi(argv[1]); seed++)
		wrong += !check_seed(&run, (uint64_t)seed);
	fixture_close(&run.map);
	printf("%u put, %u made, %u moved, %u removed\n", run.puts, run.made, run.moved,
		run.removed);
	return wrong != 0;
}
