/* SPDX-License-Identifier: Zlib */
/*
 * The fault matrix: each system call that changes a disk, and each allocation, of a close, an
 * fsync, a save, a mount that replays, the end of a mount and a pair's recovery, in maps of each
 * format, fails, is interrupted, is done in part, or is the last call of the process.
 *
 * With --count FORMAT ACT the act runs once without faults, between two calls of access(MARKER),
 * and the number of its calls is printed (test_faults_strace.py).
 */
#include "support/acts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scarce.h"

#define MARKER "/mapfs-act"

enum { N_MAX = 2000, SHARE = 3, DIED = 77, DONE = 78, CHILD_SECONDS = 60 };

#define OF(op)   (1U << (op))
#define ANY_CALL ~0U
#define GROWING  (OF(IO_OPEN) | OF(IO_WRITE) | OF(IO_MKDIR))
#ifdef __SANITIZE_THREAD__
#define CHILDREN false /* its runtime does not follow threads into a child */
#else
#define CHILDREN true
#endif
/* Calls that are repeated after an interruption. */
#define RETRIED (OF(IO_OPEN) | OF(IO_WRITE) | OF(IO_SYNC) | OF(IO_SYNC_FS) | OF(IO_TRUNCATE))

struct kind {
	const char *name;
	unsigned ops;  /* the affected calls, of OF() */
	bool half;     /* a write is done in part; later calls fail */
	int code;      /* errno of the failure */
	unsigned then; /* calls that fail after it */
	bool dies;
	bool memory;
};

static const struct kind kinds[] = {
	{"ENOSPC", ANY_CALL, .code = -ENOSPC},
	{"EIO", ANY_CALL, .code = -EIO},
	{"EIO, from then on", ANY_CALL, .code = -EIO, .then = ANY_CALL},
	{"EINTR", ANY_CALL, .code = -EINTR},
	{"EMFILE", OF(IO_OPEN), .code = -EMFILE},
	{"short write", OF(IO_WRITE), .half = true},
	{"disk full in a write", OF(IO_WRITE), .half = true, .code = -ENOSPC, .then = GROWING},
	{"killed", ANY_CALL, .dies = true},
	{"killed in a write", OF(IO_WRITE), .half = true, .dies = true},
	{"no memory", 0, .memory = true},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct fault_run {
	const struct kind *kind;
	int at;          /* negative: none, only count */
	atomic_int seen; /* number of affected calls so far */
	atomic_int calls;
	struct answers *answers;
};

static int hit_by_fault(struct fault_run *f)
{
	if (f->kind->dies)
		_exit(DIED);
	errno = -f->kind->code;
	return f->kind->code;
}

static int fault_hook(struct io_call *c, void *arg)
{
	struct fault_run *f = arg;
	const struct kind *k = f->kind;
	int mine = atomic_load(&f->seen);

	atomic_fetch_add(&f->calls, 1);
	if (k->ops & OF(c->op))
		mine = atomic_fetch_add(&f->seen, 1);
	if (f->at < 0)
		return 0;
	if (f->answers->hit)
		return k->then & OF(c->op) || (k->half && k->dies) ? hit_by_fault(f) : 0;
	if (mine < f->at || !(k->ops & OF(c->op)))
		return 0;
	f->answers->hit = true;
	f->answers->op = c->op;
	if (!k->half)
		return hit_by_fault(f);
	c->n = (c->n + 1) / 2;
	return 0;
}

static void end_faults(void *arg)
{
	struct fault_run *f = arg;

	io_set_hook(NULL, NULL);
	if (f->kind->memory && scarce_hit())
		f->answers->hit = true;
	scarce_set(-1);
}

static void perform(struct trial *t, const struct act *a, struct fault_run *f)
{
	t->end_faults = end_faults;
	t->arg = f;
	a->prepare(t);
	*t->answers = (struct answers)ANSWERS_INIT;
	(void)access(MARKER, F_OK);
	io_set_hook(fault_hook, f);
	if (f->kind->memory)
		scarce_set(f->at);
	a->act(t);
	end_faults(f);
	(void)access(MARKER, F_OK);
}

/* Perform an act that may crash. */
static void perform_in_a_child(struct trial *t, const struct act *a, struct fault_run *f)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		/*
		 * Do not use cmocka's handlers, which would continue the parent's tests in the
		 * child.
		 */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		alarm(CHILD_SECONDS);
		perform(t, a, f);
		_exit(DONE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		fail_msg("signal %d", WTERMSIG(status));
	assert_true(WEXITSTATUS(status) == DIED || WEXITSTATUS(status) == DONE);
}

/* Must the fault have no effect? */
static bool goes_unnoticed(const struct kind *k, enum io_op op)
{
	return (k->code == -EINTR && RETRIED & OF(op)) || (k->half && !k->code && !k->dies);
}

static bool run_with_fault(struct trial *t, const struct act *a, const struct kind *k, int at)
{
	struct fault_run f = {.kind = k, .at = at, .answers = t->answers};
	bool hit;

	if (getenv("MAPFS_TEST_TELL"))
		printf("%s: %s: %s at %d\n", t->s->name, a->name, k->name, at);
	t->no_memory = k->memory;
	sample_box(t->s, t->old, &t->box);
	if (k->dies || k->memory) {
		perform_in_a_child(t, a, &f);
	} else {
		perform(t, a, &f);
		box_kill(&t->box);
	}
	hit = t->answers->hit;
	t->answers->hit = hit && !goes_unnoticed(k, t->answers->op);
	act_check(a, t);
	box_remove(&t->box);
	return hit;
}

/* Check that the act without faults gives the new map. Returns the number of its calls. */
static int run_without_fault(struct trial *t, const struct act *a)
{
	struct fault_run f = {.kind = &kinds[0], .at = -1, .answers = t->answers};

	sample_free(t->new);
	sample_box(t->s, t->old, &t->box);
	perform(t, a, &f);
	assert_true(t->answers->r <= 0 || t->answers->code != CODE_NONE);
	if (!t->box.v)
		assert_int_equal(box_mount(&t->box, NULL), 0);
	(void)box_end(&t->box, NULL);
	sample_read(t->s, &t->box, t->new);
	assert_int_equal(sample_files_are(t->s, &t->box, t->old), a->kind == UNCHANGED);
	box_remove(&t->box);
	return f.calls;
}

static unsigned fail_each_call(struct trial *t, const struct act *a, const struct kind *k, int from)
{
	int step = (int)sequences_to_run(1, SHARE), at = step > 1 ? from % step : 0;
	unsigned n = 0;

	while (run_with_fault(t, a, k, at)) {
		assert_in_range(at, 0, N_MAX);
		at += step;
		n++;
	}
	return n;
}

static void trial_make(struct trial *t, const struct sample *s)
{
	*t = (struct trial){.s = s};
	t->answers = mmap(NULL, sizeof(*t->answers), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(t->answers != MAP_FAILED);
	sample_build(s, t->old);
}

static void trial_free(struct trial *t)
{
	sample_free(t->old);
	sample_free(t->new);
	munmap(t->answers, sizeof(*t->answers));
}

static void every_act_survives_every_fault(void **state)
{
	unsigned of_kind[N_KINDS] = {0}, all = 0;
	struct trial t;

	trial_make(&t, *state);
	for (size_t i = 0; i < n_acts; i++) {
		unsigned of_act = 0;
		int calls;

		if (acts[i].kind == PAIR_ONLY && !t.s->companion)
			continue;
		calls = run_without_fault(&t, &acts[i]);
		for (size_t k = 0; k < N_KINDS; k++) {
			bool child = kinds[k].dies || kinds[k].memory;
			unsigned n = child && !CHILDREN ? 0
							: fail_each_call(&t, &acts[i], &kinds[k],
								  (int)(i + k));

			of_kind[k] += n;
			of_act += n;
		}
		print_message(
			"%s: %s: %d calls, %u cases\n", t.s->name, acts[i].name, calls, of_act);
		all += of_act;
	}
	for (size_t k = 0; k < N_KINDS; k++)
		print_message("%s: %s: %u cases\n", t.s->name, kinds[k].name, of_kind[k]);
	print_message("%s: %u cases\n", t.s->name, all);
	trial_free(&t);
}

static int count(const char *format, const char *act)
{
	const struct sample *s = sample_by_name(format);
	const struct act *a = act_by_name(act);
	struct trial t;

	if (!s || !a || (a->kind == PAIR_ONLY && !s->companion))
		return 2;
	trial_make(&t, s);
	printf("%d\n", run_without_fault(&t, a));
	trial_free(&t);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		{"teeworlds", every_act_survives_every_fault, NULL, NULL, (void *)&samples[0]},
		{"triclon", every_act_survives_every_fault, NULL, NULL, (void *)&samples[1]},
		{"mod", every_act_survives_every_fault, NULL, NULL, (void *)&samples[2]},
		{"pak", every_act_survives_every_fault, NULL, NULL, (void *)&samples[3]},
	};

	rooms_in_memory();
	if (argc == 4 && strcmp(argv[1], "--count") == 0)
		return count(argv[2], argv[3]);
	return cmocka_run_group_tests_name("vfs: faults", tests, NULL, NULL);
}
