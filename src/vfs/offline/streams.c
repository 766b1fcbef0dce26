/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/disk/io.h"

enum { PIECE = 1 << 20 };

bool streams_named(const char *file)
{
	return strcmp(file, "-") == 0;
}

int streams_directory(struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	fd = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? error_errno(e, "temporary directory %s", tmp) : fd;
}

/* Copy from the current offset of `from` to its end. */
static int copy_stream(int from, int to)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	int r = piece ? 0 : -ENOMEM;
	ssize_t n;

	while (r == 0 && (n = read(from, piece, PIECE)) != 0) {
		if (n > 0)
			r = io_write(to, piece, (size_t)n);
		else if (errno != EINTR)
			r = -errno;
	}
	return r;
}

int streams_input(int *ret_dirfd, char **ret_name, struct error *e)
{
	CLEANUP(close_fd) int dirfd = streams_directory(e);
	CLEANUP(close_fd) int own = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd, r;

	if (dirfd < 0)
		return dirfd;
	if (own < 0)
		return error_errno(e, "/proc/self/fd");
	r = fd = io_tmpfile(dirfd);
	if (r >= 0)
		r = copy_stream(STDIN_FILENO, fd);
	if (r >= 0 && !(*ret_name = text_printf("%d", fd)))
		r = -ENOMEM;
	if (r < 0)
		return error_set(e, r, "cannot copy standard input: %s", strerror(-r));
	*ret_dirfd = take_fd(&own);
	return 0;
}

int streams_output(int fd, struct error *e)
{
	int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : copy_stream(fd, STDOUT_FILENO);

	return r < 0 ? error_set(e, r, "cannot write: %s", strerror(-r)) : 0;
}
