/* SPDX-License-Identifier: Zlib */
#include "sample.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

/*
 * Replaces the project's calls (meson.build): an archive stores the times of its files, and the
 * same save must give the same bytes.
 */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

static atomic_int passed_ms;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int ms = clock == CLOCK_REALTIME ? 0 : atomic_load(&passed_ms);

	*ret = (struct timespec){1700000000 + ms / 1000, ms % 1000 * 1000000};
	return 0;
}

void sample_pass_time(int ms)
{
	atomic_fetch_add(&passed_ms, ms);
}

#define GROUND "x,y\n0,5\n10,6\n20,7\n"

static const struct sample_content triclon_files[] = {{"points.csv", GROUND},
	{"terrain.csv", "index,type\n0,1\n"}, {"objects.csv", "x,type\n3,4\n"}, {0}};

static const struct sample_content archive_files[] = {{"MEDIA/A.OGG", "old"},
	{"MEDIA/B.DAT", "[A]\n\t<STRING>NAME:b\n[/A]\n"}, {"MEDIA/C.OGG", "kept"},
	{"MEDIA/D.OGG", "more"}, {"MEDIA/E.OGG", "last"}, {0}};

#define ARCHIVE                                                                                    \
	.files = archive_files, .old = "old", .put = {"MEDIA/A.OGG", "a new one"},                 \
	.shown = "a new one", .bad = {"MEDIA/B.DAT", "[A]\n"}, .same = {"MEDIA/C.OGG", "kept"},    \
	.more = {"MEDIA/D.OGG", "even more"}, .more_shown = "even more",                           \
	.torn = {"MEDIA/E.OGG", "torn"}, .scratch = {"MEDIA/A.OGG.swp", "SWAP"},                   \
	.steps = {{"MEDIA/N.OGG", "made", NULL}, {"MEDIA/A.OGG", NULL, "MEDIA/R.OGG"},             \
		{"MEDIA/D.OGG", NULL, NULL}}

const struct sample samples[] = {
	{
		.name = "teeworlds",
		.map = MAP_NAME,
		.old = "alice\n",
		.put = {"info/author", "bob\n"},
		.shown = "bob\n",
		.bad = {"info/version", BAD_LINES},
		.same = {"info/credits", "nobody\n"},
		.more = {"info/license", "MIT\n"},
		.more_shown = "MIT\n",
		.torn = {"info/settings.cfg", "sv_torn 1"},
		.scratch = {"images/photo.jpg", "JPEG"},
		.steps = {{"envelopes/0_x.json", "{\"channels\": 3}", NULL},
			{IMAGE, NULL, "images/0_other.png"},
			{"groups/0_g/layers/2_deco/id.csv", NULL, NULL}},
	},
	{
		.name = "triclon",
		.map = "m.tcm",
		.files = triclon_files,
		.old = "index,type\n0,1\n",
		.put = {"terrain.csv", "index,type\n0,2\n1,3\n"},
		.shown = "index,type\n0,2\n1,3\n",
		.bad = {"info.json", "{"},
		.same = {"points.csv", GROUND},
		.more = {"objects.csv", "x,type\n5,6\n"},
		.more_shown = "x,type\n5,6\n",
		.torn = {"objects.csv", "x,type\n7,8\n"},
		.scratch = {"photo.jpg", "JPEG"},
		.steps = {{"objects.csv", NULL, NULL}, {"objects.csv", "x,type\n9,9\n", NULL}, {0}},
	},
	{.name = "torchlight-mod", .map = "X.MOD", ARCHIVE},
	{.name = "torchlight-pak", .map = "X.PAK", .companion = "X.PAK.MAN", ARCHIVE},
};

const size_t n_samples = sizeof(samples) / sizeof(samples[0]);

const struct sample *sample_by_name(const char *name)
{
	for (size_t i = 0; i < n_samples; i++)
		if (strcmp(samples[i].name, name) == 0)
			return &samples[i];
	return NULL;
}

void sample_read(const struct sample *s, const struct box *b, struct bytes *ret[SAMPLE_FILES])
{
	ret[0] = get_file(b->room.fd, s->map);
	ret[1] = s->companion ? get_file(b->room.fd, s->companion) : NULL;
}

void sample_free(struct bytes *files[SAMPLE_FILES])
{
	for (int i = 0; i < SAMPLE_FILES; i++) {
		bytes_unref(files[i]);
		files[i] = NULL;
	}
}

void sample_build(const struct sample *s, struct bytes *ret[SAMPLE_FILES])
{
	struct error e = ERROR_INIT;
	struct box b;

	ret[1] = NULL;
	if (!s->files) {
		ret[0] = map_build("alice");
		return;
	}
	if (box_new(&b, s->map, &e) < 0)
		fail_msg("%s: %s", s->name, error_text(&e));
	for (const struct sample_content *c = s->files; c->path; c++)
		if (box_put(&b, c->path, c->text) < 0)
			fail_msg("%s: %s cannot be made", s->name, c->path);
	assert_int_equal(box_end(&b, NULL), OUTCOME_DONE);
	sample_read(s, &b, ret);
	box_remove(&b);
}

void sample_box(const struct sample *s, struct bytes *const files[SAMPLE_FILES], struct box *ret)
{
	box_make_empty(ret, s->map);
	put_file(ret->room.fd, s->map, files[0]->data, files[0]->size);
	if (s->companion)
		put_file(ret->room.fd, s->companion, files[1]->data, files[1]->size);
}

bool sample_files_are(
	const struct sample *s, const struct box *b, struct bytes *const files[SAMPLE_FILES])
{
	struct bytes *now[SAMPLE_FILES];
	bool yes = true;

	sample_read(s, b, now);
	for (int i = 0; i < SAMPLE_FILES; i++)
		yes = yes && (!files[i] ? !now[i]
					: bytes_equal_data(now[i], files[i]->data, files[i]->size));
	sample_free(now);
	return yes;
}
