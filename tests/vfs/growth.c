/* SPDX-License-Identifier: Zlib */
/*
 * The cost of an operation on one file does not depend on the number of files: with eight times as
 * many files each kind of operation takes about eight times as many steps, not 64 times. Steps are
 * the basic blocks that run in the code of the mounted tree and of the format, which are compiled
 * for this test so that each block calls __sanitizer_cov_trace_pc; so the result does not depend on
 * time.
 *
 * One cost grows: if files show the content of others, a close examines all inodes that the kernel
 * knows, to find those that now show something else (tree/view.h). It takes a few steps for each
 * inode, which is microseconds for a map of usual size; an index of these files would have to be
 * kept consistent. So this cost has a separate limit.
 */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "formats/teeworlds/format.h"
#include "formats/torchlight/format.h"

const struct format *const formats[] = {&format_torchlight_mod, &format_teeworlds, NULL};

static atomic_ullong steps;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
}

enum { REPLY = 20, WORD = 64, PHASES_MAX = 16, LOOK_MAX = 20 /* steps for each known inode */ };

/* A map to be filled with files whose names are prefix, number, ending. */
struct work {
	struct box box;
	unsigned n;
	const char *map, *dir, *prefix, *moved, *ending, *content;
	unsigned long long phases[PHASES_MAX];
	const char *names[PHASES_MAX];
	bool looks[PHASES_MAX]; /* each file examines all inodes that the kernel knows */
	unsigned n_phases;
};

struct path {
	char text[WORD];
};

static struct path path_of(const struct work *w, const char *prefix, unsigned i, const char *ending)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s/%s%u%s", w->dir, prefix, i, ending);
	return p;
}

static struct path file(const struct work *w, unsigned i)
{
	return path_of(w, w->prefix, i, w->ending);
}

static void copy_in(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_put(&w->box, file(w, i).text, w->content), 0);
}

static void set_times(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_set_mtime(&w->box, file(w, i).text, 1000), 0);
}

struct listing {
	struct pending p; /* first */
	unsigned room, n;
	uint64_t next;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)name, (void)a;
	if (!l->room)
		return false;
	l->room--;
	l->n++;
	l->next = next;
	return true;
}

/* List a few names at a time, as the kernel does. */
static void list_files(struct work *w)
{
	struct listing l = {0};
	unsigned before, all;
	struct stat a;

	assert_int_equal(box_stat(&w->box, w->dir, &a), 0);
	do {
		all = l.n;
		l.room = REPLY;
		l.p.call = (struct call){
			.ino = a.st_ino, .off = l.next, .emit = emit, .with_attributes = true};
		before = w->box.n_seen;
		box_submit(&w->box, &l.p, vfs_readdir);
		assert_int_equal(box_wait(&l.p), 0);
		w->box.n_seen = before;
	} while (l.n > all);
	assert_in_range(l.n, w->n, w->n + 2);
}

/* Replace the file by rename, as rsync and editors do. */
static void write_by_rename(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct path from = path_of(w, ".", i, ".tmp");

		assert_int_equal(box_put(&w->box, from.text, w->content), 0);
		assert_int_equal(box_rename(&w->box, from.text, file(w, i).text), 0);
	}
}

static struct path moved_path(const struct work *w, unsigned i)
{
	return path_of(w, w->moved, i, w->ending);
}

static void move_files(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_rename(&w->box, file(w, i).text, moved_path(w, i).text), 0);
}

static void remove_moved_files(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_unlink(&w->box, moved_path(w, i).text), 0);
}

static void make_directories(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_mkdir(&w->box, path_of(w, "D", i, "").text), 0);
}

static void remove_directories(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_rmdir(&w->box, path_of(w, "D", i, "").text), 0);
}

/* A game would warn about so many images (OUTCOME_PARTIAL). */
static void save(struct work *w)
{
	assert_int_not_equal(box_save(&w->box, NULL), OUTCOME_SAVE_FAILED);
	box_settle(&w->box);
}

static void count_phase(struct work *w, const char *name, void (*run)(struct work *w))
{
	unsigned long long before = atomic_load(&steps);

	run(w);
	w->names[w->n_phases] = name;
	w->phases[w->n_phases++] = atomic_load(&steps) - before;
}

static void count_looking_phase(struct work *w, const char *name, void (*run)(struct work *w))
{
	w->looks[w->n_phases] = true;
	count_phase(w, name, run);
}

static void start_work(struct work *w)
{
	struct error e = ERROR_INIT;

	if (box_new(&w->box, w->map, &e) < 0)
		fail_msg("%s", error_text(&e));
}

static void work_on_archive(struct work *w)
{
	w->map = "M.MOD";
	w->dir = "MEDIA";
	w->prefix = "FILE";
	w->moved = "MOVED";
	w->ending = ".TXT";
	w->content = "a text";
	start_work(w);
	count_phase(w, "copy in", copy_in);
	count_phase(w, "set times", set_times);
	count_phase(w, "list", list_files);
	count_phase(w, "save", save);
	count_phase(w, "write by rename", write_by_rename);
	count_phase(w, "save again", save);
	count_phase(w, "move", move_files);
	count_phase(w, "save what moved", save);
	count_phase(w, "make directories", make_directories);
	count_phase(w, "remove directories", remove_directories);
	count_phase(w, "remove", remove_moved_files);
	count_phase(w, "copy in again", copy_in);
	count_phase(w, "save once more", save);
	box_remove(&w->box);
}

static void work_on_images(struct work *w)
{
	w->map = "m.map";
	w->dir = "images";
	w->prefix = "0";
	w->moved = "9";
	w->ending = "_a.json";
	w->content = "{\"external\": 1, \"width\": 8, \"height\": 8}\n";
	start_work(w);
	count_looking_phase(w, "copy in", copy_in);
	count_phase(w, "set times", set_times);
	count_phase(w, "list", list_files);
	count_looking_phase(w, "write by rename", write_by_rename);
	save(w); /* objects that no saved map has cannot be referred to */
	count_phase(w, "move", move_files);
	count_phase(w, "remove", remove_moved_files);
	box_remove(&w->box);
}

static void assert_linear_growth(void (*run)(struct work *w), unsigned n)
{
	struct work few = {.n = n}, many = {.n = 8 * n};
	bool all = true;

	run(&few);
	run(&many);
	for (unsigned i = 0; i < few.n_phases; i++) {
		double a = (double)few.phases[i] / few.n, b = (double)many.phases[i] / many.n;

		print_message("%-20s %8.1f steps a file, of eight times as many %8.1f\n",
			few.names[i], a, b);
		all &= b <= 1.25 * a + (few.looks[i] ? LOOK_MAX * (many.n - few.n) : 0);
	}
	assert_true(all);
}

static void steps_for_files_of_an_archive_grow_linearly(void **state)
{
	(void)state;
	assert_linear_growth(work_on_archive, 300);
}

static void steps_for_images_of_a_map_grow_linearly(void **state)
{
	(void)state;
	assert_linear_growth(work_on_images, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_for_files_of_an_archive_grow_linearly),
		cmocka_unit_test(steps_for_images_of_a_map_grow_linearly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
