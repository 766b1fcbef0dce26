/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/situation.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/reference.h"

/* An object that is not where it was at the mount. */
struct moved {
	enum tw_sort sort;
	uint32_t position;
	bool gone;
	size_t n;
	char stem[NAME_MAX + 1];
};

struct situation {
	struct tw_kept kept;
	bool last; /* what is not found now is not waited for */
	size_t n;
	struct moved v[];
};

static const struct situation *situation_of(const struct tw_map *m)
{
	return (const struct situation *)m->situation;
}

static void free_situation(struct tw_kept *k)
{
	free(k);
}

static void take(struct situation *t, const struct placement *p)
{
	struct moved *v = &t->v[t->n];
	enum tw_sort sort = tw_sort_of(p->id);

	/* Nothing refers to groups and layers by their names. */
	if (sort == TW_SORTS || sort >= TW_SORT_GROUP || (!p->removed && !p->name))
		return;
	*v = (struct moved){.sort = sort, .position = tw_id_index(p->id), .gone = p->removed};
	if (!p->removed) {
		v->n = tw_stem_length(sort, p->name, NULL);
		memcpy(v->stem, p->name, v->n);
	}
	t->n++;
}

/* What waited in vain is not what others are judged by. */
static void waited(struct tw_map *m)
{
	for (size_t i = 0; i < m->n_items; i++)
		m->items[i].waits = false;
}

/* Tables that waited may be other files by now, or none. */
static void ask_again(struct tw_map *m)
{
	for (size_t i = 0; i < m->n_items; i++)
		m->items[i].wanted.planes = 0;
}

int tw_renamed(struct snapshot **s, const struct placement *p, size_t n, bool last, struct error *e)
{
	struct situation *t = p ? calloc(1, sizeof(*t) + n * sizeof(t->v[0])) : NULL;
	struct tw_map *m = tw_map_copy(tw_map_of(*s));

	if (!m || (p && !t)) {
		if (m)
			snapshot_unref(&m->base);
		free(t);
		return error_set(e, -ENOMEM, "no memory for the names of objects");
	}
	if (t) {
		t->kept.free = free_situation;
		atomic_init(&t->kept.refs, 1);
		t->last = last;
	}
	for (size_t i = 0; t && i < n; i++)
		take(t, &p[i]);
	if (!t && last)
		ask_again(m);
	else if (!t)
		waited(m);
	if (t || !last) {
		tw_kept_unref(m->situation);
		m->situation = t ? &t->kept : NULL;
	}
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

bool tw_situation_last(const struct tw_map *m)
{
	return m->situation && situation_of(m)->last;
}

static const struct moved *find_moved(const struct tw_map *m, enum tw_sort sort, uint32_t position)
{
	const struct situation *t = situation_of(m);

	for (size_t i = t->n; i > 0; i--)
		if (t->v[i - 1].sort == sort && t->v[i - 1].position == position)
			return &t->v[i - 1];
	return NULL;
}

bool tw_situation_gone(const struct tw_map *m, enum tw_sort sort, uint32_t position)
{
	const struct moved *v;

	if (!tw_situation_last(m))
		return false;
	v = find_moved(m, sort, position);
	if (v)
		return v->gone;
	return tw_item_at(m, tw_sort_type(sort), position)->made != NULL;
}

/* Has it left, as far as is known? */
static bool has_left(
	const struct tw_map *m, const struct moved *v, enum tw_sort sort, uint32_t position)
{
	/* What was made, and has no place, was removed again. */
	return v ? v->gone : m->situation && tw_item_at(m, tw_sort_type(sort), position)->made;
}

/* Is that what the object is called now, without its number? */
static bool has_name(
	const struct tw_map *m, enum tw_sort sort, uint32_t position, const char *name, size_t n)
{
	const struct moved *v = m->situation ? find_moved(m, sort, position) : NULL;
	const struct bytes *made = tw_item_at(m, tw_sort_type(sort), position)->made;
	const struct tw_name_list *list = tw_names(m, sort);
	struct tw_numbered own;

	if (has_left(m, v, sort, position))
		return false;
	if (!v && !made)
		return position < list->n && list->v[position].size == n &&
		       memcmp(list->v[position].text, name, n) == 0;
	return tw_numbered_parse(sort, v ? v->stem : (const char *)made->data,
		       v ? v->n : made->size, &own, NULL) == 0 &&
	       own.n == n && memcmp(own.name, name, n) == 0;
}

int tw_situation_exact(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret)
{
	const struct situation *t = situation_of(m);

	for (size_t i = t->n; i > 0; i--) {
		const struct moved *v = &t->v[i - 1];

		if (v->sort == sort && !v->gone && v->n == n && memcmp(v->stem, stem, n) == 0) {
			*ret = v->position;
			return 0;
		}
	}
	return -ENOENT;
}

size_t tw_situation_named(const struct tw_map *m, enum tw_sort sort, const char *name, size_t n,
	uint32_t *ret, size_t room)
{
	uint32_t count = n ? tw_count(m, tw_sort_type(sort)) : 0;
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!has_name(m, sort, i, name, n))
			continue;
		if (found < room)
			ret[found] = i;
		found++;
	}
	return found;
}
