/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/index/index.h"

#include <stdio.h>

#include "tools/torchlight/index/listed.h"

static const struct index_kind index_kinds[] = {
	{"MEDIA/AFFIXES.RAW", "AFFIXES.RAW", "MEDIA/AFFIXES/", ".DAT", derive_affix},
	{"MEDIA/MISSILES.RAW", "MISSILES.RAW", "MEDIA/MISSILES/", ".LAYOUT", derive_missiles},
	{"MEDIA/ROOMPIECES.RAW", "ROOMPIECES.RAW", "MEDIA/LEVELSETS/", ".DAT", derive_roompieces},
	{"MEDIA/SKILLS.RAW", "SKILLS.RAW", "MEDIA/SKILLS/", ".DAT", derive_skill},
	{"MEDIA/TRIGGERABLES.RAW", "TRIGGERABLES.RAW", "MEDIA/TRIGGERABLES/", ".DAT",
		derive_triggerable},
	{"MEDIA/UI.RAW", "UI.RAW", "MEDIA/UI/", ".LAYOUT", derive_menu},
	{"MEDIA/UNITDATA.RAW", "UNITDATA.RAW", "MEDIA/UNITS/", ".DAT", derive_unit},
	{0},
};

static int make_one(const struct index_kind *kind, const struct sources *s,
	const struct index_options *how, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *content = NULL;
	struct listed l;
	int r = listed_begin(&l, kind, s, false, e);

	if (r == 0)
		r = listed_merge(&l, how, &content, e);
	listed_finish(&l);
	return r == 0 && content ? how->write(how->arg, kind->path, content, e) : r;
}

static int make_indexes(
	const struct snapshot *snapshot, const struct index_options *how, struct error *e)
{
	struct sources s = {0};
	int r = sources_list(tl_map_of(snapshot), &s, e);

	for (const struct index_kind *k = index_kinds; r == 0 && k->path; k++)
		r = make_one(k, &s, how, e);
	sources_finish(&s);
	return r;
}

/* Files that the game does not find, because no index lists them. */
struct missing {
	size_t n;
	char first[300]; /* path of the first */
};

/* Add the files that are missing in one index. */
static void find_missing(
	const struct index_kind *kind, const struct sources *s, struct missing *ret)
{
	struct listed l;
	int r = listed_begin(&l, kind, s, true, NULL);

	for (size_t i = 0; r == 0 && i < l.n_jobs; i++) {
		const struct job *j = &l.jobs[i];

		if (j->old || j->unread.code || j->refusal)
			continue;
		if (!ret->n++)
			snprintf(ret->first, sizeof(ret->first), "%s", j->file->path.s);
	}
	listed_finish(&l);
}

static bool any_index(const struct sources *s)
{
	for (const struct index_kind *k = index_kinds; k->path; k++)
		if (sources_find(s, str_of(k->path)))
			return true;
	return false;
}

void tl_index_report_unlisted(
	const struct snapshot *, const struct snapshot *snapshot, format_say say, void *arg)
{
	struct missing found = {0};
	struct sources s = {0};
	int r = sources_list(tl_map_of(snapshot), &s, NULL);
	bool any = r == 0 && any_index(&s);
	char line[600];

	for (const struct index_kind *k = index_kinds; r == 0 && k->path; k++) {
		bool one;

		if (any)
			found.n = 0;
		find_missing(k, &s, &found);
		one = found.n == 1;
		if (!any || !found.n)
			continue;
		snprintf(line, sizeof(line),
			"%zu %s below %s %s not in %s (%s), so the game does not see %s "
			"(use mapfs index to list %s)",
			found.n, one ? "file" : "files", k->below, one ? "is" : "are", k->name,
			found.first, one ? "it" : "them", one ? "it" : "them");
		say(arg, FORMAT_NOTE, line);
	}
	/* Without any index, the archive has the sources of a mod: report one line. */
	if (!any && found.n) {
		snprintf(line, sizeof(line),
			"no index, so the game does not see %zu %s (%s): use mapfs index or mapfs "
			"pack --index",
			found.n, found.n == 1 ? "file" : "files", found.first);
		say(arg, FORMAT_NOTE, line);
	}
	sources_finish(&s);
}

const struct index_tool tl_index_tool = {.rebuild = make_indexes};
