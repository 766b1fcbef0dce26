/* SPDX-License-Identifier: Zlib */
/*
 * json: writing of a canonical form, and strict reading (RFC 8259).
 *
 * The form: the entries of the outermost object or array stand one a line, indented by 2;
 * everything below stands on that line with ", " and ": "; but elements of an array that is the
 * outermost key "points" stand one a line, indented by 4. Empty is [] and {}. UTF-8 stands
 * unescaped. The file ends in a line feed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/disk/file.h"
#include "base/error.h"

/*
 * A writer. It counts what it writes, and keeps all of it (jsonw_to_buffer), a range of it
 * (jsonw_to_range) or nothing (jsonw_to_nowhere, to learn the size); so one function that writes a
 * file's values serves size, get and a range of get. Calls must nest properly (asserted).
 */
enum { JSONW_DEPTH_MAX = 16 };

struct jsonw {
	uint64_t size; /* bytes written so far */

	/* The rest is json_write.c's. */
	struct buffer *buffer;
	uint8_t *dst; /* bytes [begin, end) go here */
	uint64_t begin, end;
	unsigned depth;
	bool after_key;
	bool points; /* the key just written is the outermost "points" */
	struct jsonw_level {
		char close;
		bool lines;
		bool any;
	} levels[JSONW_DEPTH_MAX];
};

void jsonw_to_nowhere(struct jsonw *w);
/* ... going on where another one is. */
void jsonw_to_nowhere_after(struct jsonw *w, const struct jsonw *other);
void jsonw_to_buffer(struct jsonw *w, struct buffer *to); /* borrowed; check its sticky error */
void jsonw_to_range(struct jsonw *w, uint64_t off, void *dst, size_t n);
/* The range is filled: a caller with many elements may stop here, and calls nothing more. */
bool jsonw_done(const struct jsonw *w);

void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_end(struct jsonw *w); /* of either; after the outermost one the file is complete */
void jsonw_key(struct jsonw *w, const char *key);
void jsonw_int(struct jsonw *w, int64_t v);
void jsonw_null(struct jsonw *w);
void jsonw_bool(struct jsonw *w, bool v);
/* What is not UTF-8 in s becomes U+FFFD. */
void jsonw_string(struct jsonw *w, const char *s, size_t n);

/* key: value, and [v, v, ...] */
void jsonw_key_int(struct jsonw *w, const char *key, int64_t v);
void jsonw_ints(struct jsonw *w, const int32_t *v, size_t n);
void jsonw_key_string(struct jsonw *w, const char *key, const char *s);

/*
 * A file that was read. Refused (-EINVAL, "line 3, column 5: ..."): what is not JSON, a key that
 * stands twice in one object, nesting deeper than 2048, invalid UTF-8, NUL in a string, integers
 * beyond 64 bits, more than JSON_TEXT_MAX values, more than max bytes. A byte order mark is
 * dropped.
 */
/* Values take up to 130 times the bytes of their text, so that no more of them are made. */
enum { JSON_TEXT_MAX = 64 << 10 };

struct json_spot {
	unsigned line, column; /* from 1; columns count characters */
};

struct json_doc {
	struct json_t *root;

	/* The rest is codec's. */
	struct bytes *text;     /* to find the line of a value */
	struct json_spot begin; /* where text begins in its file */
	unsigned levels;        /* steps of a value's path that lead to root */
	size_t after_off;       /* from this byte of text on, not 0: where that stands instead */
	struct json_spot after;
};

int json_doc_load(const struct extent *x, uint64_t max, struct json_doc *ret, struct error *e);
/* The same document for another holder, who finishes it. On any thread. */
struct json_doc json_doc_ref(const struct json_doc *d);
void json_doc_finish(struct json_doc *d);
#define CLEANUP_JSON __attribute__((cleanup(json_doc_finish)))

/*
 * A value and its path. On the caller's stack: `up` points at the place it was taken from, which
 * must stay where it is as long as this is used.
 */
struct json_at {
	const struct json_doc *doc;
	const struct json_at *up;
	const char *key; /* NULL: an element of an array, or the root */
	size_t index;
	struct json_t *value;
};

struct json_at json_root(const struct json_doc *d);

/*
 * A file with a list of any length, of which one element is in memory at a time. The list is the
 * outermost array, or the one that the outermost object has at `key` (not NULL; where it is absent
 * there are no elements). take gets each element in its order; `at` is good for the call, and its
 * index is the element's. A negative errno from take stops the reading and is returned.
 *
 * *ret is the file with an empty list. Elements may have been taken before the file is refused:
 * as by json_doc_load; where there is another value than a list; where one element, or what stands
 * around the list, is longer than JSON_TEXT_MAX; -EINVAL where the file is longer than max bytes.
 */
typedef int (*json_element_fn)(void *arg, const struct json_at *at, struct error *e);

int json_list_read(const struct extent *x, uint64_t max, const char *key, json_element_fn take,
	void *arg, struct json_doc *ret, struct error *e);

/*
 * All refusals below are -EINVAL and name line, column (characters, from 1) and path: "line 4,
 * column 8: color[2] is 1.5 (must be an integer)". json_refuse makes one for a lens's own
 * condition: "line 4, column 8: color[2] is 300 (at most 255)" for json_refuse(&at, e, "at most
 * %d", 255). Long values are cut.
 */
int json_refuse(const struct json_at *at, struct error *e, const char *why, ...) PRINTF_LIKE(3, 4);

/* It must be an object with no other keys than those of `known` (NULL-ended). */
int json_expect_object(const struct json_at *at, const char *const *known, struct error *e);
/* The value of a key: false where it is absent (or at is no object). */
bool json_get(const struct json_at *at, const char *key, struct json_at *ret);
/* The same where it must be there: "line 1, column 1: width is missing". */
int json_need(const struct json_at *at, const char *key, struct json_at *ret, struct error *e);

/* It must be an array; of any length, or of exactly n elements. */
int json_expect_array(const struct json_at *at, size_t *ret_n, struct error *e);
int json_expect_array_of(const struct json_at *at, size_t n, struct error *e);
struct json_at json_element(const struct json_at *at, size_t i);

bool json_holds_null(const struct json_at *at);
bool json_holds_int(const struct json_at *at); /* any integer, not 1.0 */

/* It must be an integer (1.0 and 1e2 are none) of 32 bits, or between min and max. */
int json_as_int(const struct json_at *at, int32_t *ret, struct error *e);
int json_as_int_within(
	const struct json_at *at, int64_t min, int64_t max, int64_t *ret, struct error *e);
/* It must be an array of exactly n such integers. ret is written only on success. */
int json_as_ints(const struct json_at *at, int32_t *ret, size_t n, struct error *e);
/* It must be a string; NUL-ended UTF-8, the doc's. ret_n may be NULL. */
int json_as_string(const struct json_at *at, const char **ret, size_t *ret_n, struct error *e);

/*
 * Integers that have names. Where a value has one, it is written as that: as a string, or, of
 * json_flags, as false and true. Read are names and integers alike, known ones or not.
 */
struct json_word {
	const char *word; /* NULL ends a table */
	int32_t value;
};
extern const struct json_word json_flags[];

enum { JSON_WORD_MAX = 32 };
/* Of these two words may be NULL: none has a name. */
void jsonw_word(struct jsonw *w, const struct json_word *words, int32_t v);
int json_as_word(
	const struct json_at *at, const struct json_word *words, int32_t *ret, struct error *e);
/* It is none of them: "type is 7 (must be "tiles", "quads" or "sounds")". */
int json_refuse_word(const struct json_at *at, const struct json_word *words, struct error *e);
/* As it is written, for a message. Returns ret. */
const char *json_word_text(const struct json_word *words, int32_t v, char ret[JSON_WORD_MAX]);

/* By key: *ret and *ret_present (may be NULL) = true where it is there; absent leaves *ret alone.
 */
int json_get_int(const struct json_at *at, const char *key, int32_t *ret, bool *ret_present,
	struct error *e);
int json_get_word(const struct json_at *at, const char *key, const struct json_word *words,
	int32_t *ret, bool *ret_present, struct error *e);
