/* SPDX-License-Identifier: Zlib */
/*
 * Random sequences of what programs do, checked against a model of rules 2, 3, 8 and 12 of the
 * design. Deterministic: the seed of a failed sequence is printed, and MAPFS_TEST_SEED runs it
 * alone (with MAPFS_TEST_TELL=1 its steps are printed); MAPFS_TEST_SEQUENCES sets the number of
 * sequences.
 *
 * A step is one line in `steps`: its effect on the box and on the model. To add an operation, add a
 * function and its line; check() compares everything after each step.
 */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 4000, SHARE = 400, STEPS = 25, TEXT = 48, FILES = 4, SCRATCH = 3 };

/* A file of the map. */
struct model_file {
	const char *path;
	unsigned field;
	bool lines;          /* several lines are valid */
	size_t most;         /* maximum size of the first line */
	char accepted[TEXT]; /* as closed, or as a save left it */
	char kept[TEXT];     /* content in the journal or the map */
	char saved[TEXT];    /* content in the map file */
	bool draft;
	char refused[TEXT]; /* the draft, as it was closed */
	struct fd *fd;      /* a writer that stays open */
	bool staged;        /* written or truncated since it was opened */
	bool written;       /* written since the last validation */
	bool cut;           /* only truncated */
	bool closed;        /* closed after a truncation, which a save validates too */
	bool bad;           /* refused by the last validation */
	char stage[TEXT];
	bool logged; /* not validated since it was closed; a journal has this content */
	char log[TEXT];
};

struct model_scratch {
	const char *path;
	bool there;
	bool explained; /* it is not copied out at the end */
	char text[TEXT];
};

struct model {
	struct box *b;
	struct model_file files[FILES];
	struct model_scratch scratch[SCRATCH];
	uint32_t random;
	bool tell;
};

/* The seed of the running sequence; 0: none. */
static uint32_t running;
static struct box box;

static unsigned pick_number(struct model *m, unsigned n)
{
	m->random = m->random * 1664525u + 1013904223u;
	return (m->random >> 16) % n;
}

static const char *pick_content(struct model *m)
{
	static const char *const texts[] = {"", "\n", "a", "b\n", "bob", "x y\n", "two\nlines\n",
		"\n\n", "many\nmore\nlines", "0123456789", "\xff\xfe\n", "caf\xc3\xa9\n"};

	return texts[pick_number(m, sizeof(texts) / sizeof(texts[0]))];
}

/* content() uses one character outside ASCII, which truncations and writes may split. */
static bool is_utf8(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (p[0] == '\xc3' && p[1] == '\xa9')
			p++;
		else if ((uint8_t)*p >= 0x80)
			return false;
	}
	return true;
}

/*
 * Layout rule 9: one line of UTF-8 up to the maximum size (settings: several); a missing line feed
 * is added.
 */
static bool validate(const struct model_file *f, const char *text, char ret[TEXT])
{
	size_t n = strlen(text);
	const char *lf = strchr(text, '\n');
	bool ended = !n || text[n - 1] == '\n';

	if (!is_utf8(text) || (!f->lines && lf && lf[1]) || strcspn(text, "\n") > f->most)
		return false;
	memmove(ret, text, n + 1);
	strcat(ret, ended ? "" : "\n");
	return true;
}

static const char *shown(const struct model_file *f)
{
	return f->staged ? f->stage : f->draft ? f->refused : f->accepted;
}

/* Validate the text. */
static int validate_text(struct model_file *f, const char *text)
{
	char canonical[TEXT];

	if (validate(f, text, canonical)) {
		strcpy(f->accepted, text);
		strcpy(f->kept, text);
		f->draft = false;
		return 0;
	}
	f->draft = true;
	memmove(f->refused, text, strlen(text) + 1); /* may be the same buffer */
	return -EINVAL;
}

static struct model_file *pick_file(struct model *m, bool opened)
{
	struct model_file *f = &m->files[pick_number(m, FILES)];

	return (f->fd != NULL) == opened ? f : NULL;
}

static void step_put(struct model *m)
{
	struct model_file *f = pick_file(m, false);
	const char *text = pick_content(m);

	if (!f)
		return;
	if (m->tell)
		printf("  put %s \"%s\"\n", f->path, text);
	/*
	 * Without a write, the truncation is applied at RELEASE, and close cannot report its
	 * result.
	 */
	assert_int_equal(box_put(m->b, f->path, text),
		*text ? validate_text(f, text) : (validate_text(f, text), 0));
}

static void step_truncate(struct model *m)
{
	struct model_file *f = pick_file(m, false);
	char text[TEXT] = {0};
	size_t n;

	if (!f)
		return;
	snprintf(text, sizeof(text), "%s", shown(f));
	n = pick_number(m, (unsigned)strlen(text) + 1);
	text[n] = '\0';
	if (m->tell)
		printf("  truncate %s %zu\n", f->path, n);
	assert_int_equal(box_truncate(m->b, f->path, n), validate_text(f, text));
}

static void step_open(struct model *m)
{
	struct model_file *f = pick_file(m, false);

	if (!f)
		return;
	if (m->tell)
		printf("  open %s\n", f->path);
	assert_int_equal(box_open(m->b, f->path, O_RDWR, &f->fd), 0);
	f->staged = f->written = f->cut = f->closed = f->logged = false;
	f->bad = f->draft;
}

static void step_write(struct model *m)
{
	struct model_file *f = pick_file(m, true);
	const char *text = pick_content(m);
	size_t at, n = strlen(text), size;

	if (!f || !n)
		return;
	if (!f->staged)
		strcpy(f->stage, shown(f));
	size = strlen(f->stage);
	at = pick_number(m, (unsigned)size + 1);
	if (at + n >= TEXT)
		return;
	if (m->tell)
		printf("  write %s at %zu \"%s\"\n", f->path, at, text);
	assert_int_equal(fd_text(f->fd, at, text), 0);
	memcpy(f->stage + at, text, n);
	if (at + n > size)
		f->stage[at + n] = '\0';
	f->staged = f->written = true;
	f->closed = false;
}

static void step_cut(struct model *m)
{
	struct model_file *f = pick_file(m, true);
	size_t n;

	if (!f)
		return;
	if (!f->staged)
		strcpy(f->stage, shown(f));
	n = pick_number(m, (unsigned)strlen(f->stage) + 1);
	if (m->tell)
		printf("  ftruncate %s %zu\n", f->path, n);
	assert_int_equal(fd_truncate(f->fd, n), 0);
	if (n != strlen(f->stage)) {
		f->cut |= !f->written;
		f->closed = false;
	}
	f->stage[n] = '\0';
	f->staged = true;
}

static int verdict(struct model_file *f)
{
	int r = validate_text(f, f->stage);

	f->bad = r < 0;
	f->written = f->cut = f->closed = f->logged = false;
	return r;
}

static void step_flush(struct model *m)
{
	struct model_file *f = pick_file(m, true);

	if (!f)
		return;
	if (m->tell)
		printf("  flush %s\n", f->path);
	if (f->written)
		assert_int_equal(fd_flush(f->fd), verdict(f));
	else
		assert_int_equal(fd_flush(f->fd), f->cut ? 0 : f->bad ? -EINVAL : 0);
	if (f->cut) {
		f->closed = f->logged = true;
		strcpy(f->log, f->stage);
	}
}

static void step_fsync(struct model *m)
{
	struct model_file *f = pick_file(m, true);

	if (!f)
		return;
	if (m->tell)
		printf("  fsync %s\n", f->path);
	if (f->written || f->cut)
		verdict(f);
	/* The close reports the refusal. */
	assert_int_equal(fd_fsync(f->fd), 0);
}

static void step_release(struct model *m)
{
	struct model_file *f = pick_file(m, true);

	if (!f)
		return;
	if (m->tell)
		printf("  release %s\n", f->path);
	assert_int_equal(fd_release(f->fd), 0);
	if (f->written || f->cut)
		verdict(f);
	f->fd = NULL;
	f->staged = false;
}

static void step_drop(struct model *m)
{
	struct model_file *f = pick_file(m, false);

	if (!f)
		return;
	if (m->tell)
		printf("  drop %s\n", f->path);
	assert_int_equal(
		box_removexattr(m->b, f->path, "user.mapfs.error"), f->draft ? 0 : -ENODATA);
	f->draft = false;
}

static void step_scratch(struct model *m)
{
	struct model_scratch *s = &m->scratch[pick_number(m, SCRATCH)];
	const char *text = pick_content(m);

	if (m->tell)
		printf("  scratch %s \"%s\"\n", s->path, text);
	assert_int_equal(box_put(m->b, s->path, text), 0);
	s->there = true;
	strcpy(s->text, text);
}

static void step_unlink(struct model *m)
{
	struct model_scratch *s = &m->scratch[pick_number(m, SCRATCH)];

	if (m->tell)
		printf("  unlink %s\n", s->path);
	assert_int_equal(box_unlink(m->b, s->path), s->there ? 0 : -ENOENT);
	s->there = false;
}

static void step_move(struct model *m)
{
	struct model_scratch *from = &m->scratch[pick_number(m, SCRATCH)];
	struct model_scratch *to = &m->scratch[pick_number(m, SCRATCH)];

	if (m->tell)
		printf("  rename %s %s\n", from->path, to->path);
	assert_int_equal(box_rename(m->b, from->path, to->path), from->there ? 0 : -ENOENT);
	if (!from->there || from == to)
		return;
	from->there = false;
	to->there = true;
	strcpy(to->text, from->text);
}

static void step_rename_over(struct model *m)
{
	struct model_scratch *from = &m->scratch[pick_number(m, SCRATCH)];
	struct model_file *f = pick_file(m, false);
	char canonical[TEXT];

	if (!f || !from->there)
		return;
	if (m->tell)
		printf("  rename %s %s\n", from->path, f->path);
	if (!validate(f, from->text, canonical)) {
		assert_int_equal(box_rename(m->b, from->path, f->path), -EPERM);
		return;
	}
	assert_int_equal(box_rename(m->b, from->path, f->path), 0);
	validate_text(f, from->text);
	from->there = false;
}

/* A save validates files that were truncated and closed without a write. */
static void validate_closed(struct model *m)
{
	for (int i = 0; i < FILES; i++) {
		struct model_file *f = &m->files[i];

		if (f->closed)
			verdict(f);
		else if (f->logged || f->draft)
			f->bad = validate_text(f, f->logged ? f->log : f->refused) < 0;
		f->logged = false;
	}
}

/* Accepted content has its canonical form from now on. */
static void save_model(struct model *m)
{
	for (int i = 0; i < FILES; i++) {
		struct model_file *f = &m->files[i];

		validate(f, f->accepted, f->accepted);
		strcpy(f->saved, f->accepted);
		strcpy(f->kept, f->accepted);
	}
}

static void step_save(struct model *m)
{
	if (m->tell)
		printf("  save\n");
	validate_closed(m);
	assert_int_equal(box_save(m->b, NULL), OUTCOME_DONE);
	save_model(m);
}

static void forget_open(struct model *m)
{
	for (int i = 0; i < FILES; i++) {
		m->files[i].fd = NULL;
		m->files[i].staged = m->files[i].logged = m->files[i].closed = false;
	}
	for (int i = 0; i < SCRATCH; i++)
		m->scratch[i].there = false;
}

static void step_kill(struct model *m)
{
	if (m->tell)
		printf("  kill\n");
	box_remount(m->b);
	for (int i = 0; i < FILES; i++) {
		strcpy(m->files[i].accepted, m->files[i].kept);
		/* The mount that replays a truncation validates it. */
		if (m->files[i].logged)
			validate_text(&m->files[i], m->files[i].log);
	}
	forget_open(m);
}

static bool has_leftovers(const struct model *m)
{
	bool left = false;

	for (int i = 0; i < FILES; i++)
		left |= m->files[i].draft || (m->files[i].fd && m->files[i].written);
	for (int i = 0; i < SCRATCH; i++)
		left |= m->scratch[i].there && !m->scratch[i].explained;
	return left;
}

static void step_end(struct model *m)
{
	if (m->tell)
		printf("  end\n");
	validate_closed(m);
	assert_int_equal(box_end(m->b, NULL), has_leftovers(m) ? OUTCOME_PARTIAL : OUTCOME_DONE);
	save_model(m);
	for (int i = 0; i < FILES; i++)
		m->files[i].draft = false;
	forget_open(m);
	assert_int_equal(box_count_names(m->b, ".mapfs-journal-", NULL), 0);
	box_remount(m->b);
}

static const struct {
	void (*run)(struct model *m);
	unsigned weight;
} steps[] = {
	{step_put, 8},
	{step_truncate, 3},
	{step_open, 5},
	{step_write, 8},
	{step_cut, 4},
	{step_flush, 5},
	{step_fsync, 2},
	{step_release, 5},
	{step_drop, 1},
	{step_scratch, 5},
	{step_unlink, 2},
	{step_move, 2},
	{step_rename_over, 6},
	{step_save, 3},
	{step_kill, 3},
	{step_end, 1},
};

static void run_random_step(struct model *m)
{
	unsigned total = 0, at;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		total += steps[i].weight;
	at = pick_number(m, total);
	for (i = 0; at >= steps[i].weight; i++)
		at -= steps[i].weight;
	steps[i].run(m);
}

/* Returns NULL if everything is as in the model. */
static const char *find_difference(struct model *m)
{
	struct bytes *map = box_map(m->b);
	const char *wrong = map_is_sound(map) ? NULL : "the map";
	char canonical[TEXT];
	struct stat a;

	for (int i = 0; i < FILES && !wrong; i++) {
		struct model_file *f = &m->files[i];
		char *text = map_info(map, f->field);

		if (!text || strcmp(text, f->saved) != 0)
			wrong = "the map file";
		else if (!box_shows(m->b, f->path, shown(f)))
			wrong = f->path;
		else if (!f->staged && box_is_draft(m->b, f->path) !=
					       (f->draft && !validate(f, f->refused, canonical)))
			wrong = "a draft";
		free(text);
	}
	for (int i = 0; i < SCRATCH && !wrong; i++) {
		struct model_scratch *s = &m->scratch[i];

		if (s->there ? !box_shows(m->b, s->path, s->text)
			     : box_stat(m->b, s->path, &a) != -ENOENT)
			wrong = s->path;
	}
	if (!wrong && box_count_names(m->b, ".mapfs-new-", NULL))
		wrong = "litter";
	bytes_unref(map);
	return wrong;
}

static void start_model(struct model *m, struct box *b, uint32_t seed)
{
	*m = (struct model){
		.b = b,
		.files = {{.path = "info/author", .field = 0, .most = 31, .accepted = "alice\n"},
			{.path = "info/version", .field = 1, .most = 15, .accepted = "v1\n"},
			{.path = "info/credits", .field = 2, .most = TEXT, .accepted = "nobody\n"},
			{.path = "info/settings.cfg", .field = 4, .lines = true, .most = TEXT}},
		.scratch = {{.path = "info/.author.swp"},
			{.path = "info/author~", .explained = true}, {.path = "images/photo.jpg"}},
		.random = seed * 2654435761u + 1,
		.tell = getenv("MAPFS_TEST_TELL") != NULL,
	};
	save_model(m);
}

static void sequence(uint32_t seed)
{
	struct model m;

	running = seed;
	box_make(&box);
	assert_int_equal(box_mount(&box, NULL), 0);
	start_model(&m, &box, seed);
	for (int i = 0; i < STEPS; i++) {
		const char *wrong;

		if (m.tell)
			printf("%d:\n", i);
		run_random_step(&m);
		wrong = find_difference(&m);
		if (wrong)
			fail_msg("seed %u, step %d: %s is not as the model says", seed, i, wrong);
	}
	box_remove(&box);
}

static void random_sequences_follow_the_rules(void **state)
{
	const char *one = getenv("MAPFS_TEST_SEED");
	uint32_t n = sequences_to_run(SEQUENCES, SHARE);

	(void)state;
	if (one)
		sequence((uint32_t)strtoul(one, NULL, 10));
	for (uint32_t seed = 1; !one && seed <= n; seed++)
		sequence(seed);
	running = 0;
}

/* cmocka also calls it after a failed assertion. */
static int print_seed(void **state)
{
	(void)state;
	io_set_hook(NULL, NULL);
	if (running) {
		printf("the last sequence had seed %u\n", running);
		box_remove(&box);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_sequences_follow_the_rules, print_seed),
	};

	rooms_in_memory();
	return cmocka_run_group_tests_name("vfs: sequences", tests, NULL, NULL);
}
