/* SPDX-License-Identifier: Zlib */
#include "cli/journals.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/place.h"
#include "vfs/offline/recover.h"

static void note_journal(void *arg, const struct journal_info *i)
{
	struct journal_found *f = arg;

	if (i->aside || i->foreign || f->fits)
		return;
	snprintf(f->file, sizeof(f->file), "%s", i->file);
	f->fits = i->fits;
}

static int find(const char *path, int *ret_dirfd, struct journal_found *ret, struct error *e)
{
	CLEANUP(free) char *name = NULL;
	int r = place_of(path, true, ret_dirfd, &name, e);

	*ret = (struct journal_found){0};
	if (r == 0)
		r = journal_list(*ret_dirfd, name, note_journal, ret, e);
	return r < 0 ? r : ret->file[0] != '\0';
}

int journals_find(const char *path, struct journal_found *ret, struct error *e)
{
	CLEANUP(close_fd) int dirfd = -1;

	return find(path, &dirfd, ret, e);
}

/* Each map once, however many journals it has. */
static void find_maps(const char *folder, struct names *ret)
{
	char *tops[] = {(char *)folder, NULL};
	FTS *fts = fts_open(tops, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *at;

	while (fts && (at = fts_read(fts))) {
		const char *journal = strstr(at->fts_name, ".mapfs-journal-");
		CLEANUP(free) char *map = NULL;

		if (at->fts_info == FTS_F && journal)
			map = strndup(at->fts_path, at->fts_pathlen - strlen(journal));
		if (map && !names_has(ret, map))
			(void)names_add(ret, map);
	}
	if (fts)
		fts_close(fts);
	names_sort(ret);
}

void journals_maps(const char *path, bool fitting, struct names *ret)
{
	CLEANUP_NAMES struct names maps = {0};
	struct journal_found found;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		find_maps(path, &maps);
	else
		(void)names_add(&maps, path);
	for (size_t i = 0; i < maps.n; i++) {
		int r = journals_find(maps.at[i], &found, NULL);

		if (r < 0 || (r > 0 && (found.fits || !fitting)))
			(void)names_add(ret, maps.at[i]);
	}
}

int journals_discard(const char *path, void (*line)(void *arg, const char *path, const char *what),
	void *arg, struct error *e)
{
	CLEANUP(close_fd) int dirfd = -1;
	struct journal_found found;
	int r = find(path, &dirfd, &found, e);

	return r < 0 ? r : found.fits ? recover_discard(dirfd, found.file, line, arg, e) : 0;
}
