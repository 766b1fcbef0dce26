/* SPDX-License-Identifier: Zlib */
#include "vfs/files/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/disk/dir.h"

/* Find a file of that name, or else one that differs only in case. Returns 1, 0 or -errno. */
static int find_name(int dirfd, const char *name, char ret[NAME_MAX + 1])
{
	int r;
	CLEANUP(dir_close) DIR *dir = NULL;
	const struct dirent *d;

	if (faccessat(dirfd, name, F_OK, 0) == 0) {
		snprintf(ret, NAME_MAX + 1, "%s", name);
		return 1;
	}
	dir = dir_open(dirfd, ".", &r);
	while (r == 0 && (d = dir_next(dir, &r)))
		if (strcasecmp(d->d_name, name) == 0) {
			snprintf(ret, NAME_MAX + 1, "%s", d->d_name);
			return 1;
		}
	return r;
}

int companion_find(int dirfd, const struct format *f, const char *name, char ret[NAME_MAX + 1])
{
	char candidate[NAME_MAX + 1];
	int r = 0;

	for (unsigned i = 0; f->companion && r == 0 && f->companion(name, i, candidate); i++)
		r = find_name(dirfd, candidate, ret);
	return r;
}

int companion_open(int dirfd, const struct format *f, const char *name, struct source *src,
	char ret[NAME_MAX + 1], struct error *e)
{
	struct stat st;
	int fd, r;

	ret[0] = '\0';
	r = companion_find(dirfd, f, name, ret);
	if (r < 0)
		return error_set(e, r, "cannot list the map's directory: %s", strerror(-r));
	if (r == 0)
		return 0;
	fd = openat(dirfd, ret, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, "cannot open %s", ret);
	src->files[1] = file_new(fd);
	if (!src->files[1])
		return error_set(e, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		file_unref(TAKE(src->files[1]));
		return error_set(e, -EINVAL, "%s is not a regular file", ret);
	}
	src->sizes[1] = (uint64_t)st.st_size;
	src->n_files = 2;
	return 0;
}

static int identity_at(
	const struct file *f, const struct stat *as, char ret[IDENTITY_SIZE], struct error *e)
{
	return as ? identity_as(f, as, ret, e) : identity_of(f, ret, e);
}

int companion_identity_as(const struct source *src, const struct stat *const as[FORMAT_FILES_MAX],
	char ret[IDENTITY_SIZE], struct error *e)
{
	char second[IDENTITY_SIZE];
	uint64_t a, b;
	int r = identity_at(src->files[0], as[0], ret, e);

	if (r < 0 || src->n_files < 2)
		return r;
	r = identity_at(src->files[1], as[1], second, e);
	if (r < 0)
		return r;
	a = strtoull(ret, NULL, 16);
	b = strtoull(second, NULL, 16);
	snprintf(ret, IDENTITY_SIZE, "%016" PRIx64, (a << 1 | a >> 63) ^ b);
	return 0;
}

int companion_identity_of(const struct source *src, char ret[IDENTITY_SIZE], struct error *e)
{
	const struct stat *const as[FORMAT_FILES_MAX] = {NULL};

	return companion_identity_as(src, as, ret, e);
}

int companion_identity(
	int dirfd, const char *name, struct file *first, char ret[IDENTITY_SIZE], struct error *e)
{
	struct source src = {.files = {first}, .n_files = 1, .name = name};
	const struct format *f;
	char second[NAME_MAX + 1];
	struct stat st;
	int r = 0;

	if (fstat(first->fd, &st) < 0)
		return error_errno(e, "cannot stat the map");
	src.sizes[0] = (uint64_t)st.st_size;
	if (format_find(&src, &f, NULL) == 0)
		r = companion_open(dirfd, f, name, &src, second, e);
	if (r == 0)
		r = companion_identity_of(&src, ret, e);
	file_unref(src.files[1]);
	return r;
}
