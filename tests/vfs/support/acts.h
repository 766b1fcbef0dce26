/* SPDX-License-Identifier: Zlib */
/*
 * acts: operations on a map while something fails, and checks of the result: the map is the old or
 * the new one, byte for byte, and all changes that were reported as done are in it or come back
 * from the journal.
 */
#pragma once

#include "sample.h"

enum { CODE_NONE = 99 };

/* Results that the acting process reported; may be in shared memory. */
struct answers {
	int r;                   /* of the operation: 0 or -errno; 1: no answer */
	int code;                /* of the save: enum outcome, or CODE_NONE */
	int retried;             /* like r, for the repetition without faults */
	int steps[SAMPLE_STEPS]; /* like r */
	bool left_named;         /* the report names the rescued files */
	bool unrescued;          /* of the report */
	bool hit;                /* the fault occurred */
	enum io_op op;           /* the operation that failed */
};

#define ANSWERS_INIT                                                                               \
	{                                                                                          \
		.r = 1, .code = CODE_NONE, .retried = 1, .steps = { 1, 1, 1 }                      \
	}

struct trial {
	const struct sample *s;
	struct box box;
	struct bytes *old[SAMPLE_FILES];
	struct bytes *new[SAMPLE_FILES]; /* after the act and the save of the next mount */
	struct answers *answers;
	bool no_memory; /* memory is what fails */
	bool no_power;
	void (*end_faults)(void *arg); /* An act calls it before its part without faults. */
	void *arg;
};

struct act {
	const char *name;
	/* MANY: a part of the act may be done; UNCHANGED: it writes no map. */
	enum { ONE, MANY, PAIR_ONLY, UNCHANGED } kind;
	void (*prepare)(struct trial *t); /* without faults; ends mounted or unmounted */
	void (*act)(struct trial *t);
	/* Check the unmounted directory, by mounting it. */
	void (*check)(struct trial *t);
};

extern const struct act acts[];
extern const size_t n_acts;
const struct act *act_by_name(const char *name); /* NULL if there is none */

/*
 * Check that the map is old or new, that the next mount and its save are right, and that no other
 * files stay beside it.
 */
void act_check(const struct act *a, struct trial *t);
