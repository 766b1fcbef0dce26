/* SPDX-License-Identifier: Zlib */
/*
 * The power fails before each call of an fsync, a save, a replay, the end of a mount and a pair's
 * recovery, in maps of each format. In every possible state of the disk, the next mount and its
 * save are right, the map is old or new, and all promised changes are present: those that an fsync
 * or a save reported, and those closed a second ago.
 */
#include "support/disk.h"

#include <stdio.h>
#include <stdlib.h>

enum { PRINTS = 1 << 16 };

static void mount(struct trial *t)
{
	if (box_mount(&t->box, NULL) < 0)
		abort();
}

/* Run the owner's loop until ms milliseconds of a second have passed. */
static void pass_time(struct trial *t, int ms)
{
	int wait;

	while ((wait = vfs_timeout(t->box.v)) >= 0 && wait <= ms) {
		sample_pass_time(wait);
		ms -= wait;
		vfs_tick(t->box.v);
		box_settle(&t->box);
	}
	sample_pass_time(ms);
}

/* The second close comes during the delay of the first one, and has a separate delay. */
static void act_second(struct trial *t)
{
	if (box_put(&t->box, t->s->put.path, t->s->put.text) < 0)
		abort();
	pass_time(t, 500);
	if (box_put(&t->box, t->s->more.path, t->s->more.text) < 0)
		abort();
	pass_time(t, 500);
	t->answers->steps[0] = 0;
	pass_time(t, 500);
	t->answers->steps[1] = 0;
}

static void look_second(struct trial *t)
{
	mount(t);
	if (t->answers->steps[0] == 0)
		assert_true(box_shows(&t->box, t->s->put.path, t->s->shown));
	if (t->answers->steps[1] == 0)
		assert_true(box_shows(&t->box, t->s->more.path, t->s->more_shown));
}

static const struct act second = {"second", MANY, mount, act_second, look_second};

/* Acts without a promise: closed content is durable within a second, not immediately. */
struct cutting {
	const char *act; /* NULL: second */
	bool unpromised;
};

static const struct cutting cuttings[] = {{"close", true}, {NULL, false}, {"fsync", false},
	{"save", false}, {"save-save", false}, {"save-unchanged", false}, {"replay", false},
	{"end", false}, {"steps", true}, {"pair", false}};

struct prints_seen {
	uint64_t prints[PRINTS];
	unsigned n;
};

static bool is_new(struct prints_seen *seen, uint64_t print)
{
	unsigned at = (unsigned)(print % PRINTS);

	while (seen->prints[at] && seen->prints[at] != print)
		at = (at + 1) % PRINTS;
	if (seen->prints[at])
		return false;
	assert_true(++seen->n < PRINTS / 2);
	seen->prints[at] = print;
	return true;
}

static void continue_after_cut(void *arg)
{
	(void)arg;
}

/* Watch the act without a fault. */
static struct disk *record(struct trial *t, const struct act *a)
{
	struct disk *d;

	sample_free(t->new);
	sample_box(t->s, t->old, &t->box);
	t->end_faults = continue_after_cut;
	a->prepare(t);
	*t->answers = (struct answers)ANSWERS_INIT;
	d = disk_watch(t->box.room.fd, t->answers);
	a->act(t);
	disk_end(d);
	if (!t->box.v)
		assert_int_equal(box_mount(&t->box, NULL), 0);
	(void)box_end(&t->box, NULL);
	sample_read(t->s, &t->box, t->new);
	box_remove(&t->box);
	return d;
}

static void validate(struct trial *t, const struct act *a, bool unpromised, const struct disk *d,
	unsigned cut, unsigned state)
{
	if (getenv("MAPFS_TEST_TELL"))
		printf("%s: %s: cut %u of %u, state %u\n", t->s->name, a->name, cut, disk_cuts(d),
			state);
	box_make_empty(&t->box, t->s->map);
	disk_restore(d, cut, state, t->box.room.fd);
	*t->answers = unpromised ? (struct answers)ANSWERS_INIT : *disk_answers(d, cut);
	t->answers->hit = true;
	/* A close alone promises nothing yet. */
	if (a->kind == MANY && t->answers->code == CODE_NONE)
		t->answers->r = 1;
	act_check(a, t);
	box_remove(&t->box);
}

static unsigned cut_everywhere(struct trial *t, const struct act *a, bool unpromised)
{
	struct prints_seen *seen = calloc(1, sizeof(*seen));
	struct disk *d = record(t, a);
	unsigned judged = 0;

	assert_non_null(seen);
	for (unsigned cut = 0; cut < disk_cuts(d); cut++)
		for (unsigned state = 0; state < disk_states(d, cut); state++)
			if (is_new(seen, disk_print(d, cut, state)) && ++judged)
				validate(t, a, unpromised, d, cut, state);
	print_message("%s: %s: %u cuts, %u states\n", t->s->name, a->name, disk_cuts(d), judged);
	free(seen);
	disk_free(d);
	return judged;
}

static void the_map_survives_a_power_loss_before_every_call(void **state)
{
	struct answers answers;
	struct trial t = {.s = *state, .answers = &answers, .no_power = true};
	unsigned all = 0;

	sample_build(t.s, t.old);
	for (size_t i = 0; i < sizeof(cuttings) / sizeof(cuttings[0]); i++) {
		const struct act *a = cuttings[i].act ? act_by_name(cuttings[i].act) : &second;

		assert_non_null(a);
		if (a->kind != PAIR_ONLY || t.s->companion)
			all += cut_everywhere(&t, a, cuttings[i].unpromised);
	}
	print_message("%s: %u states\n", t.s->name, all);
	sample_free(t.old);
	sample_free(t.new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"teeworlds", the_map_survives_a_power_loss_before_every_call, NULL, NULL,
			(void *)&samples[0]},
		{"triclon", the_map_survives_a_power_loss_before_every_call, NULL, NULL,
			(void *)&samples[1]},
		{"mod", the_map_survives_a_power_loss_before_every_call, NULL, NULL,
			(void *)&samples[2]},
		{"pak", the_map_survives_a_power_loss_before_every_call, NULL, NULL,
			(void *)&samples[3]},
	};

	rooms_in_memory();
	return cmocka_run_group_tests_name("vfs: power cuts", tests, NULL, NULL);
}
