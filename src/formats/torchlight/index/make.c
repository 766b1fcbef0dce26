/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/index.h"

#include <stdio.h>

#include "formats/torchlight/index/listed.h"

enum { INDEX_KINDS = 7 };

static const struct index_kind index_kinds[INDEX_KINDS + 1] = {
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
	const struct index_making *how, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *content = NULL;
	struct listed l;
	int r = listed_begin(&l, kind, s, false, e);

	if (r == 0)
		r = listed_unite(&l, how, &content, e);
	listed_finish(&l);
	return r == 0 && content ? how->made(how->arg, kind->path, content, e) : r;
}

static int make(const struct snapshot *snapshot, const struct index_making *how, struct error *e)
{
	struct sources s = {0};
	int r = sources_list(tl_map_of(snapshot), &s, e);

	for (const struct index_kind *k = index_kinds; r == 0 && k->path; k++)
		r = make_one(k, &s, how, e);
	sources_finish(&s);
	return r;
}

const struct format_index tl_indexing = {.make = make};

/* Files that the game would find if they were listed. */
static size_t count_missing(const struct listed *l, const struct source_file **ret_first)
{
	size_t n = 0;

	for (size_t i = l->n_jobs; i-- > 0;) {
		const struct job *j = &l->jobs[i];

		if (j->old || j->unread.code || j->why_not)
			continue;
		*ret_first = j->f;
		n++;
	}
	return n;
}

struct missing {
	size_t n;
	char first[300]; /* its path */
};

static void find_missing(
	const struct index_kind *kind, const struct sources *s, struct missing *ret)
{
	const struct source_file *first = NULL;
	struct listed l;

	if (listed_begin(&l, kind, s, true, NULL) == 0)
		ret->n = count_missing(&l, &first);
	if (ret->n)
		snprintf(ret->first, sizeof(ret->first), "%s", first->path.s);
	listed_finish(&l);
}

static bool any_index(const struct sources *s)
{
	for (const struct index_kind *k = index_kinds; k->path; k++)
		if (sources_find(s, str_of(k->path)))
			return true;
	return false;
}

static void say_each(
	const struct missing *found, void (*say)(void *arg, const char *line), void *arg)
{
	char line[600];

	for (const struct index_kind *k = index_kinds; k->path; k++, found++) {
		bool one = found->n == 1;

		if (!found->n)
			continue;
		snprintf(line, sizeof(line),
			"%zu %s below %s %s not in %s (%s), so the game does not see %s "
			"(mapfs index lists %s)",
			found->n, one ? "file" : "files", k->below, one ? "is" : "are", k->name,
			found->first, one ? "it" : "them", one ? "it" : "them");
		say(arg, line);
	}
}

/* There is no index at all: so it is of the sources of a mod. */
static void say_together(
	const struct missing *found, void (*say)(void *arg, const char *line), void *arg)
{
	const struct missing *first = NULL;
	char line[600];
	size_t n = 0;

	for (const struct index_kind *k = index_kinds; k->path; k++, found++) {
		n += found->n;
		if (!first && found->n)
			first = found;
	}
	if (!n)
		return;
	snprintf(line, sizeof(line),
		"there is no index, so the game does not see %zu %s (%s): mapfs index makes them "
		"all, and so does mapfs pack --index",
		n, n == 1 ? "file" : "files", first->first);
	say(arg, line);
}

void tl_index_say_missing(
	const struct tl_map *m, void (*say)(void *arg, const char *line), void *arg)
{
	struct missing found[INDEX_KINDS] = {0};
	struct sources s = {0};
	int r = sources_list(m, &s, NULL);

	for (size_t i = 0; r == 0 && i < INDEX_KINDS; i++)
		find_missing(&index_kinds[i], &s, &found[i]);
	(any_index(&s) ? say_each : say_together)(found, say, arg);
	sources_finish(&s);
}
