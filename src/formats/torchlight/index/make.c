/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/index.h"

#include <stdio.h>

#include "formats/torchlight/index/listed.h"

static int make_one(const struct index_kind *kind, const struct sources *s,
	const struct index_making *how, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *content = NULL;
	struct listed l;
	int r = listed_begin(&l, kind, s, e);

	if (r == 0)
		r = listed_derive(&l, false, e);
	if (r == 0)
		r = listed_unite(&l, how, &content, e);
	listed_finish(&l);
	return r == 0 && content ? how->made(how->arg, kind->path, content, e) : r;
}

static int make(const struct snapshot *snapshot, const struct index_making *how, struct error *e)
{
	struct sources s = {0};
	int r = sources_list(tl_map_of(snapshot), NULL, &s, e);

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

		if (j->old || j->unread.code || j->derived.why_not)
			continue;
		*ret_first = j->f;
		n++;
	}
	return n;
}

static void say_missing(const struct index_kind *kind, const struct sources *s,
	void (*say)(void *arg, const char *line), void *arg)
{
	const struct source_file *first;
	char line[600];
	struct listed l;
	size_t n = 0;

	if (listed_begin(&l, kind, s, NULL) == 0 && listed_derive(&l, true, NULL) == 0)
		n = count_missing(&l, &first);
	if (n) {
		snprintf(line, sizeof(line),
			"%zu %s below %s %s not in %s (%.300s), so the game does not see %s "
			"(mapfs index lists %s)",
			n, n == 1 ? "file" : "files", kind->below, n == 1 ? "is" : "are",
			kind->name, first->path.s, n == 1 ? "it" : "them", n == 1 ? "it" : "them");
		say(arg, line);
	}
	listed_finish(&l);
}

void tl_index_say_missing(const struct tl_map *m, const struct tl_table *t,
	void (*say)(void *arg, const char *line), void *arg)
{
	struct sources s = {0};

	if (sources_list(m, t, &s, NULL) == 0)
		for (const struct index_kind *k = index_kinds; k->path; k++)
			say_missing(k, &s, say, arg);
	sources_finish(&s);
}
