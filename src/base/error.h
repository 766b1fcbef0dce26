/* SPDX-License-Identifier: Zlib */
/*
 * One error type through all rooms: an errno for programs and a line for people.
 *
 * Functions that can fail return 0 or a negative errno. The line is written where the fact is
 * known (which field, its value, its bound), travels up untouched but for a context put before it,
 * and is printed where a person is. It ends without a full stop and without a newline.
 */
#pragma once

#include <stdbool.h>

struct error {
	int code;           /* 0, or the negative errno of the failure */
	bool is_unresolved; /* what others hold is against it, and may change */
	char text[1000];    /* "field x is 7 (at most 5)", printable; empty while code is 0 */
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/*
 * Fill e (which may be NULL) and return code, which must be a negative errno. What stood in e
 * before is lost, so do not call it on the way up: use error_context there.
 */
#define error_set(e, code, ...)                                                                    \
	__extension__({                                                                            \
		int code_ = (code);                                                                \
		error_write(e, code_, __VA_ARGS__);                                                \
		code_; /* the compiler sees that it is negative, so that there are no results */   \
	})
void error_write(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* error_set for a failed system call: adds ": " and the text of errno. Returns -errno. */
int error_errno(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What was just set is the fault of others, too: the same may go well once they change. Returns
 * code. */
int error_set_unresolved(struct error *e, int code);

/*
 * Does an error say nothing about the content that was validated, so that the same content may be
 * accepted once the disk or the memory is well? -EIO is not transient: the part of the map that the
 * content is compared with stays damaged. Neither is -EROFS: a file that the mount's options make
 * read-only stays so while the map is open, and as a transient error it would make every save fail.
 * (If the disk has become read-only, the journal and the save fail by themselves.)
 */
bool error_is_transient(int r);

/* Put "context: " before the text; does nothing while e holds no error. Returns e's code. */
int error_context(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

void error_clear(struct error *e); /* none any more; e may be NULL */

/* The text, or that of the code where nothing was written, or "" for NULL and no error. */
const char *error_text(const struct error *e);
