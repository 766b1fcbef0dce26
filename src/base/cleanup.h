/* SPDX-License-Identifier: Zlib */
/*
 * cleanup: local variables that are freed at the end of their scope.
 *
 * CLEANUP(thing_free) struct thing *t = NULL; calls thing_free(t) at the end of the scope. TAKE(t)
 * returns t and sets it to NULL, which transfers ownership. All destructors accept NULL.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define TAKE(p)                                                                                    \
	__extension__({                                                                            \
		__typeof__(p) take_ = (p);                                                         \
		(p) = NULL;                                                                        \
		take_;                                                                             \
	})

/* Define name##_cleanup(T **) for a destructor void name(T *). Then CLEANUP(name) can be used. */
#define DEFINE_CLEANUP(type, name)                                                                 \
	static inline void name##_cleanup(type **p)                                                \
	{                                                                                          \
		name(*p);                                                                          \
	}                                                                                          \
	struct cleanup_semicolon_

#define CLEANUP(name) __attribute__((cleanup(name##_cleanup)))

static inline void free_cleanup(void *p)
{
	free(*(void **)p);
}

/* For CLEANUP(close_fd) int fd = -1; keeps errno unchanged. */
static inline void close_fd_cleanup(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

/* Like TAKE for a descriptor: return it and set *fd to -1. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}
