/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_errand.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"

static _Noreturn void run_child(int out, void (*run)(const void *arg), const void *arg)
{
	sigset_t none;

	/* A signal to the whole group is the keeper's to answer; what it sent out is to be done. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(out, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	run(arg);
	_exit(EIO);
}

int errand_start(struct errand *j, void (*run)(const void *arg), const void *arg, struct error *e)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_errno(e, "pipe");
	pid = fork();
	if (pid == 0)
		run_child(ends[1], run, arg);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_errno(e, "fork");
	}
	j->pid = pid;
	j->out = ends[0];
	j->run = run;
	return 0;
}

void errand_finish(struct errand *j, char *text, size_t room)
{
	ssize_t n = read(j->out, text, room - 1);
	char *last;

	text[n > 0 ? n : 0] = '\0';
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	last = strrchr(text, '\n');
	if (last)
		memmove(text, last + 1, strlen(last));
	close(j->out);
	*j = (struct errand)ERRAND_INIT;
}

static int open_inside(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int flush_path(int root, const char *path)
{
	CLEANUP(close_fd) int fd = open_inside(root, path, O_RDONLY);

	if (fd < 0 && errno == EACCES)
		fd = open_inside(root, path, O_WRONLY);
	if (fd < 0 || fsync(fd) < 0)
		return errno;
	return 0;
}

void errand_flush_run(const void *arg)
{
	const struct errand_flush *f = arg;
	int root = open(f->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char dev[24];
	int failed = 0;

	if (root < 0 || fstat(root, &st) < 0)
		_exit(errno);
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	if (strcmp(dev, f->dev) != 0)
		_exit(ENOENT);
	for (char **path = f->paths; *path; path++) {
		int r = flush_path(root, *path);

		failed = failed ? failed : r;
	}
	_exit(failed);
}
