/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "cli/status.h"
#include "cli/child.h"

struct question {
	const char *point;
	int records_fd; /* file that receives the records */
};

static size_t count_records(const char *data, size_t n)
{
	size_t texts = 0;

	for (size_t i = 0; i < n; i++)
		texts += !data[i];
	return texts / 3;
}

static int fetch_records(void *arg)
{
	static char page[STATUS_MAX];
	const struct question *q = arg;
	char name[sizeof(STATUS_ATTRIBUTE) + 24];
	size_t from = 0, some;
	ssize_t n;

	do {
		snprintf(name, sizeof(name), STATUS_ATTRIBUTE ".%zu", from);
		n = lgetxattr(q->point, name, page, sizeof(page));
		if (n < 0)
			return status_error(errno);
		if (io_write(q->records_fd, page, (size_t)n) < 0)
			return ENOMEM;
		some = count_records(page, (size_t)n);
		from += some;
	} while (some);
	return 0;
}

/* The worker answers statfs(2) even during a save. */
static int check_alive(void *arg)
{
	const struct question *q = arg;
	struct statvfs fs;

	return statvfs(q->point, &fs) < 0 ? status_error(errno) : 0;
}

int status_query(const char *point, struct buffer *ret_records)
{
	CLEANUP(close_fd) int answer = memfd_create("status", MFD_CLOEXEC);
	struct question q = {point, answer};
	int r = answer < 0 ? errno : child_run(&q, child_limit, fetch_records);
	char chunk[4096];
	ssize_t n = 1;

	if (r == ETIMEDOUT && child_run(&q, child_limit, check_alive) == 0)
		r = EBUSY;
	for (off_t at = 0; r == 0 && (n = pread(answer, chunk, sizeof(chunk), at)) > 0; at += n)
		buffer_append(ret_records, chunk, (size_t)n);
	if (r)
		return r > 0 ? -r : r;
	return ret_records->error;
}
