/* SPDX-License-Identifier: Zlib */
/*
 * json: write a canonical form, and read strictly (RFC 8259).
 *
 * The canonical form has one line for each entry of the outermost object or array, indented by 2.
 * An entry is written on one line with ", " and ": ", except the array of the outermost key
 * "points": each of its elements has a line, indented by 4. Empty ones are [] and {}. UTF-8 is not
 * escaped. The file ends in a line feed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/disk/file.h"
#include "base/error.h"

/*
 * A writer. It counts the bytes of the file, and stores all of them (jsonw_to_buffer), a range
 * (jsonw_to_range) or none (jsonw_to_nowhere, for the size). So one function that writes the values
 * of a file serves size and get. Calls must nest properly (asserted).
 */
enum { JSONW_DEPTH_MAX = 16 };

struct jsonw {
	uint64_t size; /* bytes written so far */

	/* Private to json_write.c. */
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
/* Like jsonw_to_nowhere, but continue at the place and size of another writer. */
void jsonw_to_nowhere_after(struct jsonw *w, const struct jsonw *other);
void jsonw_to_buffer(struct jsonw *w, struct buffer *to); /* borrowed; check its sticky error */
void jsonw_to_range(struct jsonw *w, uint64_t off, void *dst, size_t n);
/* Is the range of jsonw_to_range complete? Then the rest is optional. False for other writers. */
bool jsonw_done(const struct jsonw *w);

void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_end(struct jsonw *w); /* end an object or array; the outermost ends the file */
void jsonw_key(struct jsonw *w, const char *key);
void jsonw_int(struct jsonw *w, int64_t v);
void jsonw_null(struct jsonw *w);
void jsonw_bool(struct jsonw *w, bool v);
/* Write a string; bytes that are not UTF-8 become U+FFFD. */
void jsonw_string(struct jsonw *w, const char *s, size_t n);

/* Write a key with its value, or an array of integers. */
void jsonw_key_int(struct jsonw *w, const char *key, int64_t v);
void jsonw_ints(struct jsonw *w, const int32_t *v, size_t n);
void jsonw_key_string(struct jsonw *w, const char *key, const char *s);

/* Limit for the number of values of a document, and for the bytes of a list element: values take up
 * to 130 times the memory of their text. */
enum { JSON_TEXT_MAX = 64 << 10 };

struct json_spot {
	unsigned line, column; /* from 1; columns count characters */
};

struct json_doc {
	struct json_t *root; /* owned */

	/* Private to codec. */
	struct bytes *text;     /* to find the line of a value */
	struct json_spot begin; /* of text, in its file */
	unsigned levels;        /* first steps of a value's path, which lead to root */
	size_t after_off;       /* if not 0: text from this offset on begins at `after` */
	struct json_spot after;
};

/*
 * Read a document. A byte order mark is dropped. -EINVAL ("line 3, column 5: ..."): no JSON object
 * or array, a repeated key in an object, nesting deeper than 2048, invalid UTF-8, NUL in a string,
 * an integer beyond 64 bits, more than JSON_TEXT_MAX values, or more than max bytes.
 */
int json_doc_load(const struct extent *x, uint64_t max, struct json_doc *ret, struct error *e);
/* Add a reference to a document; json_doc_finish drops it, and accepts {0}. Any thread. */
struct json_doc json_doc_ref(const struct json_doc *d);
void json_doc_finish(struct json_doc *d);
#define CLEANUP_JSON __attribute__((cleanup(json_doc_finish))) /* initialize the local as {0} */

/*
 * A value and its path, on the caller's stack. `parent` points to the json_at of the object or
 * array that contains the value; it must outlive this one.
 */
struct json_at {
	const struct json_doc *doc;
	const struct json_at *parent;
	const char *key; /* NULL: an element of an array, or the root */
	size_t index;
	struct json_t *value;
};

struct json_at json_root(const struct json_doc *d);

/*
 * Read a file with a list of any length, with one element in memory at a time. The list is the
 * outermost array, or, if key is not NULL, the value of this key in the outermost object; without
 * such a key or object it is empty. take gets the elements in order; `at` is valid during the call,
 * and has the element's index; its parents have no values. A negative errno from take is returned.
 *
 * *ret is the document; its list may lack the elements. -EINVAL: refused as by json_doc_load; the
 * value is no list; the file is longer than max; or an element, or the text around the list, is
 * longer than JSON_TEXT_MAX. take may have received elements before.
 */
typedef int (*json_element_fn)(void *arg, const struct json_at *at, struct error *e);

int json_list_read(const struct extent *x, uint64_t max, const char *key, json_element_fn take,
	void *arg, struct json_doc *ret, struct error *e);

/*
 * Refuse a value. Returns -EINVAL, with line, column (characters, from 1) and path: "line 4, column
 * 8: color[2] is 300 (at most 255)" for json_refuse(&at, e, "at most %d", 255). Long values are
 * shortened. The functions below refuse in the same form.
 */
int json_refuse(const struct json_at *at, struct error *e, const char *why, ...) PRINTF_LIKE(3, 4);

/* Refuse a value that is not an object, or has other keys than `known` (NULL-ended). */
int json_expect_object(const struct json_at *at, const char *const *known, struct error *e);
/* Get the value of a key. Returns false if it is absent, or if at is not an object. */
bool json_get(const struct json_at *at, const char *key, struct json_at *ret);
/* Get the value of a key. Refuse if json_get returns false: "line 1, column 1: w is missing". */
int json_need(const struct json_at *at, const char *key, struct json_at *ret, struct error *e);

/* Refuse a value that is not an array; _of: of exactly n elements. */
int json_expect_array(const struct json_at *at, size_t *ret_n, struct error *e);
int json_expect_array_of(const struct json_at *at, size_t n, struct error *e);
struct json_at json_element(const struct json_at *at, size_t i); /* i is below the length */

bool json_holds_null(const struct json_at *at);
bool json_holds_int(const struct json_at *at); /* true for any integer, false for 1.0 */

/* Get an integer of 32 bits, or from min to max. 1.0 and 1e2 are not integers. */
int json_as_int(const struct json_at *at, int32_t *ret, struct error *e);
int json_as_int_within(
	const struct json_at *at, int64_t min, int64_t max, int64_t *ret, struct error *e);
/* Get an array of exactly n integers of 32 bits. ret is written on success only. */
int json_as_ints(const struct json_at *at, int32_t *ret, size_t n, struct error *e);
/* Get a string: NUL-ended UTF-8, owned by the document. ret_n may be NULL. */
int json_as_string(const struct json_at *at, const char **ret, size_t *ret_n, struct error *e);

/*
 * Words for integers. A value with a word is written as that word: a string, or for json_flags
 * false or true. The reader accepts words, and integers with or without a word.
 */
struct json_word {
	const char *word; /* NULL ends a table */
	int32_t value;
};
extern const struct json_word json_flags[];

enum { JSON_WORD_MAX = 32 };
/* Write or get an integer. words may be NULL: no value has a word. */
void jsonw_word(struct jsonw *w, const struct json_word *words, int32_t v);
int json_as_word(
	const struct json_at *at, const struct json_word *words, int32_t *ret, struct error *e);
/* Refuse any value, and list the words (not NULL): "type is 7 (must be "a" or "b")". */
int json_refuse_word(const struct json_at *at, const struct json_word *words, struct error *e);
/* The value as jsonw_word writes it, for a message. Returns ret. words may be NULL. */
const char *json_word_text(const struct json_word *words, int32_t v, char ret[JSON_WORD_MAX]);

/* Get the integer of a key, if it is present. An absent key leaves *ret unchanged. ret_present and
 * words may be NULL. */
int json_get_int(const struct json_at *at, const char *key, int32_t *ret, bool *ret_present,
	struct error *e);
int json_get_word(const struct json_at *at, const char *key, const struct json_word *words,
	int32_t *ret, bool *ret_present, struct error *e);
