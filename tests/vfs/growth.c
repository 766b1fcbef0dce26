/* SPDX-License-Identifier: Zlib */
/*
 * What is done with one file costs the same however many there are: with eight times as many files
 * each kind of operation takes eight times as many steps, and not the square of it. Steps are the
 * basic blocks that run in the code of the mounted tree and of the format, which are compiled for
 * this test so that each block calls __sanitizer_cov_trace_pc; so nothing here depends on time.
 *
 * One thing grows: where files show what others hold, the close of one looks through all that the
 * kernel knows, for those that show something else now (tree/view.h). That is a few steps for each
 * of them, microseconds with as many files as a map has, and an index of what each of them shows
 * would be one more thing to keep in step. So it has a bound of its own.
 */
#include "box.h"

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

enum { REPLY = 20, WORD = 64, PHASES_MAX = 16, LOOK_MAX = 20 /* steps for one that is known */ };

/* A map to be filled with files that are called prefix, number, ending. */
struct work {
	struct box box;
	unsigned n;
	const char *map, *dir, *prefix, *moved, *ending, *content;
	unsigned long long phases[PHASES_MAX];
	const char *names[PHASES_MAX];
	bool looks[PHASES_MAX]; /* through all that the kernel knows, for each file */
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

/* As the kernel does: a few names at a time. */
static void list(struct work *w)
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

/* As rsync and editors do. */
static void write_by_rename(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct path from = path_of(w, ".", i, ".tmp");

		assert_int_equal(box_put(&w->box, from.text, w->content), 0);
		assert_int_equal(box_rename(&w->box, from.text, file(w, i).text), 0);
	}
}

static struct path moved(const struct work *w, unsigned i)
{
	return path_of(w, w->moved, i, w->ending);
}

static void move(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_rename(&w->box, file(w, i).text, moved(w, i).text), 0);
}

static void remove_moved(struct work *w)
{
	for (unsigned i = 0; i < w->n; i++)
		assert_int_equal(box_unlink(&w->box, moved(w, i).text), 0);
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

/* A game warns of so many images (OUTCOME_PARTIAL). */
static void save(struct work *w)
{
	assert_int_not_equal(box_save(&w->box, NULL), OUTCOME_SAVE_FAILED);
	box_settle(&w->box);
}

static void phase(struct work *w, const char *name, void (*run)(struct work *w))
{
	unsigned long long before = atomic_load(&steps);

	run(w);
	w->names[w->n_phases] = name;
	w->phases[w->n_phases++] = atomic_load(&steps) - before;
}

static void looking_phase(struct work *w, const char *name, void (*run)(struct work *w))
{
	w->looks[w->n_phases] = true;
	phase(w, name, run);
}

static void begin(struct work *w)
{
	struct error e = ERROR_INIT;

	if (box_new(&w->box, w->map, &e) < 0)
		fail_msg("%s", error_text(&e));
}

static void archive(struct work *w)
{
	w->map = "M.MOD";
	w->dir = "MEDIA";
	w->prefix = "FILE";
	w->moved = "MOVED";
	w->ending = ".TXT";
	w->content = "a text";
	begin(w);
	phase(w, "copy in", copy_in);
	phase(w, "set times", set_times);
	phase(w, "list", list);
	phase(w, "save", save);
	phase(w, "write by rename", write_by_rename);
	phase(w, "save again", save);
	phase(w, "move", move);
	phase(w, "save what moved", save);
	phase(w, "make directories", make_directories);
	phase(w, "remove directories", remove_directories);
	phase(w, "remove", remove_moved);
	phase(w, "copy in again", copy_in);
	phase(w, "save once more", save);
	box_remove(&w->box);
}

static void images(struct work *w)
{
	w->map = "m.map";
	w->dir = "images";
	w->prefix = "0";
	w->moved = "9";
	w->ending = "_a.json";
	w->content = "{\"external\": 1, \"width\": 8, \"height\": 8}\n";
	begin(w);
	looking_phase(w, "copy in", copy_in);
	phase(w, "set times", set_times);
	phase(w, "list", list);
	looking_phase(w, "write by rename", write_by_rename);
	save(w); /* what no saved map has is nobody's to refer to */
	phase(w, "move", move);
	phase(w, "remove", remove_moved);
	box_remove(&w->box);
}

static void grows(void (*run)(struct work *w), unsigned n)
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

static void files_of_an_archive(void **state)
{
	(void)state;
	grows(archive, 300);
}

static void images_of_a_map(void **state)
{
	(void)state;
	grows(images, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_an_archive),
		cmocka_unit_test(images_of_a_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
