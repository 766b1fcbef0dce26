/* SPDX-License-Identifier: Zlib */
/*
 * error: an errno for programs and a line of text for people. All rooms use it.
 *
 * A function that can fail returns 0 or a negative errno. If it takes a struct error, which may be
 * NULL, it fills it on failure. The function that finds the failure writes the text (which field,
 * its value, its bound), without a full stop or newline. Callers only put a context before it.
 */
#pragma once

#include <stdbool.h>

struct error {
	int code;           /* 0, or the negative errno of the failure */
	bool is_unresolved; /* depends on other files: may succeed after they change */
	char text[1000];    /* "field x is 7 (at most 5)", printable; empty while code is 0 */
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fill e, which may be NULL, and return code, which must be a negative errno. This overwrites an
 * earlier error in e. To pass an error up, use error_context. Do not call error_write directly. */
#define error_set(e, code, ...)                                                                    \
	__extension__({                                                                            \
		int code_ = (code);                                                                \
		error_write(e, code_, __VA_ARGS__);                                                \
		code_; /* not a result of a call: the compiler must see that it is negative */     \
	})
void error_write(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Fill e for a failed call: append ": " and errno's text. Returns -errno, or -EIO if errno is 0. */
int error_errno(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Mark the error in e, which may be NULL, as dependent on other files. Returns code. */
int error_set_unresolved(struct error *e, int code);

/*
 * Is r an error that says nothing about the validated content? Then the same content may be
 * accepted later, once the disk or the memory allows it. True for all r < 0 but -EINVAL, -EAGAIN,
 * -EFBIG, -ENOENT, -EIO and -EROFS. -EIO: the part of the map that the content is compared with
 * stays damaged. -EROFS: the mount's options make the file read-only, and a transient error would
 * make every save fail. (If the disk becomes read-only, the journal and the save report that.)
 */
bool error_is_transient(int r);

/* Put "context: " before the text, unless e is NULL or holds no error. */
void error_context(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

void error_clear(struct error *e); /* e may be NULL */

/* Return the text, or strerror's text if it is empty. Returns "" if e is NULL or no error. */
const char *error_text(const struct error *e);
