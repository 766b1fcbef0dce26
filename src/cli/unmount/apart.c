/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

int apart(int (*fn)(void *arg), void *arg, int limit_ms)
{
	CLEANUP(close_fd) int ended = -1;
	struct pollfd p = {.events = POLLIN};
	int status = 0;
	pid_t pid, r;

	pid = fork();
	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(fn(arg));
	p.fd = ended = pidfd_open(pid, 0);
	/* Without a descriptor the whole time is waited. */
	if (limit_ms >= 0)
		(void)TEMP_FAILURE_RETRY(poll(&p, 1, limit_ms));
	r = waitpid(pid, &status, limit_ms >= 0 ? WNOHANG : 0);
	if (r == 0) {
		/* It may be past killing. */
		kill(pid, SIGKILL);
		(void)waitpid(pid, &status, WNOHANG);
		return ETIMEDOUT;
	}
	return r == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
