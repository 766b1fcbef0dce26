/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/index.h"

#include <errno.h>

#include "base/parallel.h"
#include "formats/torchlight/index/listed.h"

/* Which files an index lists. */
static const struct kind {
	const char *path, *name, *below, *ending;
	derive_fn *derive;
} kinds[] = {
	{"MEDIA/AFFIXES.RAW", "AFFIXES.RAW", "MEDIA/AFFIXES/", ".DAT", derive_affix},
	{"MEDIA/MISSILES.RAW", "MISSILES.RAW", "MEDIA/MISSILES/", ".LAYOUT", derive_missiles},
	{"MEDIA/ROOMPIECES.RAW", "ROOMPIECES.RAW", "MEDIA/LEVELSETS/", ".DAT", derive_roompieces},
	{"MEDIA/SKILLS.RAW", "SKILLS.RAW", "MEDIA/SKILLS/", ".DAT", derive_skill},
	{"MEDIA/TRIGGERABLES.RAW", "TRIGGERABLES.RAW", "MEDIA/TRIGGERABLES/", ".DAT",
		derive_triggerable},
	{"MEDIA/UI.RAW", "UI.RAW", "MEDIA/UI/", ".LAYOUT", derive_menu},
	{"MEDIA/UNITDATA.RAW", "UNITDATA.RAW", "MEDIA/UNITS/", ".DAT", derive_unit},
};

struct making {
	const struct sources *sources;
	const struct kind *kind;
	struct listed listed;
};

static bool is_listed(const struct kind *k, struct str path)
{
	struct str below = str_of(k->below), ending = str_of(k->ending);

	return path.n > below.n + ending.n && str_equal((struct str){path.s, below.n}, below) &&
	       str_equal((struct str){path.s + path.n - ending.n, ending.n}, ending);
}

/* A file that cannot be read is one whose row stays. */
static int derive(void *arg, size_t i, struct error *e)
{
	struct making *m = arg;
	struct job *j = &m->listed.jobs[i];
	struct source_text text = {0};
	int r = source_read(m->sources, j->f, &text, &j->unread);

	if (r == 0)
		r = m->kind->derive(
			m->sources, j->f, text.tree->root, j->old, &j->derived, &j->unread);
	if (r == 0)
		r = j->derived.line.error;
	source_text_finish(&text);
	return r == -ENOMEM ? error_set(e, r, "no memory for an index") : 0;
}

static int make_one(struct making *m, const struct index_making *how, struct error *e)
{
	struct listed *l = &m->listed;
	CLEANUP(bytes_unref) struct bytes *content = NULL;
	const struct sources *s = m->sources;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->n; i++)
		if (is_listed(m->kind, s->all[i].path))
			r = listed_job(l, &s->all[i]);
	if (r == 0)
		r = listed_open(l, s, sources_find(s, str_of(l->path)), e);
	if (r == 0 && (l->n_jobs || l->n_rows))
		r = listed_match(l);
	if (r == -ENOMEM)
		return error_set(e, r, "no memory for %s", l->path);
	if (r < 0 || (!l->n_jobs && !l->n_rows))
		return r;
	r = parallel_each(l->n_jobs, derive, m, e);
	if (r == 0)
		r = listed_unite(l, how, &content, e);
	return r == 0 && content ? how->made(how->arg, l->path, content, e) : r;
}

static int make(const struct snapshot *snapshot, const struct index_making *how, struct error *e)
{
	struct sources s = {0};
	int r = sources_list(tl_map_of(snapshot), &s, e);

	for (size_t i = 0; r == 0 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct making m = {.sources = &s, .kind = &kinds[i]};

		m.listed.path = kinds[i].path;
		m.listed.kind = raw_kind_find(kinds[i].name);
		r = make_one(&m, how, e);
		listed_finish(&m.listed);
	}
	sources_finish(&s);
	return r;
}

const struct format_index tl_indexing = {.make = make};
