/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/building.h"

/* A claim: an object or part of the base that an input stands for. */
struct claim {
	struct hash_link link; /* by object; must be first */
	entry_id object;
	size_t kept_input; /* the only input for the object, if its name is scratch; or 0 */
};

static struct claim *find_claim(const struct building *b, entry_id id)
{
	entry_id object = entry_object(id);

	for (struct hash_link *l = hash_find(&b->claimed, hash_number(object)); l;
		l = hash_find_next(l))
		if (((struct claim *)l)->object == object)
			return (struct claim *)l;
	return NULL;
}

/* Claim id's object, unless it is claimed already. kept: for claim.kept_input. -ENOMEM. */
static int add_claim(struct building *b, entry_id id, size_t kept)
{
	struct claim *c;

	if (find_claim(b, id))
		return 0;
	if (!hash_reserve(&b->claimed))
		return -ENOMEM;
	c = &b->claims[b->n_claims++];
	*c = (struct claim){.object = entry_object(id), .kept_input = kept};
	hash_add(&b->claimed, &c->link, hash_number(c->object));
	return 0;
}

int building_classify(const struct building *b, size_t i, struct name_class *ret, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	entry_id dir = b->result->outputs[t->parent].id;

	*ret = (struct name_class){.kind = NAME_SCRATCH};
	if (dir == ENTRY_NONE)
		return 0;
	return b->format->tree->classify(b->map, dir, t->name, t->is_dir,
		t->origin == ENTRY_NONE ? ENTRY_ROOT : t->origin, ret, e);
}

static int place_input(struct building *b, size_t i, entry_id id)
{
	const struct build_input *t = &b->inputs[i];

	return building_place(b, (struct placement){.id = id,
					 .dir = b->result->outputs[t->parent].id,
					 .name = t->name,
					 .order = (uint32_t)i});
}

/* Set outcome and entry of input i, which is new or moved, and place it. */
static int set_outcome(struct building *b, size_t i, enum build_outcome outcome, entry_id id)
{
	struct build_output *o = &b->result->outputs[i];

	o->outcome = outcome;
	o->id = id;
	return place_input(b, i, id);
}

/* Add a new object or part for input i. */
static int make_entry(struct building *b, size_t i, struct error *e)
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
	return set_outcome(b, i, BUILD_NEW, id);
}

static bool is_permanent(const struct building *b, entry_id id)
{
	struct file_attr en;

	return b->format->stat(b->base, id, &en, NULL) == 0 && en.is_permanent;
}

static bool name_has_meaning(const struct name_class *m)
{
	return m->kind == NAME_OBJECT || m->kind == NAME_PART;
}

/* A directory keeps its origin, unless its name is that of a permanent one. */
static int resolve_dir(struct building *b, size_t i, const struct name_class *m, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	struct build_output *o = &b->result->outputs[i];
	bool moved;
	int r;

	if (m->is_known && (m->id == t->origin || is_permanent(b, m->id))) {
		o->id = m->id;
		return add_claim(b, m->id, 0);
	}
	if (t->origin == ENTRY_NONE)
		return name_has_meaning(m) ? make_entry(b, i, e) : 0;
	moved = m->accepts_object && name_has_meaning(m);
	r = add_claim(b, t->origin, 0);
	return r < 0 || !moved ? r : set_outcome(b, i, BUILD_MOVED, t->origin);
}

/* Is input i at the path of its origin in the base? */
static bool is_at_origin(const struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];
	const struct build_input *dir = &b->inputs[t->parent];
	struct file_attr en;

	return t->origin != ENTRY_NONE && b->result->outputs[t->parent].id == dir->origin &&
	       b->format->lookup(b->base, dir->origin, t->name, &en, NULL) == 0 &&
	       en.id == t->origin;
}

/* Input i is the entry that the base has at this path. If names fold, its name may differ in case,
 * so it needs a placement. */
static int resolve_in_place(struct building *b, size_t i, entry_id id)
{
	int r = add_claim(b, id, 0);

	b->result->outputs[i].id = id;
	return r < 0 || !b->format->fold ? r : place_input(b, i, id);
}

/* First pass: directories, new parts, and files at the path of an entry of the base. */
static int resolve_known(struct building *b, size_t i, struct error *e)
{
	struct build_output *o = &b->result->outputs[i];
	struct error why = ERROR_INIT;
	struct name_class m;

	if (is_at_origin(b, i))
		return resolve_in_place(b, i, b->inputs[i].origin);
	if (building_classify(b, i, &m, &why) < 0) {
		building_refuse(b, i, &why);
		return 0;
	}
	o->outcome = name_has_meaning(&m) ? BUILD_SAME : BUILD_SCRATCH;
	if (b->inputs[i].is_dir)
		return resolve_dir(b, i, &m, e);
	/* A moved file never becomes a part. Make the part now: later names may depend on it. */
	if (!m.is_known)
		return m.kind == NAME_PART ? make_entry(b, i, e) : 0;
	return resolve_in_place(b, i, m.id);
}

/* A removed permanent directory keeps its entry: the files in it are removed one by one. */
static void resolve_permanent_dir(struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];

	if (t->is_dir && is_at_origin(b, i) && is_permanent(b, t->origin))
		b->result->outputs[i].id = t->origin;
}

/* Second pass: files at other paths. They are moved objects or new ones. */
static int resolve_other(struct building *b, size_t i, struct error *e)
{
	const struct build_input *t = &b->inputs[i];
	const struct build_output *o = &b->result->outputs[i];
	struct name_class m;
	int r;

	if (t->origin != ENTRY_NONE && !find_claim(b, t->origin) && o->outcome == BUILD_SAME &&
		building_classify(b, i, &m, NULL) == 0 && m.accepts_object) {
		r = add_claim(b, t->origin, 0);
		return r < 0 ? r : set_outcome(b, i, BUILD_MOVED, t->origin);
	}
	return o->outcome == BUILD_SAME ? make_entry(b, i, e) : 0;
}

/* Third pass: a file that was moved to a scratch name keeps its object in the map, unless the
 * object's directory is removed. */
static int claim_kept(struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];
	enum build_outcome outcome = b->result->outputs[i].outcome;
	bool kept = !t->is_dir && (outcome == BUILD_SCRATCH || outcome == BUILD_REFUSED);

	return kept && t->origin != ENTRY_NONE ? add_claim(b, t->origin, i) : 0;
}

/* Remember an object of the base that is not at its path any more. */
static int add_displaced(struct building *b, entry_id id)
{
	if (!array_reserve(b->displaced, b->n_displaced, b->room_displaced))
		return -ENOMEM;
	b->displaced[b->n_displaced++] = entry_object(id);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	return array_compare(*(const entry_id *)a, *(const entry_id *)b);
}

static int add_displaced_children(struct building *b, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;
	int r = 0;

	if (b->format->stat(b->base, dir, &en, NULL) < 0 || !en.is_dir || find_claim(b, dir))
		return 0;
	while (r == 0 && b->format->list(b->base, dir, &cookie, name, &en, NULL) > 0)
		r = add_displaced(b, en.id);
	return r;
}

static int find_displaced(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->result->n; i++) {
		const struct build_input *t = &b->inputs[i];

		if (t->is_removed && is_at_origin(b, i))
			r = add_displaced(b, t->origin);
		else if (!t->is_removed && t->hidden != ENTRY_NONE)
			r = add_displaced(b, t->hidden);
	}
	for (size_t i = 0; r == 0 && i < b->n_displaced; i++)
		r = add_displaced_children(b, b->displaced[i]);
	if (r == 0 && b->n_displaced)
		qsort(b->displaced, b->n_displaced, sizeof(*b->displaced), compare_ids);
	return r;
}

static bool is_displaced(const struct building *b, entry_id object)
{
	return b->n_displaced &&
	       bsearch(&object, b->displaced, b->n_displaced, sizeof(object), compare_ids);
}

/* Claim the origins that still have an unchanged file at their path. A file that was moved from
 * there then is a new object. */
static int claim_untouched(struct building *b)
{
	int r = find_displaced(b);

	for (size_t i = 1; r == 0 && i < b->result->n; i++) {
		const struct build_input *t = &b->inputs[i];
		entry_id object = entry_object(t->origin);

		if (!t->is_removed && !t->is_dir && t->origin != ENTRY_NONE &&
			!find_claim(b, object) && !is_displaced(b, object))
			r = add_claim(b, object, 0);
	}
	return r;
}

/* Apply an empty content to a removed file that is_cleared_by_save. */
static int clear_file(struct building *b, entry_id id, enum build_outcome *ret)
{
	const struct extent nothing = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool put = false;
	int r = building_put(b, id, &nothing, &put, &why);

	if (put)
		*ret = BUILD_CLEARED;
	return error_is_transient(r) ? r : 0;
}

/* Clear a removed part that is_cleared_by_mount, unless its object is removed, too. This precedes
 * all contents, because other files may refer to the cleared part. */
static int clear_part(struct building *b, size_t i, entry_id id, enum build_outcome *ret)
{
	struct error why = ERROR_INIT;
	bool put;
	int r = b->inputs[b->inputs[i].parent].is_removed ? 0
							  : building_apply(b, id, NULL, &put, &why);

	*ret = r < 0 ? BUILD_RESTORED : BUILD_CLEARED;
	return error_is_transient(r) ? r : 0;
}

/* Remove the entry that the base has at the path of input i, unless an input claims it. */
static int remove_entry(struct building *b, size_t i, entry_id id, enum build_outcome gone)
{
	struct build_output *o = &b->result->outputs[i];
	const struct claim *c = find_claim(b, id);
	struct file_attr en;

	if (c && c->kept_input && b->result->outputs[c->kept_input].outcome == BUILD_SCRATCH)
		b->result->outputs[c->kept_input].outcome = BUILD_KEPT;
	if (c || b->format->stat(b->base, id, &en, NULL) < 0 || en.is_permanent)
		return 0;
	if (en.is_cleared_by_save)
		return clear_file(b, id, &o->hidden_outcome);
	o->hidden_outcome = en.is_restored           ? BUILD_RESTORED
			    : en.is_cleared_by_mount ? BUILD_CLEARED
						     : gone;
	if (en.is_cleared_by_mount && !en.is_dir) {
		int r = clear_part(b, i, id, &o->hidden_outcome);

		if (r < 0 || o->hidden_outcome == BUILD_CLEARED)
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
			resolve_permanent_dir(b, i);
		else
			r = resolve_known(b, i, e);
	if (r == 0)
		r = claim_untouched(b);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->inputs[i].is_removed && !b->inputs[i].is_dir &&
			b->result->outputs[i].id == ENTRY_NONE)
			r = resolve_other(b, i, e);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->inputs[i].is_removed)
			r = claim_kept(b, i);
	for (size_t i = 1; r == 0 && i < n; i++) {
		if (b->inputs[i].is_removed)
			r = is_at_origin(b, i)
				    ? remove_entry(b, i, b->inputs[i].origin, BUILD_REMOVED)
				    : 0;
		else if (b->inputs[i].hidden != ENTRY_NONE)
			r = remove_entry(b, i, b->inputs[i].hidden, BUILD_REPLACED);
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
	free(b->displaced);
	free(b->claims);
}
