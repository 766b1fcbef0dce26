/* SPDX-License-Identifier: Zlib */
/*
 * Locals that clean up after themselves. CLEANUP(free_thing) struct thing *t = NULL; calls
 * free_thing(t) at the end of the scope; TAKE(t) hands t on and leaves NULL behind. Every
 * destructor of the project accepts NULL.
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

/* Defines name##_cleanup(T **) for a destructor void name(T *); use it as CLEANUP(name). */
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

/* For CLEANUP(close_fd) int fd = -1; errno survives. */
static inline void close_fd_cleanup(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}
