/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/building.h"

/* Which entry of the tree stands for an object or part of the base. */
struct claim {
	struct hash_link link; /* by the object; first */
	entry_id object;
	size_t kept; /* nothing else stands for it than this file, whose name means nothing; or 0 */
};

static struct claim *claim_find(const struct building *b, entry_id id)
{
	entry_id object = entry_object(id);

	for (struct hash_link *l = hash_find(&b->claimed, hash_number(object)); l;
		l = hash_again(l))
		if (((struct claim *)l)->object == object)
			return (struct claim *)l;
	return NULL;
}

/* -ENOMEM. */
static int claim(struct building *b, entry_id id, size_t kept)
{
	struct claim *c;

	if (claim_find(b, id))
		return 0;
	if (!hash_room(&b->claimed))
		return -ENOMEM;
	c = &b->claims[b->n_claims++];
	*c = (struct claim){.object = entry_object(id), .kept = kept};
	hash_add(&b->claimed, &c->link, hash_number(c->object));
	return 0;
}

int building_meaning(const struct building *b, size_t i, struct name_class *ret, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	entry_id dir = b->result->outputs[t->parent].id;

	*ret = (struct name_class){.kind = NAME_SCRATCH};
	if (dir == ENTRY_NONE)
		return 0;
	return b->format->tree->classify(b->map, dir, t->name, t->is_dir,
		t->origin == ENTRY_NONE ? ENTRY_ROOT : t->origin, ret, e);
}

static int place(struct building *b, size_t i, entry_id id)
{
	const struct build_input *t = &b->inputs[i];

	return building_place(b, (struct placement){.id = id,
					 .dir = b->result->outputs[t->parent].id,
					 .name = t->name,
					 .order = (uint32_t)i});
}

/* Where the entry stands, for the format; told of what is new as well as of what moved. */
static int stands(struct building *b, size_t i, enum build_outcome fate, entry_id id)
{
	struct build_output *o = &b->result->outputs[i];

	o->outcome = fate;
	o->id = id;
	return place(b, i, id);
}

/* Something of the map that no base has. */
static int make(struct building *b, size_t i, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	struct error why = ERROR_INIT;
	entry_id id;
	int r = b->format->tree->add(
		&b->map, b->result->outputs[t->parent].id, t->name, t->is_dir, &id, &why);

	if (r == -ENOMEM)
		return error_set(e, r, "%s", error_text(&why));
	if (r < 0) {
		building_refuse(b, i, &why);
		return 0;
	}
	return stands(b, i, BUILD_NEW, id);
}

static bool is_fixed(const struct building *b, entry_id id)
{
	struct file_attr en;

	return b->format->stat(b->base, id, &en, NULL) == 0 && en.is_permanent;
}

static bool name_has_meaning(const struct name_class *m)
{
	return m->kind == NAME_OBJECT || m->kind == NAME_PART;
}

/* A directory is what it came from. */
static int settle_dir(struct building *b, size_t i, const struct name_class *m, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	struct build_output *o = &b->result->outputs[i];
	bool moved;
	int r;

	if (m->is_known && (m->id == t->origin || is_fixed(b, m->id))) {
		o->id = m->id;
		return claim(b, m->id, 0);
	}
	if (t->origin == ENTRY_NONE)
		return name_has_meaning(m) ? make(b, i, e) : 0;
	moved = m->accepts_object && name_has_meaning(m);
	r = claim(b, t->origin, 0);
	return r < 0 || !moved ? r : stands(b, i, BUILD_MOVED, t->origin);
}

/* Does it stand where it stood in the base? */
static bool is_home(const struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];
	const struct build_input *dir = &b->inputs[t->parent];
	struct file_attr en;

	return t->origin != ENTRY_NONE && b->result->outputs[t->parent].id == dir->origin &&
	       b->format->lookup(b->base, dir->origin, t->name, &en, NULL) == 0 &&
	       en.id == t->origin;
}

/* It is what the base has there; its name may have other letters where those do not count. */
static int settle_here(struct building *b, size_t i, entry_id id)
{
	int r = claim(b, id, 0);

	b->result->outputs[i].id = id;
	return r < 0 || !b->format->fold ? r : place(b, i, id);
}

/* The first look: directories, and files at the paths of what the base has. */
static int settle_known(struct building *b, size_t i, struct error *e)
{
	struct build_output *o = &b->result->outputs[i];
	struct error why = ERROR_INIT;
	struct name_class m;

	if (is_home(b, i))
		return settle_here(b, i, b->inputs[i].origin);
	if (building_meaning(b, i, &m, &why) < 0) {
		building_refuse(b, i, &why);
		return 0;
	}
	o->outcome = name_has_meaning(&m) ? BUILD_SAME : BUILD_SCRATCH;
	if (b->inputs[i].is_dir)
		return settle_dir(b, i, &m, e);
	/* A part is no object that has moved; and the next one's name may count on it. */
	if (!m.is_known)
		return m.kind == NAME_PART ? make(b, i, e) : 0;
	return settle_here(b, i, m.id);
}

/* A directory that is always there is there again: each file in it went by itself. */
static void settle_standing(struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];

	if (t->is_dir && is_home(b, i) && is_fixed(b, t->origin))
		b->result->outputs[i].id = t->origin;
}

/* The second: files that stand anywhere else. */
static int settle_other(struct building *b, size_t i, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	const struct build_output *o = &b->result->outputs[i];
	struct name_class m;
	int r;

	if (t->origin != ENTRY_NONE && !claim_find(b, t->origin) && o->outcome == BUILD_SAME &&
		building_meaning(b, i, &m, NULL) == 0 && m.accepts_object) {
		r = claim(b, t->origin, 0);
		return r < 0 ? r : stands(b, i, BUILD_MOVED, t->origin);
	}
	return o->outcome == BUILD_SAME ? make(b, i, e) : 0;
}

/* The third: what was moved to a name that means nothing stays in the map as it was, unless its
 * directory went. */
static int settle_kept(struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];
	enum build_outcome fate = b->result->outputs[i].outcome;
	bool kept = !t->is_dir && (fate == BUILD_SCRATCH || fate == BUILD_REFUSED);

	return kept && t->origin != ENTRY_NONE ? claim(b, t->origin, i) : 0;
}

/* What stands at its path in the base no more, and, of a directory, what was in it. */
static int add_left(struct building *b, entry_id id)
{
	if (!array_room(b->homeless, b->n_homeless, b->room_homeless))
		return -ENOMEM;
	b->homeless[b->n_homeless++] = entry_object(id);
	return 0;
}

static int by_id(const void *a, const void *b)
{
	return array_order(*(const entry_id *)a, *(const entry_id *)b);
}

static int add_left_below(struct building *b, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;
	int r = 0;

	if (b->format->stat(b->base, dir, &en, NULL) < 0 || !en.is_dir || claim_find(b, dir))
		return 0;
	while (r == 0 && b->format->list(b->base, dir, &cookie, name, &en, NULL) > 0)
		r = add_left(b, en.id);
	return r;
}

static int find_left(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->result->n; i++) {
		const struct build_input *t = &b->inputs[i];

		if (t->is_removed && is_home(b, i))
			r = add_left(b, t->origin);
		else if (!t->is_removed && t->hidden != ENTRY_NONE)
			r = add_left(b, t->hidden);
	}
	for (size_t i = 0; r == 0 && i < b->n_homeless; i++)
		r = add_left_below(b, b->homeless[i]);
	if (r == 0 && b->n_homeless)
		qsort(b->homeless, b->n_homeless, sizeof(*b->homeless), by_id);
	return r;
}

static bool has_left(const struct building *b, entry_id object)
{
	return b->n_homeless && bsearch(&object, b->homeless, b->n_homeless, sizeof(object), by_id);
}

/* An object belongs to the file at its path, also to one that nobody touched: a file that came from
 * there is another one then. */
static int settle_untouched(struct building *b)
{
	int r = find_left(b);

	for (size_t i = 1; r == 0 && i < b->result->n; i++) {
		const struct build_input *t = &b->inputs[i];
		entry_id object = entry_object(t->origin);

		if (!t->is_removed && !t->is_dir && t->origin != ENTRY_NONE &&
			!claim_find(b, object) && !has_left(b, object))
			r = claim(b, object, 0);
	}
	return r;
}

/* It is there again, empty. */
static int empty(struct building *b, entry_id id, enum build_outcome *ret)
{
	const struct extent nothing = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool put = false;
	int r = building_put(b, id, &nothing, &put, &why);

	if (put)
		*ret = BUILD_EMPTIED;
	return error_is_transient(r) ? r : 0;
}

/* A part that is always there, unless its object leaves: from the begin, as if that had been
 * written, since other files may say more of it. */
static int empty_part(struct building *b, size_t i, entry_id id, enum build_outcome *ret)
{
	struct error why = ERROR_INIT;
	bool put;
	int r = b->inputs[b->inputs[i].parent].is_removed ? 0
							  : building_apply(b, id, NULL, &put, &why);

	*ret = r < 0 ? BUILD_NEEDED : BUILD_EMPTIED;
	return error_is_transient(r) ? r : 0;
}

/* What the base has at a path where nothing of it stands any more. */
static int leave(struct building *b, size_t i, entry_id id, enum build_outcome gone)
{
	struct build_output *o = &b->result->outputs[i];
	const struct claim *c = claim_find(b, id);
	struct file_attr en;

	if (c && c->kept && b->result->outputs[c->kept].outcome == BUILD_SCRATCH)
		b->result->outputs[c->kept].outcome = BUILD_KEPT;
	if (c || b->format->stat(b->base, id, &en, NULL) < 0 || en.is_permanent)
		return 0;
	if (en.is_cleared_by_save)
		return empty(b, id, &o->hidden_outcome);
	o->hidden_outcome = en.is_restored           ? BUILD_NEEDED
			    : en.is_cleared_by_mount ? BUILD_EMPTIED
						     : gone;
	if (en.is_cleared_by_mount && !en.is_dir) {
		int r = empty_part(b, i, id, &o->hidden_outcome);

		if (r < 0 || o->hidden_outcome == BUILD_EMPTIED)
			return r;
	}
	return building_place(b, (struct placement){.id = id, .is_removed = true});
}

int resolve_identities(struct building *b, struct error *e)
{
	size_t n = b->result->n;
	int r = 0;

	b->result->outputs[0].id = ENTRY_ROOT;
	for (size_t i = 1; r == 0 && i < n; i++)
		if (b->inputs[i].is_removed)
			settle_standing(b, i);
		else
			r = settle_known(b, i, e);
	if (r == 0)
		r = settle_untouched(b);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->inputs[i].is_removed && !b->inputs[i].is_dir &&
			b->result->outputs[i].id == ENTRY_NONE)
			r = settle_other(b, i, e);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->inputs[i].is_removed)
			r = settle_kept(b, i);
	for (size_t i = 1; r == 0 && i < n; i++) {
		if (b->inputs[i].is_removed)
			r = is_home(b, i) ? leave(b, i, b->inputs[i].origin, BUILD_GONE) : 0;
		else if (b->inputs[i].hidden != ENTRY_NONE)
			r = leave(b, i, b->inputs[i].hidden, BUILD_REPLACED);
	}
	return r;
}

int identities_begin(struct building *b)
{
	b->claims = calloc(2 * b->result->n + 1, sizeof(*b->claims));
	return b->claims ? 0 : -ENOMEM;
}

void identities_finish(struct building *b)
{
	hash_finish(&b->claimed);
	free(b->homeless);
	free(b->claims);
}
