/* SPDX-License-Identifier: Zlib */
#include "cli/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { LIMIT_MS = 4000 };

int child_run(void *arg, child_wait *wait, child_call *call)
{
	CLEANUP(close_fd) int fd = -1;
	pid_t pid = fork(), ended;
	int status = 0;
	bool goes_on;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit(call(arg));
	fd = pidfd_open(pid, 0);
	do {
		goes_on = wait(arg, fd);
		ended = waitpid(pid, &status, WNOHANG);
	} while (goes_on && ended == 0);
	if (ended == 0) {
		/* A child in an uninterruptible call stays; do not wait for it. */
		kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, WNOHANG);
		return ETIMEDOUT;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

const char *child_error(int r)
{
	return r == -ECHILD ? "a child process of mapfs was killed" : strerror(r < 0 ? -r : r);
}

bool child_limit(void *, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	(void)TEMP_FAILURE_RETRY(poll(&p, 1, LIMIT_MS));
	return false;
}
