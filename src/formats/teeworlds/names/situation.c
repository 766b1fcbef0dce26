/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/situation.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/reference.h"

/* An object that is not where it was at the mount. */
struct moved {
	enum tw_named what;
	uint32_t position;
	bool gone;
	size_t n;
	char stem[NAME_MAX + 1];
};

struct tw_situation {
	atomic_uint refs;
	bool last; /* what is not found now is not waited for */
	size_t n;
	struct moved v[];
};

struct tw_situation *tw_situation_ref(struct tw_situation *t)
{
	if (t)
		atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

void tw_situation_unref(struct tw_situation *t)
{
	if (t && atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1)
		free(t);
}

static void take(struct tw_situation *t, const struct placement *p)
{
	struct moved *v = &t->v[t->n];
	enum tw_named what = tw_object_named(p->id);

	/* Nothing refers to groups and layers by their names. */
	if (what == TW_N_NAMED || what >= TW_N_GROUPS || (!p->removed && !p->name))
		return;
	*v = (struct moved){.what = what, .position = tw_id_index(p->id), .gone = p->removed};
	if (!p->removed) {
		v->n = tw_place_stem(what, p->name, NULL);
		memcpy(v->stem, p->name, v->n);
	}
	t->n++;
}

/* Takes the situation, which may be NULL. */
static int tell(struct snapshot **s, struct tw_situation *t, struct error *e)
{
	struct tw_map *m = tw_map_copy(tw_map_of(*s));

	if (!m) {
		tw_situation_unref(t);
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	}
	/* What waited in vain is not what others are judged by. */
	for (size_t i = 0; !t && i < m->n_items; i++)
		m->items[i].waits = false;
	tw_situation_unref(m->situation);
	m->situation = t;
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

int tw_renamed(struct snapshot **s, const struct placement *p, size_t n, bool last, struct error *e)
{
	struct tw_situation *t = p ? calloc(1, sizeof(*t) + n * sizeof(t->v[0])) : NULL;

	if (!p)
		return tell(s, NULL, e);
	if (!t)
		return error_set(e, -ENOMEM, "no memory for the names of objects");
	atomic_init(&t->refs, 1);
	t->last = last;
	for (size_t i = 0; i < n; i++)
		take(t, &p[i]);
	return tell(s, t, e);
}

bool tw_situation_last(const struct tw_map *m)
{
	return m->situation && m->situation->last;
}

static const struct moved *find_moved(const struct tw_map *m, enum tw_named what, uint32_t position)
{
	const struct tw_situation *t = m->situation;

	for (size_t i = t->n; i > 0; i--)
		if (t->v[i - 1].what == what && t->v[i - 1].position == position)
			return &t->v[i - 1];
	return NULL;
}

bool tw_situation_gone(const struct tw_map *m, enum tw_named what, uint32_t position)
{
	const struct moved *v;

	if (!tw_situation_last(m))
		return false;
	v = find_moved(m, what, position);
	if (v)
		return v->gone;
	return tw_item_at(m, tw_named_type(what), position)->made != NULL;
}

/* Has it left, as far as is known? */
static bool has_left(
	const struct tw_map *m, const struct moved *v, enum tw_named what, uint32_t position)
{
	return v ? v->gone : tw_situation_gone(m, what, position);
}

/* Is that what the object is called now, without its number? */
static bool has_name(
	const struct tw_map *m, enum tw_named what, uint32_t position, const char *name, size_t n)
{
	const struct moved *v = m->situation ? find_moved(m, what, position) : NULL;
	const struct bytes *made = tw_item_at(m, tw_named_type(what), position)->made;
	const struct tw_name_list *list = tw_names(m, what);
	struct tw_place own;

	if (has_left(m, v, what, position))
		return false;
	if (!v && !made)
		return position < list->n && list->v[position].size == n &&
		       memcmp(list->v[position].text, name, n) == 0;
	return tw_place_parse(what, v ? v->stem : (const char *)made->data, v ? v->n : made->size,
		       &own, NULL) == 0 &&
	       own.n == n && memcmp(own.name, name, n) == 0;
}

int tw_situation_exact(
	const struct tw_map *m, enum tw_named what, const char *stem, size_t n, uint32_t *ret)
{
	const struct tw_situation *t = m->situation;

	for (size_t i = t->n; i > 0; i--) {
		const struct moved *v = &t->v[i - 1];

		if (v->what == what && !v->gone && v->n == n && memcmp(v->stem, stem, n) == 0) {
			*ret = v->position;
			return 0;
		}
	}
	return -ENOENT;
}

size_t tw_situation_named(const struct tw_map *m, enum tw_named what, const char *name, size_t n,
	uint32_t *ret, size_t room)
{
	uint32_t count = n ? tw_count(m, tw_named_type(what)) : 0;
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!has_name(m, what, i, name, n))
			continue;
		if (found < room)
			ret[found] = i;
		found++;
	}
	return found;
}
