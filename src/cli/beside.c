/* SPDX-License-Identifier: Zlib */
#include "cli/beside.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "cli/offline/names.h"
#include "cli/offline/output.h"
#include "cli/offline/place.h"
#include "fuse/control.h"
#include "vfs/journal/journal.h"

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

/* nftw has no argument for its function. */
static struct names *found;

static int find_journals(const char *path, const struct stat *st, int type, struct FTW *at)
{
	CLEANUP(free) char *map = strdup(path);
	char *journal = map ? strstr(map + at->base, ".mapfs-journal-") : NULL;

	(void)st;
	if (type != FTW_F || !journal)
		return map ? 0 : -1;
	*journal = '\0';
	return names_add(found, map);
}

enum { DESCRIPTORS = 16 };

int beside_each(const char *folder, void (*fn)(void *arg, const char *path), void *arg)
{
	CLEANUP_NAMES struct names maps = {0};
	char journal[NAME_MAX + 1];
	int r;

	found = &maps;
	r = nftw(folder, find_journals, DESCRIPTORS, FTW_PHYS | FTW_MOUNT) == 0 ? 0 : -errno;
	names_sort(&maps);
	for (size_t i = 0; i < maps.n; i++) {
		/* Each once, whatever lies beside it. */
		bool first = i == 0 || strcmp(maps.at[i], maps.at[i - 1]) != 0;

		if (r == 0 && first && beside_journal(maps.at[i], journal))
			fn(arg, maps.at[i]);
	}
	return r;
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
