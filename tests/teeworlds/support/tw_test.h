/* SPDX-License-Identifier: Zlib */
/* For the cmocka programs of this folder; TW_FIXTURES is the folder that twgen.py filled. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/asserts.h"
#include "fixture.h"

static inline const char *fixture_path(const char *name)
{
	static char path[PATH_MAX];
	const char *dir = getenv("TW_FIXTURES");

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	return path;
}

static inline void must_open(struct fixture *f, const char *name, const char *raw)
{
	struct error err = ERROR_INIT;

	assert_ok(fixture_open(f, fixture_path(name), raw, &err));
}

static inline entry_id id_of(const struct snapshot *s, const char *path)
{
	struct file_attr entry;

	if (entry_find(s, path, &entry) < 0)
		fail_msg("there is no %s", path);
	return entry.id;
}

static inline struct bytes *content_of(const struct snapshot *s, const char *path)
{
	struct error err = ERROR_INIT;
	struct bytes *b = NULL;
	struct file_attr entry;

	if (entry_find(s, path, &entry) < 0)
		fail_msg("there is no %s", path);
	assert_ok(entry_get(s, &entry, &b, &err));
	return b;
}

static inline void assert_content(const struct snapshot *s, const char *path, const char *text)
{
	CLEANUP(bytes_unref) struct bytes *b = content_of(s, path);

	assert_int_equal(b->size, strlen(text));
	assert_memory_equal(b->data, text, b->size);
}

/* Put text to a path. Returns the result of entry_put. */
static inline int put_text(struct snapshot **s, const char *path, const char *text, struct error *e)
{
	return entry_put(s, id_of(*s, path), text, strlen(text), e);
}
