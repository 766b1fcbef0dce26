/* SPDX-License-Identifier: Zlib */
/* A mount is asked by a process of its own, which may be killed: who waits for a file system that
 * does not answer cannot stop waiting. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/threads/clock.h"
#include "cli/offline/output.h"
#include "cli/status.h"

enum { PATIENCE_MS = 4000, NAME_SIZE = sizeof(STATUS_ATTRIBUTE) + 16 };

static int put(int out, const char *data, size_t n)
{
	for (ssize_t some; n; data += some, n -= (size_t)some) {
		some = write(out, data, n);
		if (some <= 0)
			return -EPIPE;
	}
	return 0;
}

static size_t records_in(const char *data, size_t n)
{
	size_t texts = 0;

	for (size_t i = 0; i < n; i++)
		texts += !data[i];
	return texts / 3;
}

/* Ends with status 0 and all records written, or with an errno. */
static _Noreturn void ask(const char *point, int out)
{
	static char page[STATUS_MAX];
	char name[NAME_SIZE];
	size_t from = 0, some;
	ssize_t n;

	do {
		snprintf(name, sizeof(name), STATUS_ATTRIBUTE ".%zu", from);
		n = lgetxattr(point, name, page, sizeof(page));
		if (n < 0)
			_exit(status_error(errno));
		if (put(out, page, (size_t)n) < 0)
			_exit(EPIPE);
		some = records_in(page, (size_t)n);
		from += some;
	} while (some);
	_exit(0);
}

/* All that comes within the time; -ETIMEDOUT, or -ENOMEM. */
static int read_all(int in, struct buffer *ret)
{
	int64_t end = clock_ms() + PATIENCE_MS;
	struct pollfd p = {.fd = in, .events = POLLIN};
	char chunk[4096];
	ssize_t n = 1;

	while (n > 0) {
		int64_t left = end - clock_ms();

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return -ETIMEDOUT;
		n = read(in, chunk, sizeof(chunk));
		if (n > 0)
			buffer_append(ret, chunk, (size_t)n);
	}
	return ret->error;
}

int status_of(const char *point, struct buffer *ret_records)
{
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;
	int ends[2], status = 0, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		ask(point, ends[1]);
	close(ends[1]);
	r = pid < 0 ? -ENOMEM : read_all(ends[0], &records);
	close(ends[0]);
	if (pid > 0 && r < 0)
		kill(pid, SIGKILL);
	/* One that does not die is left behind. */
	if (pid > 0 && waitpid(pid, &status, r < 0 ? WNOHANG : 0) == pid && r == 0)
		r = WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
	if (r == 0) {
		*ret_records = records;
		records = (struct buffer)BUFFER_INIT;
	}
	return r;
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
