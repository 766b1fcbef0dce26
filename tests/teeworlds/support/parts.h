/* SPDX-License-Identifier: Zlib */
/* For tests of files below groups/ and envelopes/; twgen_parts.py makes the maps. */
#pragma once

#include "tw_test.h"

#define LAYERS "groups/0/layers/"

/* Indices of integers, as listed in libtw2's doc/map.md. */
enum { DATA = 14, OWN = 18, OLD_OWN = 15, COUNT = 4, LIST_DATA = 5, START = 2 };

static inline const struct tw_item *layer(const struct snapshot *s, int i)
{
	return tw_item_at(tw_map_of(s), TW_LAYER, i);
}

static inline struct bytes *data_of(const struct snapshot *s, int i, uint32_t field)
{
	struct error err = ERROR_INIT;
	struct bytes *whole = NULL;

	assert_non_null(tw_get_blob(tw_map_of(s), layer(s, i), field));
	assert_ok(blob_load(tw_get_blob(tw_map_of(s), layer(s, i), field), &whole, &err));
	return whole;
}

static inline void assert_data(
	const struct snapshot *s, int i, uint32_t field, const void *data, size_t n)
{
	CLEANUP(bytes_unref) struct bytes *b = data_of(s, i, field);

	assert_int_equal(b->size, n);
	assert_memory_equal(b->data, data, n);
}

/* The content of the file with one text replaced; the caller frees it. */
static inline char *edited(
	const struct snapshot *s, const char *path, const char *from, const char *to)
{
	CLEANUP(bytes_unref) struct bytes *b = content_of(s, path);
	const char *at = memmem(b->data, b->size, from, strlen(from));
	char *text = NULL;
	size_t before;

	if (!at)
		fail_msg("%s holds no %s", path, from);
	before = (size_t)(at - (const char *)b->data);
	if (asprintf(&text, "%.*s%s%.*s", (int)before, (const char *)b->data, to,
		    (int)(b->size - before - strlen(from)), at + strlen(from)) < 0)
		fail_msg("%s", strerror(ENOMEM));
	return text;
}

/* Put the edited content. Returns the result of entry_put. */
static inline int edit(
	struct snapshot **s, const char *path, const char *from, const char *to, struct error *e)
{
	CLEANUP(free) char *text = edited(*s, path, from, to);

	return put_text(s, path, text, e);
}

static inline void assert_refused(
	struct fixture *f, const char *path, const char *from, const char *to, const char *why)
{
	CLEANUP(bytes_unref) struct bytes *before = content_of(f->s, path), *after = NULL;
	struct error err = ERROR_INIT;

	assert_fails(edit(&f->s, path, from, to, &err), EINVAL, why);
	after = content_of(f->s, path);
	assert_int_equal(before->size, after->size);
	assert_memory_equal(before->data, after->data, before->size);
}
