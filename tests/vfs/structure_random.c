/* SPDX-License-Identifier: Zlib */
/*
 * Random sequences that create, write, rename and remove files of a map, save, kill and mount
 * again, checked against structure_model.h. After each step everything that the mount shows is
 * compared with the model; in every other sequence also the listings that the kernel would cache;
 * after each save also the map file, by an independent reader.
 *
 * Deterministic: the seed of a failed sequence is printed. MAPFS_TEST_SEED runs it alone,
 * MAPFS_TEST_TELL=1 prints its steps, MAPFS_TEST_STEPS ends it early, MAPFS_TEST_SEQUENCES sets the
 * number of sequences.
 */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/remember.h"
#include "support/structure_model.h"

enum { SEQUENCES = 20000, SHARE = 2500, STEPS = 14, CONTENTS = 20 };

struct run {
	struct box box;
	struct model m;
	uint32_t seed, random;
	int step;
	bool tell;
	int contents[CONTENTS], n_contents;
};

static struct run run;
static struct bytes *map;

static unsigned pick_number(unsigned n)
{
	run.random = run.random * 1664525u + 1013904223u;
	return (run.random >> 12) % n;
}

static void print_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void print_step(const char *fmt, ...)
{
	va_list ap;

	if (!run.tell)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

static void fail_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void fail_step(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fail_msg("seed %u, step %d: %s", run.seed, run.step, text);
}

static void check_result(int got, int want)
{
	if (got != want)
		fail_step("it returned %d, not %d", got, want);
}

/* Pick a path: existing, former, or scratch. */
static void pick_path(char ret[PATH_SIZE])
{
	static const char *const names[] = {"images/5_new.png", "images/new.png",
		"images/0_zero.png", "images/44.png", "images/1_out.json", "images/2_far.png",
		"images/.t.png", "images/t.bak", "images/photo.jpg", "images/dir/a.png",
		"images/dir/b", "t.bak", "sounds/1_new.opus", "sounds/t.bak", "info/.author.swp",
		"other/x~"};
	const struct object *o;

	if (pick_number(8) < 4) {
		snprintf(ret, PATH_SIZE, "%s",
			run.m.now.files[pick_number((unsigned)run.m.now.n_files)].path);
	} else if (pick_number(4) == 0) {
		o = &run.m.base[pick_number((unsigned)run.m.n_base)];
		snprintf(ret, PATH_SIZE, "%s", o->path);
		if (o->kind == KIND_IMAGE && pick_number(2))
			strcpy(strrchr(ret, '.'),
				strcmp(strrchr(ret, '.'), ".png") ? ".png" : ".json");
	} else {
		snprintf(
			ret, PATH_SIZE, "%s", names[pick_number(sizeof(names) / sizeof(names[0]))]);
	}
}

/* Pick content, mostly valid for the path. */
static int pick_content(const char *path)
{
	static const enum form forms[] = {FORM_PNG, FORM_JSON, FORM_OPUS, FORM_LINE};
	const char *dot = strrchr(path, '.');
	enum form form = !dot                        ? FORM_LINE
			 : strcmp(dot, ".png") == 0  ? FORM_PNG
			 : strcmp(dot, ".json") == 0 ? FORM_JSON
			 : strcmp(dot, ".opus") == 0 ? FORM_OPUS
						     : forms[pick_number(4)];
	bool fits = pick_number(5) != 0;
	int c;

	do
		c = run.contents[pick_number((unsigned)run.n_contents)];
	while (fits && content_judge(form, c) == NO_CONTENT);
	return c;
}

/* A listing before the close is remembered after it. */
static int put_content(const char *path, const struct bytes *content)
{
	struct fd *f;
	int r = box_open(&run.box, path, O_WRONLY | O_TRUNC, &f);

	if (r == -ENOENT)
		r = box_create(&run.box, path, &f);
	if (r < 0)
		return r;
	if (run.seed % 2)
		box_remember(&run.box);
	r = content->size ? fd_write(f, 0, content->data, content->size) : 0;
	check_result(r, 0);
	return fd_close(f);
}

static void step_put(void)
{
	char path[PATH_SIZE];
	struct fd *f;
	int c, want;

	pick_path(path);
	c = pick_content(path);
	print_step("put %s %d\n", path, c);
	want = model_put(&run.m, path, c);
	check_result(put_content(path, content_bytes(c)), want);
	if (want == 0 && pick_number(8) == 0 && box_open(&run.box, path, 0, &f) == 0) {
		check_result(fd_fsync(f), 0);
		fd_close(f);
	}
}

static void step_rename(void)
{
	char from[PATH_SIZE], to[PATH_SIZE];
	int want;

	pick_path(from);
	pick_path(to);
	/* The kernel refuses this rename. */
	if (strncmp(from, to, strlen(from)) == 0 && to[strlen(from)] == '/')
		return;
	print_step("rename %s %s\n", from, to);
	want = model_rename(&run.m, from, to);
	check_result(box_rename(&run.box, from, to), want);
}

/* Write the new content to a file beside it and rename it over, like editors. */
static void step_replace(void)
{
	static const char temporary[] = "images/.temporary";
	char path[PATH_SIZE];
	int c, want;

	pick_path(path);
	c = pick_content(path);
	print_step("put %s %d; rename %s\n", temporary, c, path);
	model_put(&run.m, temporary, c);
	check_result(
		box_put_bytes(&run.box, temporary, content_bytes(c)->data, content_bytes(c)->size),
		0);
	want = model_rename(&run.m, temporary, path);
	check_result(box_rename(&run.box, temporary, path), want);
}

static void step_unlink(void)
{
	char path[PATH_SIZE];
	int want;

	pick_path(path);
	print_step("unlink %s\n", path);
	want = model_unlink(&run.m, path);
	check_result(box_unlink(&run.box, path), want);
}

static void step_dir(void)
{
	const char *path = pick_number(2) ? "images/dir" : "other";
	bool make = pick_number(3) != 0;
	int want = make ? model_mkdir(&run.m, path) : model_rmdir(&run.m, path);

	print_step("%s %s\n", make ? "mkdir" : "rmdir", path);
	check_result(make ? box_mkdir(&run.box, path) : box_rmdir(&run.box, path), want);
}

static void step_drop(void)
{
	char path[PATH_SIZE];
	const struct model_file *f;

	pick_path(path);
	f = model_file(&run.m, path);
	if (!f || f->scratch)
		return;
	print_step("drop %s\n", path);
	check_result(box_removexattr(&run.box, path, "user.mapfs.error"), model_drop(&run.m, path));
}

/* Make a layer refer to the object at a path. */
static void step_refer(void)
{
	static const char *const keys[] = {"image", "image", "image", "sound"};
	unsigned layer = pick_number(LAYERS), at = pick_number((unsigned)run.m.now.n_files);
	const struct model_file *f = &run.m.now.files[at];
	char path[128], text[128];

	if (f->scratch || f->draft || strncmp(f->path, layer == 3 ? "sounds/" : "images/", 7) != 0)
		return;
	snprintf(path, sizeof(path), "%s/layer.json", layer_paths[layer]);
	snprintf(text, sizeof(text), "{\"%s\": \"%.*s\"}", keys[layer],
		(int)(strrchr(f->path, '.') - f->path) - 7, f->path + 7);
	print_step("refer %s %s\n", path, f->path);
	check_result(box_put(&run.box, path, text), 0);
	model_refer(&run.m, layer, f->path);
}

static void compare_objects(const char *what, const struct map_object *got, unsigned n_got,
	const struct map_object *want, unsigned n_want)
{
	for (unsigned i = 0; i < n_got || i < n_want; i++) {
		const struct map_object *g = &got[i], *w = &want[i];

		if (i >= n_got)
			fail_step("the map lacks %s %u, \"%s\"", what, i, w->name);
		if (i >= n_want)
			fail_step("the map has %s %u, \"%s\"", what, i, g->name);
		if (strcmp(g->name, w->name) != 0)
			fail_step("%s %u is called \"%s\", not \"%s\"", what, i, g->name, w->name);
		if (g->content != w->content)
			fail_step("%s %u, \"%s\", has content %d, not %d", what, i, g->name,
				g->content, w->content);
	}
}

/* The bytes of the map only change if objects do. */
static void compare_map(const struct bytes *before)
{
	struct bytes *now = box_map(&run.box);
	const struct map_content *want = &run.m.saved;
	struct map_content got;

	if (!map_is_sound(now) || !map_read(now, &got))
		fail_step("the map cannot be read");
	compare_objects("image", got.images, got.n_images, want->images, want->n_images);
	compare_objects("sound", got.sounds, got.n_sounds, want->sounds, want->n_sounds);
	for (int i = 0; i < LAYERS; i++)
		if (got.refs[i] != want->refs[i])
			fail_step("%s refers to %d, not %d", layer_paths[i], got.refs[i],
				want->refs[i]);
	for (int i = 0; i < FIELDS; i++)
		if (got.info[i] != want->info[i])
			fail_step("info %d has content %d, not %d", i, got.info[i], want->info[i]);
	if (!run.m.written && !bytes_equal_data(now, before->data, before->size))
		fail_step("the map was written although nothing changed");
	bytes_unref(now);
}

static bool is_removed(const char *path)
{
	for (int i = 0; i < run.m.n_removed; i++)
		if (strcmp(run.m.removed[i], path) == 0)
			return true;
	return false;
}

static const char *text_after_word(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

/*
 * Check that all lines are true, and that all removals are reported. compare_map checked the
 * references of layers.
 */
static void check_report(struct report *report)
{
	int n_gone = 0;

	for (size_t i = 0; i < report->n; i++) {
		const char *line = report->lines[i], *saved = text_after_word(line, "saved: ");
		const char *removed = text_after_word(line, "removed: ");

		print_step("... %s\n", line);
		if (saved && strncmp(saved, "groups/", 7) != 0 && strncmp(saved, "and ", 4) != 0 &&
			!model_has_path(&run.m, saved) &&
			(run.m.written || !model_file(&run.m, saved)))
			fail_step("the map does not agree with the report line: %s", line);
		if (removed && !is_removed(removed))
			fail_step("the map has an object that the report calls removed: %s", line);
		n_gone += removed || text_after_word(line, "note: what was ");
	}
	if (n_gone != run.m.n_removed)
		fail_step("%d objects are reported as removed, not %d", n_gone, run.m.n_removed);
	report_finish(report);
}

/* A warning of the save gives the outcome 5. */
static int outcome_with(const struct report *report, int outcome)
{
	for (size_t i = 0; i < report->n; i++)
		if (text_after_word(report->lines[i], "warning: "))
			return OUTCOME_PARTIAL;
	return outcome;
}

static void step_save(void)
{
	struct bytes *before = box_map(&run.box);
	struct report report = REPORT_INIT;

	print_step("save\n");
	model_save(&run.m);
	if (pick_number(2)) {
		enum outcome got = box_save(&run.box, &report);

		check_result((int)got, outcome_with(&report, OUTCOME_DONE));
		check_report(&report);
	} else {
		check_result(box_sync_root(&run.box), 0);
	}
	compare_map(before);
	bytes_unref(before);
}

static void end_mount(void)
{
	struct bytes *before = box_map(&run.box);
	struct report report = REPORT_INIT;
	char litter[NAME_MAX + 1];
	int want, got;

	print_step("end\n");
	model_save(&run.m);
	want = model_has_leftovers(&run.m) ? OUTCOME_PARTIAL : OUTCOME_DONE;
	got = (int)box_end(&run.box, &report);
	check_result(got, outcome_with(&report, want));
	check_report(&report);
	compare_map(before);
	bytes_unref(before);
	if (box_count_names(&run.box, ".mapfs-journal-", litter) ||
		box_count_names(&run.box, ".mapfs-new-", litter))
		fail_step("litter beside the map: %s", litter);
	box_remount(&run.box);
	model_mount(&run.m);
}

static void step_end(void)
{
	end_mount();
}

static void step_kill(void)
{
	print_step("kill\n");
	if (!model_kill(&run.m, box_count_names(&run.box, ".mapfs-journal-", NULL)))
		fail_step("what was closed is in no journal");
	box_remount(&run.box);
}

/* Use both paths of a renamed image after a save and a kill. */
static void step_reuse_path(void)
{
	const struct object *o = &run.m.base[pick_number((unsigned)run.m.n_base)];
	char home[PATH_SIZE], other[PATH_SIZE];
	int want, c;

	strcpy(home, o->path);
	pick_path(other);
	if (o->kind != KIND_IMAGE || strncmp(other, "images/", 7) != 0 ||
		strcmp(other, home) == 0 || strchr(other + 7, '/'))
		return;
	print_step("rename %s %s\n", home, other);
	want = model_rename(&run.m, home, other);
	check_result(box_rename(&run.box, home, other), want);
	step_save();
	if (pick_number(2)) {
		c = pick_content(home);
		print_step("put %s %d\n", home, c);
		want = model_put(&run.m, home, c);
		check_result(box_put_bytes(&run.box, home, content_bytes(c)->data,
				     content_bytes(c)->size),
			want);
	} else {
		pick_path(other);
		print_step("rename %s %s\n", other, home);
		want = model_rename(&run.m, other, home);
		check_result(box_rename(&run.box, other, home), want);
	}
	step_kill();
}

struct listing {
	struct pending p; /* first */
	int n;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	(void)a, (void)next;
	((struct listing *)c)->n += strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	return true;
}

/* Each file of the model exists, so comparing the numbers is sufficient. */
static int count_listed(const char *dir)
{
	struct pending p = {.call = {.ino = VFS_ROOT_INO, .name = dir}};
	struct listing l = {0};

	box_submit(&run.box, &p, vfs_lookup);
	check_result(box_wait(&p), 0);
	l.p.call.ino = p.call.attr.st_ino;
	l.p.call.emit = emit;
	box_submit(&run.box, &l.p, vfs_readdir);
	check_result(box_wait(&l.p), 0);
	vfs_forget(run.box.v, p.call.attr.st_ino, 1);
	return l.n;
}

static int count_files_in(const char *dir)
{
	size_t k = strlen(dir);
	int n = 0;

	for (int i = 0; i < run.m.now.n_files; i++) {
		const char *path = run.m.now.files[i].path;

		n += strncmp(path, dir, k) == 0 && path[k] == '/' && !strchr(path + k + 1, '/');
	}
	return n;
}

static void check_file(const struct model_file *f)
{
	struct stat a;
	int want = model_shows(&run.m, f);
	struct bytes *got;

	if (f->dir) {
		check_result(box_stat(&run.box, f->path, &a), 0);
		return;
	}
	got = box_get(&run.box, f->path);
	if (!got)
		fail_step("%s cannot be read", f->path);
	if (!bytes_equal_data(got, content_bytes(want)->data, content_bytes(want)->size))
		fail_step("%s shows content %d, not %d", f->path, content_of(got->data, got->size),
			want);
	bytes_unref(got);
	if (!f->scratch && box_is_draft(&run.box, f->path) != f->draft)
		fail_step("%s is %s", f->path, f->draft ? "no draft" : "a draft");
}

static void check_everything(void)
{
	static const char *const dirs[] = {"images", "sounds", "info"};

	for (int i = 0; i < run.m.now.n_files; i++)
		check_file(&run.m.now.files[i]);
	for (int i = 0; i < 3; i++)
		if (count_listed(dirs[i]) != count_files_in(dirs[i]))
			fail_step("%s lists %d names, not %d", dirs[i], count_listed(dirs[i]),
				count_files_in(dirs[i]));
}

static void check_remembered(void)
{
	const char *path;

	box_settle(&run.box);
	path = box_find_stale_listing(&run.box);
	if (path)
		fail_step("the kernel remembers names of %s that are others now",
			*path ? path : "the root");
}

static const struct {
	void (*run)(void);
	unsigned weight;
} steps[] = {
	{step_put, 10},
	{step_rename, 16},
	{step_replace, 5},
	{step_unlink, 6},
	{step_dir, 2},
	{step_drop, 2},
	{step_refer, 2},
	{step_save, 2},
	{step_kill, 2},
	{step_reuse_path, 2},
	{step_end, 1},
};

static void run_random_step(void)
{
	unsigned total = 0, at;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		total += steps[i].weight;
	at = pick_number(total);
	for (i = 0; at >= steps[i].weight; i++)
		at -= steps[i].weight;
	steps[i].run();
}

static void start_box(void)
{
	int n = 0;

	for (unsigned i = 0; i < 4; i++)
		run.contents[n++] = content_png(1 + i, 50 + i, i & 1);
	run.contents[n++] = content_png(2, 11, true); /* grass, unchanged */
	run.contents[n++] = content_json(3, 4, true);
	run.contents[n++] = content_json(7, 7, false); /* sky, unchanged */
	run.contents[n++] = content_opus(7);
	run.contents[n++] = content_opus(8);
	run.contents[n++] = content_text("bob\n");
	run.contents[n++] = content_text("eve");
	run.contents[n++] = content_text("");
	run.contents[n++] = content_text("two\nlines\n");
	run.contents[n++] = content_cut(content_png(2, 51, true), 40);
	run.contents[n++] = content_cut(content_json(3, 4, true), 12);
	run.contents[n++] = content_cut(content_opus(7), 20);
	run.n_contents = n;
	structure_map_content(&run.m.saved);
	model_mount(&run.m);
}

static void sequence(uint32_t seed)
{
	const char *only = getenv("MAPFS_TEST_STEPS");
	int n = only ? atoi(only) : STEPS;

	memset(&run.m, 0, sizeof(run.m));
	run.seed = seed;
	run.random = seed * 2654435761u + 1;
	run.step = 0;
	run.tell = getenv("MAPFS_TEST_TELL") != NULL;
	box_make(&run.box);
	put_file(run.box.room.fd, MAP_NAME, map->data, map->size);
	check_result(box_mount(&run.box, NULL), 0);
	start_box();
	for (; run.step < n; run.step++) {
		if (seed % 2)
			box_remember(&run.box);
		print_step("%2d: ", run.step);
		run_random_step();
		check_everything();
		check_remembered();
	}
	box_forget_listings(&run.box);
	end_mount();
	box_remove(&run.box);
	run.seed = 0;
}

static void random_sequences_follow_the_rules(void **state)
{
	const char *one = getenv("MAPFS_TEST_SEED");
	uint32_t n = sequences_to_run(SEQUENCES, SHARE);

	(void)state;
	map = structure_map();
	if (one)
		sequence((uint32_t)strtoul(one, NULL, 10));
	for (uint32_t seed = 1; !one && seed <= n; seed++)
		sequence(seed);
	bytes_unref(map);
}

/* cmocka also calls it after a failed assertion. */
static int clean_up(void **state)
{
	(void)state;
	if (run.seed)
		box_remove(&run.box);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_sequences_follow_the_rules, clean_up),
	};

	rooms_in_memory();
	return cmocka_run_group_tests_name("vfs: structure", tests, NULL, NULL);
}
