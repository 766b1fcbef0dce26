/* SPDX-License-Identifier: Zlib */
#include "cli/journals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/disk/walk.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/place.h"
#include "vfs/offline/recover.h"

#define JOURNAL ".mapfs-journal-"

static void match_journal(void *arg, const struct journal_info *i)
{
	struct journal_found *f = arg;

	if (i->is_set_aside || i->is_untrusted || f->fits)
		return;
	snprintf(f->file, sizeof(f->file), "%s", i->file);
	f->fits = i->fits;
}

static int find_journal(
	const char *path, int *ret_dirfd, struct journal_found *ret, struct error *e)
{
	CLEANUP(free) char *name = NULL;
	int r = place_resolve(path, true, ret_dirfd, &name, e);

	*ret = (struct journal_found){0};
	if (r == 0)
		r = journal_list(*ret_dirfd, name, match_journal, ret, e);
	return r < 0 ? r : ret->file[0] != '\0';
}

int journals_find(const char *path, struct journal_found *ret, struct error *e)
{
	CLEANUP(close_fd) int dirfd = -1;

	return find_journal(path, &dirfd, ret, e);
}

static bool is_wanted(const char *name, bool is_directory)
{
	return is_directory || strstr(name, JOURNAL);
}

/* A directory that this user cannot read, such as lost+found, holds no journal of this user. */
static void note_failure(void *arg, const char *, int r)
{
	if (r != -EACCES)
		*(int *)arg = r;
}

/* Find the maps with journals below a folder. A map with several journals is added once. */
static int find_maps(const char *folder, struct names *ret)
{
	int failure = 0;
	const struct walk walk = {.is_wanted = is_wanted,
		.on_failure = note_failure,
		.arg = &failure,
		.one_file_system = true};
	CLEANUP_NAMES struct names files = {0};
	int r = walk_files(&walk, folder, &files);

	for (size_t i = 0; r == 0 && i < files.n; i++) {
		*strstr(strrchr(files.items[i], '/'), JOURNAL) = '\0';
		if (!names_contain(ret, files.items[i]))
			r = names_add(ret, files.items[i]);
	}
	names_sort(ret);
	return r < 0 ? r : failure;
}

int journals_add_maps(const char *path, bool fitting, struct names *ret)
{
	CLEANUP_NAMES struct names maps = {0};
	struct journal_found found;
	struct stat st;
	int failure = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? find_maps(path, &maps)
								  : names_add(&maps, path);

	for (size_t i = 0; i < maps.n; i++) {
		int r = journals_find(maps.items[i], &found, NULL);

		if (r < 0 || (r > 0 && (found.fits || !fitting)))
			(void)names_add(ret, maps.items[i]);
	}
	return ret->error ? ret->error : failure;
}

int journals_discard(const char *path, void (*line)(void *arg, const char *path, const char *what),
	void *arg, struct error *e)
{
	CLEANUP(close_fd) int dirfd = -1;
	struct journal_found found;
	int r = find_journal(path, &dirfd, &found, e);

	return r < 0 ? r : found.fits ? recover_discard(dirfd, found.file, line, arg, e) : 0;
}
