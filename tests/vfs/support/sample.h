/* SPDX-License-Identifier: Zlib */
/*
 * sample: a small map of each format, and what can be done to its files; for the tests that ask of
 * each format what becomes of a map when something fails.
 */
#pragma once

#include "box.h"

enum { SAMPLE_FILES = 2, SAMPLE_STEPS = 3 };

struct sample_content {
	const char *path, *text;
};

/* A file is made (text), renamed (to), or removed (neither). */
struct step {
	const char *path, *text, *to;
};

struct sample {
	const char *name; /* of the format */
	const char *map, *companion;
	const struct sample_content *files; /* what the map is made with; NULL: map_build */
	const char *old;                    /* what `put` shows before, */
	struct sample_content put;          /* it is changed, */
	const char *shown;                  /* and what it shows then */
	struct sample_content bad;          /* a draft */
	struct sample_content same;         /* nobody touches it */
	struct sample_content more; /* also changed; shown as it is written, and a line feed */
	const char *more_shown;
	struct sample_content torn;    /* the last change of a journal that is torn there */
	struct sample_content scratch; /* is left at the end */
	struct step steps[SAMPLE_STEPS];
};

extern const struct sample samples[];
extern const size_t n_samples;
/* NULL: there is none. */
const struct sample *sample_by_name(const char *name);

/* The files of its map; each is bytes_unref'ed by the caller, NULL where there is none. */
void sample_build(const struct sample *s, struct bytes *ret[SAMPLE_FILES]);
/* A box with that map. */
void sample_box(const struct sample *s, struct bytes *const files[SAMPLE_FILES], struct box *ret);
/* Are the map's files in the box these? */
bool sample_is(
	const struct sample *s, const struct box *b, struct bytes *const files[SAMPLE_FILES]);
/* The map's files as they stand. */
void sample_read(const struct sample *s, const struct box *b, struct bytes *ret[SAMPLE_FILES]);
void sample_free(struct bytes *files[SAMPLE_FILES]);

/* Clocks stand still; the one that measures goes on by so much. */
void sample_pass_time(int ms);
