/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/output.h"
#include "cli/status.h"
#include "cli/unmount/apart.h"

struct question {
	const char *point;
	int answer; /* a file, where the records go */
};

static size_t records_in(const char *data, size_t n)
{
	size_t texts = 0;

	for (size_t i = 0; i < n; i++)
		texts += !data[i];
	return texts / 3;
}

static int ask(void *arg)
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
		if (io_write(q->answer, page, (size_t)n) < 0)
			return ENOMEM;
		some = records_in(page, (size_t)n);
		from += some;
	} while (some);
	return 0;
}

int status_of(const char *point, struct buffer *ret_records)
{
	CLEANUP(close_fd) int answer = memfd_create("status", MFD_CLOEXEC);
	struct question q = {point, answer};
	int r = answer < 0 ? -errno : -apart(ask, &q, APART_PATIENCE_MS);
	char chunk[4096];
	ssize_t n = 1;

	for (off_t at = 0; r == 0 && (n = pread(answer, chunk, sizeof(chunk), at)) > 0; at += n)
		buffer_append(ret_records, chunk, (size_t)n);
	return r < 0 ? r : ret_records->error;
}

bool status_print_left(const char *point)
{
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;
	struct status_entry e;
	bool any = false;

	(void)status_of(point, &records);
	for (size_t at = 0; status_next(&records, &at, &e);) {
		if (strcmp(e.word, "draft") != 0 && strcmp(e.word, "left") != 0 &&
			strcmp(e.word, "waiting") != 0)
			continue;
		output_report("left: %s: %s", e.path, e.why);
		any = true;
	}
	return any;
}
