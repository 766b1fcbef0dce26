/* SPDX-License-Identifier: Zlib */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MAKE   (O_WRONLY | O_TRUNC)
#define UNDONE 77

/* An assertion for child processes, which must not use cmocka. */
static void must_at(bool good, int line)
{
	if (!good) {
		fprintf(stderr, "acts.c:%d\n", line);
		abort();
	}
}

#define must(good) must_at(good, __LINE__)

static int put_content(struct trial *t, const struct sample_content *c)
{
	return box_put(&t->box, c->path, c->text);
}

static bool shows(struct trial *t, const struct sample_content *c, const char *text)
{
	return box_shows(&t->box, c->path, text);
}

/* The new content is shown in its canonical form, or as a draft that the next save writes. */
static bool shows_new(struct trial *t)
{
	return shows(t, &t->s->put, t->s->shown);
}

static bool shows_either(struct trial *t)
{
	return shows_new(t) || shows(t, &t->s->put, t->s->old) ||
	       shows(t, &t->s->put, t->s->put.text);
}

static void mount(struct trial *t)
{
	must(box_mount(&t->box, NULL) == 0);
}

static void remount(struct trial *t)
{
	struct error e = ERROR_INIT;

	if (box_mount(&t->box, &e) < 0)
		fail_msg("cannot be mounted again: %s", error_text(&e));
}

/* Was the file copied to NAME.mapfs-left? */
static bool is_left(struct trial *t, const struct sample_content *c)
{
	char path[300];

	snprintf(path, sizeof(path), "%s.mapfs-left/%s", t->s->map, c->path);
	return file_content_is(t->box.room.fd, path, c->text);
}

static void is_old(struct trial *t)
{
	assert_true(sample_files_are(t->s, &t->box, t->old));
}

static bool is_saved(struct trial *t)
{
	return sample_files_are(t->s, &t->box, t->new);
}

/*
 * Open a file with the new text as *ret. Returns false if it could not be written; the rest of the
 * act is then skipped.
 */
static bool write_new(struct trial *t, struct fd **ret)
{
	return box_open(&t->box, t->s->put.path, MAKE, ret) == 0 &&
	       fd_text(*ret, 0, t->s->put.text) >= 0;
}

/* (a) close */

static void act_close(struct trial *t)
{
	struct fd *f;

	if (write_new(t, &f))
		t->answers->r = fd_close(f);
}

static void look_close(struct trial *t)
{
	is_old(t);
	remount(t);
	assert_true(t->answers->r == 0 ? shows_new(t) : shows_either(t));
	assert_true(t->answers->hit || t->answers->r == 0);
}

/* The close fails and the file keeps the written bytes; then the mount ends on a healthy disk. */
static void act_close_then_end(struct trial *t)
{
	act_close(t);
	t->end_faults(t->arg);
	if (t->answers->r != 1)
		t->answers->code = (int)box_end(&t->box, NULL);
}

static void look_close_then_end(struct trial *t)
{
	int code = t->answers->code;
	bool saved = is_saved(t);

	remount(t);
	if (code == (int)OUTCOME_DONE)
		assert_true(saved);
	else if (code == (int)OUTCOME_PARTIAL)
		assert_true(is_left(t, &t->s->put));
	else if (t->answers->r == 0)
		assert_true(shows_new(t));
	assert_true(shows_either(t));
}

/* (b) fsync, repeated on a healthy disk; the second result must be true */

static void act_fsync(struct trial *t)
{
	struct fd *f;

	if (!write_new(t, &f))
		return;
	t->answers->r = fd_fsync(f);
	t->end_faults(t->arg);
	t->answers->retried = fd_fsync(f);
}

static void look_fsync(struct trial *t)
{
	is_old(t);
	remount(t);
	if (t->answers->r == 0 || t->answers->retried == 0)
		assert_true(shows_new(t));
	assert_true(shows_either(t));
	assert_true(t->answers->hit || t->answers->r == 0);
}

/* Content whose fsync failed can still be saved. */
static void act_fsync_then_end(struct trial *t)
{
	struct fd *f;

	if (!write_new(t, &f))
		return;
	t->answers->r = fd_fsync(f);
	t->end_faults(t->arg);
	(void)fd_close(f);
	t->answers->code = (int)box_end(&t->box, NULL);
}

/* (c) save, beside a draft */

static void prepare_save(struct trial *t)
{
	struct fd *f;

	mount(t);
	must(put_content(t, &t->s->put) == 0 && put_content(t, &t->s->bad) == -EINVAL);
	/* From here on the content must survive a power loss. */
	must(box_open(&t->box, t->s->put.path, O_RDWR, &f) == 0 && fd_fsync(f) == 0);
	must(fd_close(f) == 0);
}

static void act_save(struct trial *t)
{
	t->answers->code = (int)box_save(&t->box, NULL);
}

static void drafts_and_changes_are_there(struct trial *t)
{
	assert_true(shows_new(t));
	assert_true(shows(t, &t->s->bad, t->s->bad.text) && box_is_draft(&t->box, t->s->bad.path));
	assert_true(shows(t, &t->s->same, t->s->same.text));
}

static void look_save(struct trial *t)
{
	int code = t->answers->code;
	bool saved = is_saved(t);

	remount(t);
	assert_true(code != (int)OUTCOME_DONE || saved);
	assert_true(
		code == CODE_NONE || code == (int)OUTCOME_DONE || code == (int)OUTCOME_SAVE_FAILED);
	drafts_and_changes_are_there(t);
	assert_int_equal(box_end(&t->box, NULL), OUTCOME_PARTIAL);
	assert_true(is_left(t, &t->s->bad));
	remount(t);
}

/* A failed save can be repeated on a healthy disk, and the mount continues. */
static void act_save_twice(struct trial *t)
{
	(void)box_save(&t->box, NULL);
	t->end_faults(t->arg);
	t->answers->r = put_content(t, &t->s->more);
	t->answers->code = (int)box_save(&t->box, NULL);
}

static void look_save_twice(struct trial *t)
{
	remount(t);
	drafts_and_changes_are_there(t);
	if (t->answers->code == CODE_NONE)
		return;
	assert_int_equal(t->answers->code, OUTCOME_DONE);
	/*
	 * A journal that can be neither written nor truncated accepts no records before the save.
	 */
	if (t->answers->r == 0)
		assert_true(is_saved(t) && shows(t, &t->s->more, t->s->more_shown));
}

/* A save without changes beside a draft: its journal keeps only the draft. */

static void prepare_unchanged(struct trial *t)
{
	struct fd *f;

	mount(t);
	must(put_content(t, &t->s->put) == 0 && put_content(t, &t->s->bad) == -EINVAL);
	must(box_put(&t->box, t->s->put.path, t->s->old) == 0);
	must(box_open(&t->box, t->s->put.path, O_RDWR, &f) == 0 && fd_fsync(f) == 0);
	must(fd_close(f) == 0);
}

static void look_unchanged(struct trial *t)
{
	int code = t->answers->code;

	is_old(t);
	remount(t);
	assert_true(
		code == CODE_NONE || code == (int)OUTCOME_DONE || code == (int)OUTCOME_SAVE_FAILED);
	assert_true(code != (int)OUTCOME_DONE || !strstr(t->box.notes, "1 change"));
	assert_true(box_shows(&t->box, t->s->put.path, t->s->old));
	assert_true(shows(t, &t->s->bad, t->s->bad.text) && box_is_draft(&t->box, t->s->bad.path));
	assert_int_equal(box_end(&t->box, NULL), OUTCOME_PARTIAL);
	assert_true(is_left(t, &t->s->bad));
	is_old(t);
	remount(t);
}

/* (d) a mount that replays a journal with a torn end */

static void prepare_replay(struct trial *t)
{
	char name[NAME_MAX + 1];
	int fd;

	prepare_save(t);
	must(put_content(t, &t->s->torn) == 0);
	box_kill(&t->box);
	must(box_count_names(&t->box, ".mapfs-journal-", name) == 1);
	fd = openat(t->box.room.fd, name, O_RDWR | O_CLOEXEC);
	must(ftruncate(fd, lseek(fd, 0, SEEK_END) - 2) == 0);
	close(fd);
}

static void act_mount(struct trial *t)
{
	struct error e = ERROR_INIT;

	t->answers->r = box_mount(&t->box, &e);
	/* A refusal has a reason. */
	must(t->answers->r == 0 || e.text[0]);
}

/* The mount serves all changes of the journal. */
static void act_mount_then_look(struct trial *t)
{
	act_mount(t);
	t->end_faults(t->arg);
	must(t->answers->r < 0 || (shows(t, &t->s->bad, t->s->bad.text) && shows_either(t) &&
					  !shows(t, &t->s->put, t->s->old)));
}

static void look_mount(struct trial *t)
{
	is_old(t);
	remount(t);
	drafts_and_changes_are_there(t);
}

/* (e) the end of a mount with a draft, an unclosed file and a scratch file */

static void prepare_end(struct trial *t)
{
	struct fd *f;

	prepare_save(t);
	must(put_content(t, &t->s->scratch) == 0);
	must(box_open(&t->box, t->s->more.path, MAKE, &f) == 0 && fd_text(f, 0, "open") == 0);
}

static void act_end(struct trial *t)
{
	struct report report;

	t->answers->code = (int)box_end(&t->box, &report);
	t->answers->unrescued = report.unrescued;
	t->answers->left_named = report_contains(&report, t->s->scratch.path) &&
				 report_contains(&report, t->s->bad.path) &&
				 report_contains(&report, t->s->more.path);
	report_finish(&report);
}

static void look_end(struct trial *t)
{
	const struct sample_content open = {t->s->more.path, "open"};
	bool saved = is_saved(t), left = is_left(t, &t->s->bad);

	if (t->answers->code == (int)OUTCOME_PARTIAL && !t->answers->unrescued)
		assert_true(saved && left && is_left(t, &t->s->scratch) && is_left(t, &open));
	else
		assert_true(t->answers->code == CODE_NONE || t->answers->unrescued ||
			    t->answers->code == (int)OUTCOME_SAVE_FAILED);
	/*
	 * The report names each file, copied out or not, unless memory for the name is exhausted.
	 */
	assert_true(t->answers->code == CODE_NONE || t->answers->left_named || t->no_memory);
	remount(t);
	assert_true(shows_new(t));
	assert_true(left || box_is_draft(&t->box, t->s->bad.path));
}

/* (f) files are created, renamed and removed */

static int take_step(struct trial *t, const struct step *step)
{
	if (!step->path)
		return 0;
	if (step->text)
		return box_put(&t->box, step->path, step->text);
	return step->to ? box_rename(&t->box, step->path, step->to)
			: box_unlink(&t->box, step->path);
}

static void act_steps(struct trial *t)
{
	int *answers = t->answers->steps;

	t->answers->r = 1;
	for (int i = 0; i < SAMPLE_STEPS; i++)
		answers[i] = take_step(t, &t->s->steps[i]);
	t->answers->r = answers[0] ? answers[0] : answers[1] ? answers[1] : answers[2];
}

static void look_steps(struct trial *t)
{
	struct stat a;

	is_old(t);
	remount(t);
	for (int i = 0; i < SAMPLE_STEPS; i++) {
		const struct step *step = &t->s->steps[i];
		bool last = i == SAMPLE_STEPS - 1 || !step[1].path ||
			    strcmp(step[1].path, step->path) != 0;

		if (!step->path || t->answers->steps[i] || !last)
			continue;
		assert_int_equal(box_stat(&t->box, step->to ? step->to : step->path, &a),
			step->text || step->to ? 0 : -ENOENT);
	}
}

/* (g) a mount after a save of two files that was interrupted between their commits */

static int die_between(struct io_call *c, void *arg)
{
	const struct trial *t = arg;

	if (c->op == IO_RENAME && strcmp(c->name, t->s->companion) == 0)
		_exit(UNDONE);
	return 0;
}

static void prepare_half(struct trial *t)
{
	int status = 0;
	pid_t pid = fork();

	must(pid >= 0);
	if (pid == 0) {
		prepare_save(t);
		io_set_hook(die_between, t);
		(void)box_save(&t->box, NULL);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == UNDONE);
	must(!sample_files_are(t->s, &t->box, t->old));
}

static void look_half(struct trial *t)
{
	remount(t);
	assert_true(is_saved(t));
	drafts_and_changes_are_there(t);
}

const struct act acts[] = {
	{"close", ONE, mount, act_close, look_close},
	{"close-end", ONE, mount, act_close_then_end, look_close_then_end},
	{"fsync", ONE, mount, act_fsync, look_fsync},
	{"fsync-end", ONE, mount, act_fsync_then_end, look_close_then_end},
	{"save", ONE, prepare_save, act_save, look_save},
	{"save-save", MANY, prepare_save, act_save_twice, look_save_twice},
	{"save-unchanged", UNCHANGED, prepare_unchanged, act_save, look_unchanged},
	{"replay", ONE, prepare_replay, act_mount_then_look, look_mount},
	{"end", ONE, prepare_end, act_end, look_end},
	{"steps", MANY, mount, act_steps, look_steps},
	{"pair", PAIR_ONLY, prepare_half, act_mount, look_half},
};

const size_t n_acts = sizeof(acts) / sizeof(acts[0]);

const struct act *act_by_name(const char *name)
{
	for (size_t i = 0; i < n_acts; i++)
		if (strcmp(acts[i].name, name) == 0)
			return &acts[i];
	return NULL;
}

void act_check(const struct act *a, struct trial *t)
{
	static const char *const litter[] = {
		".mapfs-new-", ".mapfs-tmp-", ".mapfs-pair", ".mapfs-journal-"};
	/*
	 * A journal that could not be removed, or had to stay, belongs to a replaced map. One that
	 * was never synced may be invalid, and is set aside.
	 */
	const size_t n_litter = (a->kind == MANY && t->answers->hit) || t->no_power ? 3 : 4;
	char name[NAME_MAX + 1];
	enum outcome code;
	bool in_part = a->kind == MANY && t->answers->r != 0;

	/* A pair may be incomplete until a mount has recovered it. */
	if (!t->s->companion && a->kind != MANY)
		assert_true(sample_files_are(t->s, &t->box, t->old) || is_saved(t));
	a->check(t);
	code = box_end(&t->box, NULL);
	assert_true(code == OUTCOME_DONE || code == OUTCOME_PARTIAL);
	assert_true(in_part || is_saved(t) ||
		    (t->answers->r != 0 && sample_files_are(t->s, &t->box, t->old)));
	for (size_t i = 0; i < n_litter; i++)
		if (box_count_names(&t->box, litter[i], name))
			fail_msg("%s lies about", name);
}
