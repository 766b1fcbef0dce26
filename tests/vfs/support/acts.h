/* SPDX-License-Identifier: Zlib */
/*
 * acts: what is done to a map while something fails, and what must be true of what is left: the map
 * is the old one or the new one to the byte, and what was said to be done is in it, or comes back
 * from the journal.
 */
#pragma once

#include "sample.h"

enum { CODE_NONE = 99 };

/* What the acting process said; it may be in memory that another shares. */
struct said {
	int r;                   /* of the operation: 0 or -errno; 1: there was no answer */
	int code;                /* of the save: enum outcome, or CODE_NONE */
	int retried;             /* as r, of a second time without faults */
	int steps[SAMPLE_STEPS]; /* as r */
	bool left_named;         /* the report names what was left */
	bool unrescued;          /* of the report */
	bool hit;                /* the fault occurred */
	enum io_op op;           /* what it befell */
};

#define SAID_INIT                                                                                  \
	{                                                                                          \
		.r = 1, .code = CODE_NONE, .retried = 1, .steps = { 1, 1, 1 }                      \
	}

struct trial {
	const struct sample *s;
	struct box box;
	struct bytes *old[SAMPLE_FILES];
	struct bytes *new[SAMPLE_FILES]; /* once the act was done, and the next mount saved */
	struct said *said;
	bool no_memory; /* is what fails */
	bool no_power;
	void (*end_faults)(void *arg); /* an act calls it before what is to be without them */
	void *arg;
};

struct act {
	const char *name;
	/* MANY: a part of what it does may be done; UNCHANGED: it writes no map. */
	enum { ONE, MANY, PAIR_ONLY, UNCHANGED } kind;
	void (*prepare)(struct trial *t); /* without faults; it ends mounted or not */
	void (*act)(struct trial *t);
	/* Of the directory, which nobody has mounted; it mounts. */
	void (*look)(struct trial *t);
};

extern const struct act acts[];
extern const size_t n_acts;
const struct act *act_by_name(const char *name); /* NULL: there is none */

/* The map is old or new, the next mount and its save are right, and nothing stays beside it. */
void act_look(const struct act *a, struct trial *t);
