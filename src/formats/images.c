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
	struct {
		int fd;
		unsigned game; /* as in preview.h; PREVIEW_ANY_GAME: the user named it */
	} dirs[IMAGES_DIRS_MAX];
};

static int add_dir(struct images *i, const char *path, unsigned game)
{
	int fd = i->n < IMAGES_DIRS_MAX ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return -1;
	i->dirs[i->n].fd = fd;
	i->dirs[i->n++].game = game;
	return 0;
}

static void add_dirs(struct images *i, const char *const *dirs, unsigned game)
{
	const char *home = getenv("HOME");

	for (; *dirs; dirs++) {
		CLEANUP(free) char *path = NULL;

		if ((*dirs)[0] != '~')
			(void)add_dir(i, *dirs, game);
		else if (home && home[0] == '/' && asprintf(&path, "%s%s", home, *dirs + 1) > 0)
			(void)add_dir(i, path, game);
		else
			path = NULL;
	}
}

static void add_game_dirs(struct images *i, const struct format_preview *preview)
{
	for (unsigned k = 0; preview && preview->image_dirs && preview->image_dirs[k]; k++)
		add_dirs(i, preview->image_dirs[k], k + 1);
}

static struct images *create_images(void)
{
	struct images *i = calloc(1, sizeof(*i));

	if (i)
		atomic_init(&i->refs, 1);
	return i;
}

int images_open_others(
	const char *first, const char *const *dirs, struct images **ret, struct error *e)
{
	CLEANUP(images_unref) struct images *i = create_images();

	if (!i)
		return error_set(e, -ENOMEM, "out of memory");
	if (first && add_dir(i, first, PREVIEW_ANY_GAME) < 0)
		return error_errno(e, "%s", first);
	add_dirs(i, dirs, PREVIEW_ANY_GAME);
	*ret = TAKE(i);
	return 0;
}

int images_open(const char *const *options, struct images **ret, struct error *e)
{
	const char *mapres = format_option(options, "mapres");
	int r = images_open_games(mapres, ret, e);

	if (r < 0 && mapres)
		error_context(e, "option mapres");
	return r;
}

int images_open_games(const char *first, struct images **ret, struct error *e)
{
	CLEANUP(images_unref) struct images *i = create_images();

	if (!i)
		return error_set(e, -ENOMEM, "out of memory");
	if (first && add_dir(i, first, PREVIEW_ANY_GAME) < 0)
		return error_errno(e, "%s", first);
	for (size_t k = 0; formats[k]; k++)
		add_game_dirs(i, formats[k]->preview);
	*ret = TAKE(i);
	return 0;
}

DEFINE_REF(struct images, images_ref)

void images_unref(struct images *i)
{
	if (!i || !refs_drop(&i->refs))
		return;
	for (size_t k = 0; k < i->n; k++)
		close(i->dirs[k].fd);
	free(i);
}

size_t images_rules(const struct images *i, struct sandbox_rule *ret)
{
	for (size_t k = 0; i && k < i->n; k++)
		ret[k] = (struct sandbox_rule){i->dirs[k].fd, 0};
	return i ? i->n : 0;
}

int images_file_at(int dirfd, const char *file, struct extent *ret, struct error *e)
{
	int fd = io_openat(dirfd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	struct file *f;

	if (fd < 0)
		return error_set(e, -ENOENT, "%s not found", file);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, -ENOENT, "%s is not a regular file", file);
	}
	f = file_new(fd);
	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = extent_of_file(f, 0, (uint64_t)st.st_size);
	return 0;
}

static int find_file(const struct images *i, unsigned game, const char *file, struct extent *ret,
	struct error *e)
{
	int r = error_set(e, -ENOENT, "%s not found", file);

	for (size_t k = 0; r == -ENOENT && k < i->n; k++)
		if (game == PREVIEW_ANY_GAME || i->dirs[k].game == PREVIEW_ANY_GAME ||
			i->dirs[k].game == game)
			r = images_file_at(i->dirs[k].fd, file, ret, e);
	if (r == 0)
		error_clear(e);
	return r;
}

int images_file(const struct images *i, const char *file, struct extent *ret, struct error *e)
{
	return find_file(i, PREVIEW_ANY_GAME, file, ret, e);
}

int images_find(void *arg, unsigned game, const char *name, struct extent *ret, struct error *e)
{
	char file[NAME_MAX + 1];
	int r;

	if (!name[0] || name[0] == '.' || strchr(name, '/') ||
		snprintf(file, sizeof(file), "%s.png", name) >= (int)sizeof(file))
		return error_set(e, -ENOENT, "no image of the game has this name");
	r = find_file(arg, game, file, ret, NULL);
	return r == -ENOENT
		       ? error_set(e, r, "cannot find this image of the game (use -o mapres=DIR)")
		       : r;
}
