/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/beside.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/say.h"
#include "fuse/control.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/place.h"

static void note_fitting(void *arg, const struct journal_info *i)
{
	if (i->fits && !i->aside && !i->foreign)
		snprintf(arg, NAME_MAX + 1, "%s", i->file);
}

static int find(const char *path, int *ret_dirfd, char ret[NAME_MAX + 1], struct error *e)
{
	CLEANUP(free) char *name = NULL;
	int r = place_of(path, true, ret_dirfd, &name, e);

	ret[0] = '\0';
	return r < 0 ? r : journal_list(*ret_dirfd, name, note_fitting, ret, e);
}

bool beside_journal(const char *path, char ret[NAME_MAX + 1])
{
	CLEANUP(close_fd) int dirfd = -1;

	return find(path, &dirfd, ret, NULL) == 0 && ret[0];
}

/* Each once, whatever lies beside it. */
static void find_below(const char *folder, struct names *ret)
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

void beside_maps(const char *path, struct names *ret)
{
	CLEANUP_NAMES struct names below = {0};
	char journal[NAME_MAX + 1];
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		find_below(path, &below);
	else
		(void)names_add(&below, path);
	for (size_t i = 0; i < below.n; i++)
		if (beside_journal(below.at[i], journal))
			(void)names_add(ret, below.at[i]);
}

struct printing {
	const char *map; /* each line begins with it; or NULL */
	struct names printed;
};

static void print_discarded(void *arg, const char *path, const char *what)
{
	char line[CONTROL_TEXT_MAX];
	struct printing *p = arg;

	snprintf(line, sizeof(line), "%s%sdiscarded: %s: %s", p->map ? p->map : "",
		p->map ? ": " : "", path, what);
	printable(line);
	if (names_has(&p->printed, line))
		return;
	output_report("%s", line);
	(void)names_add(&p->printed, line);
}

enum outcome beside_discard(const char *path, const char *shown, bool several)
{
	CLEANUP(close_fd) int dirfd = -1;
	struct error e = ERROR_INIT;
	char file[NAME_MAX + 1];
	struct printing p = {.map = several ? shown : NULL};
	int r = find(path, &dirfd, file, &e);

	if (r == 0 && file[0])
		r = journal_discard(dirfd, file, print_discarded, &p, &e);
	names_finish(&p.printed);
	if (r < 0)
		say(stderr, "mapfs: %s: %s", shown, error_text(&e));
	else if (!file[0])
		say(stderr, "mapfs: %s: no journal fits it: there is nothing to discard", shown);
	return r == -EBUSY ? OUTCOME_BUSY : r < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;
}
