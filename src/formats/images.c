/* SPDX-License-Identifier: Zlib */
#include "formats/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/refs.h"
#include "formats/preview.h"

struct images {
	atomic_uint refs;
	size_t n;
	int dirs[IMAGES_DIRS_MAX];
};

static int add(struct images *i, const char *path)
{
	int fd = i->n < IMAGES_DIRS_MAX ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return -1;
	i->dirs[i->n++] = fd;
	return 0;
}

static void add_all(struct images *i, const char *const *dirs)
{
	const char *home = getenv("HOME");

	for (; *dirs; dirs++) {
		CLEANUP(free) char *path = NULL;

		if ((*dirs)[0] != '~')
			(void)add(i, *dirs);
		else if (home && home[0] == '/' && asprintf(&path, "%s%s", home, *dirs + 1) > 0)
			(void)add(i, path);
		else
			path = NULL;
	}
}

static struct images *create(void)
{
	struct images *i = calloc(1, sizeof(*i));

	if (i)
		atomic_init(&i->refs, 1);
	return i;
}

int images_open_others(
	const char *first, const char *const *dirs, struct images **ret, struct error *e)
{
	CLEANUP(images_unref) struct images *i = create();

	if (!i)
		return error_set(e, -ENOMEM, "out of memory");
	if (first && add(i, first) < 0)
		return error_errno(e, "%s", first);
	add_all(i, dirs);
	*ret = TAKE(i);
	return 0;
}

int images_open(const char *const *options, struct images **ret, struct error *e)
{
	const char *mapres = format_option(options, "mapres");
	CLEANUP(images_unref) struct images *i = create();

	if (!i)
		return error_set(e, -ENOMEM, "out of memory");
	if (mapres && add(i, mapres) < 0)
		return error_errno(e, "option mapres: %s", mapres);
	for (size_t k = 0; formats[k]; k++)
		if (formats[k]->preview)
			add_all(i, formats[k]->preview->image_dirs);
	*ret = TAKE(i);
	return 0;
}

DEFINE_REF(struct images, images_ref)

void images_unref(struct images *i)
{
	if (!i || !refs_drop(&i->refs))
		return;
	for (size_t k = 0; k < i->n; k++)
		close(i->dirs[k]);
	free(i);
}

size_t images_rules(const struct images *i, struct sandbox_rule *ret)
{
	for (size_t k = 0; i && k < i->n; k++)
		ret[k] = (struct sandbox_rule){i->dirs[k], 0};
	return i ? i->n : 0;
}

int images_file_at(int dirfd, const char *file, struct extent *ret, struct error *e)
{
	int fd = io_openat(dirfd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	struct file *f;

	if (fd < 0)
		return error_set(e, -ENOENT, "%s was not found", file);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, -ENOENT, "%s is no regular file", file);
	}
	f = file_new(fd);
	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = extent_of_file(f, 0, (uint64_t)st.st_size);
	return 0;
}

int images_file(const struct images *i, const char *file, struct extent *ret, struct error *e)
{
	int r = error_set(e, -ENOENT, "%s was not found", file);

	for (size_t k = 0; r == -ENOENT && k < i->n; k++)
		r = images_file_at(i->dirs[k], file, ret, e);
	if (r == 0)
		error_clear(e);
	return r;
}

int images_find(void *arg, const char *name, struct extent *ret, struct error *e)
{
	char file[NAME_MAX + 1];
	int r;

	if (!name[0] || name[0] == '.' || strchr(name, '/') ||
		snprintf(file, sizeof(file), "%s.png", name) >= (int)sizeof(file))
		return error_set(e, -ENOENT, "its name is none of the game's images");
	r = images_file(arg, file, ret, NULL);
	return r == -ENOENT
		       ? error_set(e, r, "no such image of the game's was found (-o mapres=DIR)")
		       : r;
}
