/* SPDX-License-Identifier: Zlib */
/*
 * sample: a small map of each format, with changes of its files, for tests that check the map of
 * each format after a failure.
 */
#pragma once

#include "box.h"

enum { SAMPLE_FILES = 2, SAMPLE_STEPS = 3 };

struct sample_content {
	const char *path, *text;
};

/* A file is created (text), renamed (to), or removed (neither). */
struct step {
	const char *path, *text, *to;
};

struct sample {
	const char *name; /* of the format */
	const char *map, *companion;
	const struct sample_content *files; /* initial files; NULL: use map_build */
	const char *old;                    /* content that `put` replaces */
	struct sample_content put;          /* the change */
	const char *shown;                  /* content shown after it */
	struct sample_content bad;          /* a draft */
	struct sample_content same;         /* stays unchanged */
	struct sample_content more;         /* also changed; shown as written, plus a line feed */
	const char *more_shown;
	struct sample_content torn;    /* the last change of a torn journal */
	struct sample_content scratch; /* a scratch file that is left at the end */
	struct step steps[SAMPLE_STEPS];
};

extern const struct sample samples[];
extern const size_t n_samples;
/* Returns NULL if there is none. */
const struct sample *sample_by_name(const char *name);

/* The files of its map. The caller frees each with bytes_unref; NULL if there is no second one. */
void sample_build(const struct sample *s, struct bytes *ret[SAMPLE_FILES]);
/* Make a box with that map. */
void sample_box(const struct sample *s, struct bytes *const files[SAMPLE_FILES], struct box *ret);
/* Do the map's files in the box equal these? */
bool sample_files_are(
	const struct sample *s, const struct box *b, struct bytes *const files[SAMPLE_FILES]);
/* The current files of the map. */
void sample_read(const struct sample *s, const struct box *b, struct bytes *ret[SAMPLE_FILES]);
void sample_free(struct bytes *files[SAMPLE_FILES]);

/* Clocks are constant; this advances the monotonic clock. */
void sample_pass_time(int ms);
