/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"

static size_t limit_of_descriptors(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : (size_t)limit.rlim_cur;
}

static void fill_reserve(struct reserve *r)
{
	int fd = 0;

	while (fd >= 0 && r->n < r->size) {
		fd = fcntl(r->dirfd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			r->fds[r->n++] = fd;
	}
}

static void empty_reserve(struct reserve *r)
{
	while (r->n)
		close(r->fds[--r->n]);
}

void reserve_init(struct reserve *r, int dirfd)
{
	size_t quarter = limit_of_descriptors() / 4;

	*r = (struct reserve){.dirfd = dirfd};
	r->size = quarter < RESERVE_MAX ? quarter : RESERVE_MAX;
	fill_reserve(r);
}

void reserve_finish(struct reserve *r)
{
	r->size = 0;
	empty_reserve(r);
}

void reserve_open(struct reserve *r)
{
	r->saves++;
	empty_reserve(r);
}

void reserve_close(struct reserve *r)
{
	if (--r->saves == 0)
		fill_reserve(r);
}

bool reserve_is_near(const struct reserve *r)
{
	/* dup returns the lowest free descriptor. */
	CLEANUP(close_fd) int fd = fcntl(r->dirfd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 || (size_t)fd + r->size > limit_of_descriptors();
}
