/* SPDX-License-Identifier: Zlib */
/*
 * A disk that fails at the N-th operation, one that fails from then on, and a process that dies at
 * it, for every N of a close, an fsync, a save, a mount that replays, and the end of a mount.
 *
 * Whatever happens: the map's path holds all of the old map or all of a right new one; what was
 * said to be done is in the map or comes back from the journal; nothing lies about that should not.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
#define AUTHOR     "info/author"
#define VERSION    "info/version"
#define LEFT       MAP_NAME ".mapfs-left"

enum mode { FAIL_ONCE, FAIL_ON, DIE };
enum { N_MAX = 400, DIED = 77, DONE = 78, CODE_NONE = 99, CHILD_SECONDS = 60 };

/* What the acting process said; shared with the one that looks at what is left. */
struct said {
	int r;            /* of the operation: 0 or -errno; 1: it did not come to an answer */
	int code;         /* of the save: enum outcome, or CODE_NONE */
	bool hit;         /* the N-th operation was reached */
	bool draft;       /* VERSION was a draft before the act */
	bool report_left; /* the report names what was left */
	bool retried;     /* what was said to be done the second time, without faults */
};

struct world {
	enum mode mode;
	int at;
	atomic_int seen;
	struct said *said;
};

static int hook(struct io_call *c, void *arg)
{
	struct world *w = arg;
	int mine = atomic_fetch_add(&w->seen, 1);

	(void)c;
	if (mine < w->at || (mine > w->at && w->mode == FAIL_ONCE))
		return 0;
	w->said->hit = true;
	if (w->mode == DIE)
		_exit(DIED);
	errno = EIO;
	return -EIO;
}

/* An act: prepare without faults, act with them; then the box is dropped as after a kill. */
struct act {
	const char *name;
	void (*prepare)(struct box *b, struct said *s);
	void (*act)(struct box *b, struct said *s);
	/* What must hold of the directory, and of the box when it is mounted again. */
	void (*look)(struct box *b, const struct said *s);
};

static void perform(struct box *b, const struct act *a, struct world *w)
{
	a->prepare(b, w->said);
	w->said->r = 1;
	w->said->code = CODE_NONE;
	io_set_hook(hook, w);
	a->act(b, w->said);
	io_set_hook(NULL, NULL);
}

static void in_a_child(struct box *b, const struct act *a, struct world *w)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(CHILD_SECONDS);
		perform(b, a, w);
		_exit(DONE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == DIED || WEXITSTATUS(status) == DONE);
}

static void no_litter(struct box *b, enum mode mode)
{
	char name[NAME_MAX + 1];

	/* One that died could not tidy up; nor one whose disk refuses to unlink. */
	if (mode == FAIL_ONCE && box_beside(b, ".mapfs-new-", name))
		fail_msg("%s lies about", name);
	assert_int_equal(box_beside(b, ".mapfs-tmp-", NULL), 0);
}

/* cmocka's state: the box of the run, and what is said of it in memory that a child shares. */
struct scene {
	struct box box;
	bool made;
	struct said *said;
};

static int scene_setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	*state = s;
	s->said = mmap(
		NULL, sizeof(*s->said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return s->said == MAP_FAILED ? -1 : 0;
}

/* Also where an assertion failed: a thread that lived on would be in the way of the next fork. */
static int scene_teardown(void **state)
{
	struct scene *s = *state;

	io_set_hook(NULL, NULL);
	if (s->made)
		box_remove(&s->box);
	munmap(s->said, sizeof(*s->said));
	free(s);
	return 0;
}

static bool one_run(struct scene *s, const struct act *a, enum mode mode, int at)
{
	struct world w = {.mode = mode, .at = at, .said = s->said};

	*s->said = (struct said){.r = 1};
	box_make(&s->box);
	s->made = true;
	if (mode == DIE) {
		in_a_child(&s->box, a, &w);
	} else {
		perform(&s->box, a, &w);
		box_kill(&s->box);
	}
	no_litter(&s->box, mode);
	a->look(&s->box, s->said);
	box_remove(&s->box);
	s->made = false;
	return s->said->hit;
}

static void sweep(struct scene *s, const struct act *a, enum mode mode)
{
	static const char *const modes[] = {"fails", "fails from then on", "is the last"};
	int n = 0;

	for (; n < N_MAX; n++) {
		if (getenv("MAPFS_TEST_TELL"))
			printf("%s: operation %d %s\n", a->name, n, modes[mode]);
		if (!one_run(s, a, mode, n))
			break;
	}
	assert_in_range(n, 1, N_MAX - 1);
}

static void mount_or_die(struct box *b)
{
	if (box_mount(b, NULL) < 0)
		abort();
}

static void nothing(struct box *b, struct said *s)
{
	(void)s;
	mount_or_die(b);
}

static bool is_one_of(struct box *b, const char *one, const char *two)
{
	return box_shows(b, AUTHOR, one) || box_shows(b, AUTHOR, two);
}

/* (a) close */

static void act_close(struct box *b, struct said *s)
{
	s->r = box_put(b, AUTHOR, "bob");
}

static void look_close(struct box *b, const struct said *s)
{
	assert_true(box_map_says(b, 0, "alice\n"));
	assert_int_equal(box_mount(b, NULL), 0);
	if (s->r == 0)
		assert_true(box_shows(b, AUTHOR, "bob\n"));
	else
		assert_true(is_one_of(b, "alice\n", "bob\n") || box_shows(b, AUTHOR, "bob"));
	assert_true(s->hit || s->r == 0);
}

/* The close fails, the file keeps what was written; then the mount ends on a healthy disk. */
static void act_close_then_end(struct box *b, struct said *s)
{
	s->r = box_put(b, AUTHOR, "bob");
	io_set_hook(NULL, NULL);
	s->code = (int)box_end(b, NULL);
}

static void look_close_then_end(struct box *b, const struct said *s)
{
	if (s->r == 1)
		return;
	if (s->r == 0) {
		assert_true(box_map_says(b, 0, "bob\n") || s->code == (int)OUTCOME_SAVE_FAILED);
		if (s->code == (int)OUTCOME_SAVE_FAILED) {
			assert_int_equal(box_mount(b, NULL), 0);
			assert_true(box_shows(b, AUTHOR, "bob\n"));
		}
		return;
	}
	/* What failed for the disk alone is tried again at the end. */
	if (s->code == (int)OUTCOME_DONE) {
		assert_true(box_map_says(b, 0, "bob\n"));
		return;
	}
	assert_true(box_map_says(b, 0, "alice\n"));
	assert_int_equal(s->code, OUTCOME_LEFT);
	assert_true(file_says(b->room.fd, LEFT "/" AUTHOR, "bob"));
}

/* (b) fsync; and once more when the disk is well: what it then says is true */

static void act_fsync(struct box *b, struct said *s)
{
	struct fd *f;

	if (box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f) < 0 || fd_text(f, 0, "bob") < 0)
		return;
	s->r = fd_fsync(f);
	io_set_hook(NULL, NULL);
	s->retried = fd_fsync(f) == 0;
}

static void look_fsync(struct box *b, const struct said *s)
{
	assert_true(box_map_says(b, 0, "alice\n"));
	assert_int_equal(box_mount(b, NULL), 0);
	if (s->r == 0 || s->retried)
		assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(s->hit || s->r == 0);
}

/* What fsync could not bring to disk can still be saved. */
static void act_fsync_then_end(struct box *b, struct said *s)
{
	struct fd *f;

	if (box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f) < 0 || fd_text(f, 0, "bob") < 0)
		return;
	s->r = fd_fsync(f);
	io_set_hook(NULL, NULL);
	(void)fd_close(f);
	s->code = (int)box_end(b, NULL);
}

static void look_fsync_then_end(struct box *b, const struct said *s)
{
	if (s->code == CODE_NONE || box_map_says(b, 0, "bob\n"))
		return;
	assert_true(box_map_says(b, 0, "alice\n"));
	if (s->code == (int)OUTCOME_LEFT) {
		assert_true(file_says(b->room.fd, LEFT "/" AUTHOR, "bob"));
		return;
	}
	assert_int_equal(s->code, OUTCOME_SAVE_FAILED);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

/* (c) save, beside a draft */

static void prepare_save(struct box *b, struct said *s)
{
	mount_or_die(b);
	if (box_put(b, AUTHOR, "bob") < 0 || box_put(b, VERSION, BAD_LINES) != -EINVAL)
		abort();
	s->draft = true;
}

static void act_save(struct box *b, struct said *s)
{
	s->code = (int)box_save(b, NULL);
}

static void drafts_and_changes_are_there(struct box *b)
{
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_shows(b, VERSION, BAD_LINES));
	assert_true(box_is_draft(b, VERSION));
	assert_true(box_shows(b, "info/credits", "nobody\n"));
}

static void look_save(struct box *b, const struct said *s)
{
	bool saved = box_map_says(b, 0, "bob\n");

	assert_true(saved || box_map_says(b, 0, "alice\n"));
	assert_true(box_map_says(b, 1, "v1\n"));
	if (s->code == (int)OUTCOME_DONE)
		assert_true(saved);
	if (!saved && s->code != CODE_NONE)
		assert_int_equal(s->code, OUTCOME_SAVE_FAILED);
	drafts_and_changes_are_there(b);
	/* And the next end is a right one, whatever lies about. */
	assert_int_equal(box_end(b, NULL), OUTCOME_LEFT);
	assert_true(box_map_says(b, 0, "bob\n"));
	assert_true(file_says(b->room.fd, LEFT "/" VERSION, BAD_LINES));
	assert_int_equal(box_beside(b, ".mapfs-journal-", NULL), 0);
}

/* A save that failed can be repeated when the disk is well, and the mount goes on. */
static void act_save_twice(struct box *b, struct said *s)
{
	(void)box_save(b, NULL);
	io_set_hook(NULL, NULL);
	s->r = box_put(b, "info/license", "MIT");
	s->code = (int)box_save(b, NULL);
}

static void look_save_twice(struct box *b, const struct said *s)
{
	if (s->code == CODE_NONE)
		return;
	assert_int_equal(s->r, 0);
	assert_int_equal(s->code, OUTCOME_DONE);
	assert_true(box_map_says(b, 0, "bob\n"));
	assert_true(box_map_says(b, 3, "MIT\n"));
	drafts_and_changes_are_there(b);
}

/* (d) a mount that replays a journal with a torn end */

static void prepare_replay(struct box *b, struct said *s)
{
	char name[NAME_MAX + 1];
	int fd;

	prepare_save(b, s);
	if (box_put(b, "info/settings.cfg", "sv_torn 1") < 0)
		abort();
	box_kill(b);
	if (box_beside(b, ".mapfs-journal-", name) != 1)
		abort();
	fd = openat(b->room.fd, name, O_RDWR | O_CLOEXEC);
	if (ftruncate(fd, lseek(fd, 0, SEEK_END) - 2) < 0)
		abort();
	close(fd);
}

static void act_mount(struct box *b, struct said *s)
{
	struct error e = ERROR_INIT;

	s->r = box_mount(b, &e);
	if (s->r < 0) {
		/* A refusal says why. */
		if (!e.text[0])
			abort();
		return;
	}
	/* What is served is all of it. */
	if (!box_shows(b, VERSION, BAD_LINES))
		abort();
	if (!box_shows(b, AUTHOR, "bob\n") && !box_shows(b, AUTHOR, "bob"))
		abort();
}

static void look_mount(struct box *b, const struct said *s)
{
	(void)s;
	assert_true(box_map_says(b, 0, "alice\n"));
	drafts_and_changes_are_there(b);
}

/* (e) the end of a mount with a draft, an unclosed file and scratch */

static void prepare_end(struct box *b, struct said *s)
{
	struct fd *f;

	prepare_save(b, s);
	if (box_put(b, "images/photo.jpg", "JPEG") < 0)
		abort();
	if (box_open(b, "info/license", O_WRONLY | O_TRUNC, &f) < 0 || fd_text(f, 0, "open") < 0)
		abort();
}

static void act_end(struct box *b, struct said *s)
{
	struct report report;

	s->code = (int)box_end(b, &report);
	s->report_left = report_says(&report, "images/photo.jpg") &&
			 report_says(&report, VERSION) && report_says(&report, "info/license");
	report_finish(&report);
}

static void look_end(struct box *b, const struct said *s)
{
	bool saved = box_map_says(b, 0, "bob\n");
	bool left = file_says(b->room.fd, LEFT "/" VERSION, BAD_LINES);

	assert_true(saved || box_map_says(b, 0, "alice\n"));
	if (s->code == (int)OUTCOME_LEFT) {
		assert_true(saved);
		assert_true(left);
		assert_true(file_says(b->room.fd, LEFT "/images/photo.jpg", "JPEG"));
		assert_true(file_says(b->room.fd, LEFT "/info/license", "open"));
	}
	if (s->code != CODE_NONE) {
		assert_true(s->code == (int)OUTCOME_LEFT || s->code == (int)OUTCOME_SAVE_FAILED);
		/* Copied out or not: each is named. */
		assert_true(s->report_left);
	}
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	if (!left)
		assert_true(box_is_draft(b, VERSION));
}

static const struct act closing = {"close", nothing, act_close, look_close};
static const struct act closing_end = {
	"close, end", nothing, act_close_then_end, look_close_then_end};
static const struct act syncing = {"fsync", nothing, act_fsync, look_fsync};
static const struct act syncing_end = {
	"fsync, end", nothing, act_fsync_then_end, look_fsync_then_end};
static const struct act saving = {"save", prepare_save, act_save, look_save};
static const struct act saving_twice = {
	"save, save", prepare_save, act_save_twice, look_save_twice};
static const struct act mounting = {"mount", prepare_replay, act_mount, look_mount};
static const struct act ending = {"end", prepare_end, act_end, look_end};

#define SWEEP(test, act, mode)                                                                     \
	static void test(void **state)                                                             \
	{                                                                                          \
		sweep(*state, &(act), mode);                                                       \
	}

SWEEP(close_on_a_disk_that_fails_once, closing, FAIL_ONCE)
SWEEP(close_on_a_disk_that_fails, closing, FAIL_ON)
SWEEP(close_when_the_process_dies, closing, DIE)
SWEEP(failed_close_is_saved_or_copied_out_at_the_end, closing_end, FAIL_ONCE)
SWEEP(failed_close_on_a_bad_disk_is_saved_or_copied_out_at_the_end, closing_end, FAIL_ON)
SWEEP(fsync_on_a_disk_that_fails_once, syncing, FAIL_ONCE)
SWEEP(fsync_on_a_disk_that_fails, syncing, FAIL_ON)
SWEEP(fsync_when_the_process_dies, syncing, DIE)
SWEEP(failed_fsync_does_not_lose_the_file, syncing_end, FAIL_ONCE)
SWEEP(save_on_a_disk_that_fails_once, saving, FAIL_ONCE)
SWEEP(save_on_a_disk_that_fails, saving, FAIL_ON)
SWEEP(save_when_the_process_dies, saving, DIE)
SWEEP(failed_save_can_be_repeated, saving_twice, FAIL_ONCE)
SWEEP(mount_on_a_disk_that_fails_once, mounting, FAIL_ONCE)
SWEEP(mount_on_a_disk_that_fails, mounting, FAIL_ON)
SWEEP(mount_when_the_process_dies, mounting, DIE)
SWEEP(end_on_a_disk_that_fails_once, ending, FAIL_ONCE)
SWEEP(end_on_a_disk_that_fails, ending, FAIL_ON)
SWEEP(end_when_the_process_dies, ending, DIE)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(close_on_a_disk_that_fails_once),
		TEST(close_on_a_disk_that_fails),
		TEST(close_when_the_process_dies),
		TEST(failed_close_is_saved_or_copied_out_at_the_end),
		TEST(failed_close_on_a_bad_disk_is_saved_or_copied_out_at_the_end),
		TEST(fsync_on_a_disk_that_fails_once),
		TEST(fsync_on_a_disk_that_fails),
		TEST(fsync_when_the_process_dies),
		TEST(failed_fsync_does_not_lose_the_file),
		TEST(save_on_a_disk_that_fails_once),
		TEST(save_on_a_disk_that_fails),
		TEST(save_when_the_process_dies),
		TEST(failed_save_can_be_repeated),
		TEST(mount_on_a_disk_that_fails_once),
		TEST(mount_on_a_disk_that_fails),
		TEST(mount_when_the_process_dies),
		TEST(end_on_a_disk_that_fails_once),
		TEST(end_on_a_disk_that_fails),
		TEST(end_when_the_process_dies),
	};

	return cmocka_run_group_tests_name("vfs: faults", tests, NULL, NULL);
}
