/* SPDX-License-Identifier: Zlib */
#include "cli/whole/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io.h"

int rules_load(int fd, struct bytes **ret, struct error *e)
{
	CLEANUP(file_unref) struct file *f = file_new(fd);
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct stat st;

	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "is no regular file");
	x = extent_of_file(TAKE(f), 0, (uint64_t)st.st_size);
	return extent_load(&x, RULES_MOST, ret, e);
}

/* Takes both. */
static void add(struct rules_places *p, int fd, char *path)
{
	if (fd >= 0 && path && p->n < RULES_DIRS_MAX) {
		p->dirs[p->n++] = (struct rules_place){fd, path};
		return;
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

static void add_game(struct rules_places *p, const char *dir)
{
	const char *home = getenv("HOME");
	char *path = NULL;

	if (dir[0] != '~')
		path = strdup(dir);
	else if (!home || home[0] != '/' || asprintf(&path, "%s%s", home, dir + 1) < 0)
		path = NULL;
	if (path)
		add(p, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
}

int rules_open(
	struct rules_places *p, const char *named, const struct format_automap *f, struct error *e)
{
	int fd = named ? open(named, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	struct stat st;
	int r = 0;

	*p = (struct rules_places){.ending = f->ending, .name = named};
	if (named && (fd < 0 || fstat(fd, &st) < 0))
		r = error_errno(e, "cannot be opened");
	else if (named && S_ISDIR(st.st_mode))
		add(p, fd, strdup(named));
	else if (named)
		r = rules_load(fd, &p->file, e);
	for (const char *const *dir = f->dirs; *dir; dir++)
		add_game(p, *dir);
	return r < 0 ? error_context(e, "%s", named) : 0;
}

size_t rules_sandbox(const struct rules_places *p, struct sandbox_rule *ret)
{
	for (size_t i = 0; i < p->n; i++)
		ret[i] = (struct sandbox_rule){p->dirs[i].fd, 0};
	return p->n;
}

static int try(int dirfd, const char *dir, const char *name, struct bytes **ret, char **ret_file,
	struct error *e)
{
	int fd = io_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct bytes *all;
	int r;

	if (fd < 0)
		return -ENOENT;
	r = rules_load(fd, &all, e);
	if (r == 0 && asprintf(ret_file, "%s%s%s", dir, dir[0] ? "/" : "", name) < 0) {
		bytes_unref(all);
		r = error_set(e, -ENOMEM, "out of memory");
	}
	if (r == 0)
		*ret = all;
	return r < 0 ? error_context(e, "%s", name) : 0;
}

int rules_find(const struct rules_places *p, int beside, const char *image, struct bytes **ret,
	char **ret_file, struct error *e)
{
	char name[NAME_MAX + 1];
	int r = -ENOENT;

	if (p->file) {
		*ret_file = strdup(p->name);
		*ret = *ret_file ? bytes_ref(p->file) : NULL;
		return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
	}
	if (!image[0])
		return error_set(e, -ENOENT, "it has no image that rules are found by (--rules)");
	if (image[0] == '.' || strchr(image, '/') ||
		snprintf(name, sizeof(name), "%s%s", image, p->ending) >= (int)sizeof(name))
		return error_set(e, -ENOENT, "its image has no name that a file of rules has");
	if (beside >= 0)
		r = try(beside, "", name, ret, ret_file, e);
	for (size_t i = 0; r == -ENOENT && i < p->n; i++)
		r = try(p->dirs[i].fd, p->dirs[i].path, name, ret, ret_file, e);
	return r == -ENOENT ? error_set(e, r, "no %s was found (--rules)", name) : r;
}

void rules_close(struct rules_places *p)
{
	for (size_t i = 0; i < p->n; i++) {
		close(p->dirs[i].fd);
		free(p->dirs[i].path);
	}
	bytes_unref(p->file);
	*p = (struct rules_places){0};
}
