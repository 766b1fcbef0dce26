/* SPDX-License-Identifier: Zlib */
#include "formats/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* Which entry of the tree stands for an object or part of the base. */
struct claim {
	struct hash_link link; /* by the object; first */
	entry_id object;
	bool scratch; /* its file has a name that means nothing */
};

/* A table waits for the others of its layer, and once more for the layer's new size; but tables
 * that were all refused before do not decide it at the next save. */
enum { WAITS_MAX = 2, WAITS_REFUSED = 1 };

struct building {
	const struct snapshot *base;
	const struct format *f;
	struct snapshot *now; /* the base, and what was done so far */
	const struct tree_entry *in;
	struct built *out;
	struct claim *claims; /* room for two of each entry */
	size_t n_claims;
	struct hash claimed;
	struct placement *placements;
	size_t n_placements, room;
	uint8_t *waited; /* by entry: how often it waited and told others of it */
	bool progress;
	bool last; /* what waits for others is refused */
};

void built_finish(struct built *b)
{
	for (size_t i = 0; b->entries && i < b->n; i++)
		free(b->entries[i].why);
	free(b->entries);
	snapshot_unref(b->map);
	*b = (struct built){0};
}

static void refuse(struct building *b, size_t i, const struct error *why)
{
	struct built_entry *o = &b->out->entries[i];

	if (o->fate != BUILD_REFUSED)
		b->out->n_refused++;
	o->fate = BUILD_REFUSED;
	free(o->why);
	o->why = strdup(error_text(why));
}

static struct claim *claim_find(const struct building *b, entry_id id)
{
	entry_id object = entry_object(id);

	for (struct hash_link *l = hash_find(&b->claimed, hash_number(object)); l;
		l = hash_again(l))
		if (((struct claim *)l)->object == object)
			return (struct claim *)l;
	return NULL;
}

/* -ENOMEM. What stands for an object counts more than what only came from it. */
static int claim(struct building *b, entry_id id, bool scratch)
{
	struct claim *c = claim_find(b, id);

	if (c) {
		c->scratch &= scratch;
		return 0;
	}
	if (!hash_room(&b->claimed))
		return -ENOMEM;
	c = &b->claims[b->n_claims++];
	*c = (struct claim){.object = entry_object(id), .scratch = scratch};
	hash_add(&b->claimed, &c->link, hash_number(c->object));
	return 0;
}

static int place(struct building *b, struct placement p)
{
	if (!array_room(b->placements, b->n_placements, b->room))
		return -ENOMEM;
	b->placements[b->n_placements++] = p;
	return 0;
}

static int meaning(const struct building *b, size_t i, struct meaning *ret, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	entry_id dir = b->out->entries[t->up].id;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (dir == ENTRY_NONE)
		return 0;
	return b->f->tree->meaning(
		b->now, dir, t->name, t->dir, t->from == ENTRY_NONE ? ENTRY_ROOT : t->from, ret, e);
}

/* Where the entry stands, for the format; told of what is new as well as of what moved. */
static int stands(struct building *b, size_t i, enum build_fate fate, entry_id id)
{
	const struct tree_entry *t = &b->in[i];
	struct built_entry *o = &b->out->entries[i];

	o->fate = fate;
	o->id = id;
	return place(b, (struct placement){.id = id,
				.dir = b->out->entries[t->up].id,
				.name = t->name,
				.order = (uint32_t)i});
}

/* Something of the map that no base has. */
static int make(struct building *b, size_t i, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	struct error why = ERROR_INIT;
	entry_id id;
	int r = b->f->tree->add(&b->now, b->out->entries[t->up].id, t->name, t->dir, &id, &why);

	if (r == -ENOMEM)
		return error_set(e, r, "%s", error_text(&why));
	if (r < 0) {
		refuse(b, i, &why);
		return 0;
	}
	return stands(b, i, BUILD_NEW, id);
}

static bool is_fixed(const struct building *b, entry_id id)
{
	struct entry en;

	return b->f->stat(b->base, id, &en, NULL) == 0 && en.fixed;
}

static bool means_something(const struct meaning *m)
{
	return m->is == FORMAT_OBJECT || m->is == FORMAT_PART;
}

/* A directory is what it came from. */
static int settle_dir(struct building *b, size_t i, const struct meaning *m, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	struct built_entry *o = &b->out->entries[i];
	bool moved;
	int r;

	if (m->known && (m->id == t->from || is_fixed(b, m->id))) {
		o->id = m->id;
		return claim(b, m->id, false);
	}
	if (t->from == ENTRY_NONE)
		return means_something(m) ? make(b, i, e) : 0;
	moved = m->fits && means_something(m);
	r = claim(b, t->from, !moved);
	return r < 0 || !moved ? r : stands(b, i, BUILD_MOVED, t->from);
}

/* Does it stand where it stood in the base? */
static bool is_home(const struct building *b, size_t i)
{
	const struct tree_entry *t = &b->in[i];
	const struct tree_entry *dir = &b->in[t->up];
	struct entry en;

	return t->from != ENTRY_NONE && b->out->entries[t->up].id == dir->from &&
	       b->f->lookup(b->base, dir->from, t->name, &en, NULL) == 0 && en.id == t->from;
}

/* The first look: directories, and files at the paths of what the base has. */
static int settle_known(struct building *b, size_t i, struct error *e)
{
	struct built_entry *o = &b->out->entries[i];
	struct error why = ERROR_INIT;
	struct meaning m;

	if (is_home(b, i)) {
		o->id = b->in[i].from;
		return claim(b, o->id, false);
	}
	if (meaning(b, i, &m, &why) < 0) {
		refuse(b, i, &why);
		return 0;
	}
	o->fate = means_something(&m) ? BUILD_SAME : BUILD_SCRATCH;
	if (b->in[i].dir)
		return settle_dir(b, i, &m, e);
	/* A part is no object that has moved; and the next one's name may count on it. */
	if (!m.known)
		return m.is == FORMAT_PART ? make(b, i, e) : 0;
	o->id = m.id;
	return claim(b, m.id, false);
}

/* The second: files that stand anywhere else. */
static int settle_other(struct building *b, size_t i, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	const struct built_entry *o = &b->out->entries[i];
	struct meaning m;
	int r;

	if (t->from != ENTRY_NONE && !claim_find(b, t->from) && o->fate == BUILD_SAME &&
		meaning(b, i, &m, NULL) == 0 && m.fits) {
		r = claim(b, t->from, false);
		return r < 0 ? r : stands(b, i, BUILD_MOVED, t->from);
	}
	return o->fate == BUILD_SAME ? make(b, i, e) : 0;
}

/* The third: what was moved to a name that means nothing stays in the map as it was. */
static int settle_kept(struct building *b, size_t i)
{
	const struct tree_entry *t = &b->in[i];
	struct built_entry *o = &b->out->entries[i];

	if (t->from == ENTRY_NONE || t->dir ||
		(o->fate != BUILD_SCRATCH && o->fate != BUILD_REFUSED) || claim_find(b, t->from))
		return 0;
	if (o->fate == BUILD_SCRATCH)
		o->fate = BUILD_KEPT;
	return claim(b, t->from, true);
}

/* Not the content's fault: the same bytes may be accepted when the disk or the memory is well. */
static bool is_passing(int r)
{
	return r < 0 && r != -EINVAL && r != -EAGAIN && r != -EFBIG && r != -ENOENT && r != -EIO &&
	       r != -EROFS;
}

/* *ret_put: it says something else than before, or what it says was applied though it waits, which
 * it may where `tells`. */
static int put_bytes(struct building *b, entry_id id, const struct extent *x, bool tells,
	bool *ret_put, struct error *why)
{
	CLEANUP(change_free) struct change *c = NULL;
	int parsed = b->f->edit->parse(b->now, id, x, &c, why), r = 0;

	*ret_put = c && (parsed == 0 || (parsed == -EAGAIN && tells));
	if (*ret_put)
		r = b->f->edit->apply(&b->now, c, NULL, why);
	return r < 0 ? r : parsed;
}

/* It is there again, empty. */
static int empty(struct building *b, entry_id id, enum build_fate *ret)
{
	const struct extent nothing = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool put = false;
	int r = put_bytes(b, id, &nothing, true, &put, &why);

	if (put)
		*ret = BUILD_EMPTIED;
	return is_passing(r) ? r : 0;
}

/* What the base has at a path where nothing of it stands any more. */
static int leave(struct building *b, size_t i, entry_id id, enum build_fate gone)
{
	struct built_entry *o = &b->out->entries[i];
	const struct claim *c = claim_find(b, id);
	struct entry en;

	if (c || b->f->stat(b->base, id, &en, NULL) < 0 || en.fixed)
		return 0;
	if (en.standing)
		return empty(b, id, &o->old);
	o->old = en.needed ? BUILD_NEEDED : en.lasting ? BUILD_EMPTIED : gone;
	return place(b, (struct placement){.id = id, .removed = true});
}

static int settle(struct building *b, struct error *e)
{
	size_t n = b->out->n;
	int r = 0;

	b->out->entries[0].id = ENTRY_ROOT;
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->in[i].gone)
			r = settle_known(b, i, e);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->in[i].gone && !b->in[i].dir && b->out->entries[i].id == ENTRY_NONE)
			r = settle_other(b, i, e);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->in[i].gone)
			r = settle_kept(b, i);
	for (size_t i = 1; r == 0 && i < n; i++) {
		if (b->in[i].gone)
			r = is_home(b, i) ? leave(b, i, b->in[i].from, BUILD_GONE) : 0;
		else if (b->in[i].hides != ENTRY_NONE)
			r = leave(b, i, b->in[i].hides, BUILD_REPLACED);
	}
	return r;
}

/* What an entry of the base shows, as bytes. */
static int shown(const struct building *b, entry_id id, struct extent *ret, struct error *e)
{
	uint8_t *data;
	struct bytes *all;
	uint64_t size;
	int r = snapshot_size(b->base, id, &size, e);

	if (r < 0)
		return r;
	all = bytes_new((size_t)size, &data);
	if (!all)
		return error_set(e, -ENOMEM, "no memory for a file");
	r = b->f->get(b->base, id, 0, data, (size_t)size, e);
	if (r < 0) {
		bytes_unref(all);
		return r;
	}
	*ret = extent_of_bytes(all);
	return 0;
}

/* The bytes that are to be put to the entry (in: if it has any of its own); false: it says what it
 * said. */
static bool content(const struct building *b, size_t i, const struct extent *in, struct extent *ret,
	struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	const struct built_entry *o = &b->out->entries[i];

	*ret = (struct extent)EXTENT_INIT;
	if (t->dir || t->gone || o->id == ENTRY_NONE)
		return false;
	if (in)
		*ret = extent_ref(in);
	else if (t->from == ENTRY_NONE || t->from == o->id)
		return false;
	else
		(void)shown(b, t->from, ret, e);
	return true;
}

/* What was refused when it was closed leaves what stood there before. */
static int put_last(struct building *b, size_t i, bool *ret_put, struct error *why)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (!content(b, i, b->in[i].last, &x, why) || why->code)
		return why->code;
	return put_bytes(b, b->out->entries[i].id, &x, true, ret_put, why);
}

static void refuse_content(struct building *b, size_t i, int r, const struct error *why)
{
	struct built_entry *o = &b->out->entries[i];
	enum build_fate was = o->fate;
	struct error none = ERROR_INIT;
	bool put = false;

	if (b->in[i].in)
		o->last = put_last(b, i, &put, &none) == 0;
	o->waits = r == -EAGAIN || why->others;
	refuse(b, i, why);
	if (put || was == BUILD_MOVED)
		o->old = was == BUILD_SAME ? BUILD_WRITTEN : was;
}

/* What it told others changed the map already, so that it says what is there by now. */
static bool told_other(const struct building *b, size_t i, const struct extent *x)
{
	CLEANUP(change_free) struct change *c = NULL;

	return b->waited[i] &&
	       (b->f->edit->parse(b->base, b->out->entries[i].id, x, &c, NULL) < 0 || c);
}

/* 1: it waits for others. */
static int put(struct building *b, size_t i, struct error *e)
{
	struct built_entry *o = &b->out->entries[i];
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool tells = b->waited[i] < (b->in[i].refused ? WAITS_REFUSED : WAITS_MAX), put = false;
	int r;

	if (!content(b, i, b->in[i].in, &x, &why))
		return 0;
	r = why.code ? why.code : put_bytes(b, o->id, &x, tells, &put, &why);
	if (is_passing(r))
		return error_set(e, r, "%s", error_text(&why));
	if (r == -EAGAIN && put)
		b->waited[i]++;
	b->progress |= r == 0 || (r == -EAGAIN && put);
	if (r == 0 && o->fate == BUILD_SAME && (put || told_other(b, i, &x)))
		o->fate = BUILD_WRITTEN;
	if (r == 0)
		return 0;
	if (!b->last && (r == -EAGAIN || why.others))
		return 1;
	refuse_content(b, i, r, &why);
	return 0;
}

/* Is it below raw/? Numbers are what things are called by there, so it comes first. */
static bool is_raw(const struct building *b, size_t i)
{
	while (b->in[i].up)
		i = b->in[i].up;
	return strcmp(b->in[i].name, "raw") == 0;
}

/* All that is not put yet; *n is how many that is after it. */
static int put_round(struct building *b, uint32_t *waiting, size_t *n, struct error *e)
{
	size_t k = 0;
	int r = 0;

	b->progress = false;
	for (size_t i = 0; r >= 0 && i < *n; i++) {
		r = put(b, waiting[i], e);
		if (r > 0)
			waiting[k++] = waiting[i];
	}
	*n = k;
	return r < 0 ? r : 0;
}

static int put_all(struct building *b, bool last, struct error *e)
{
	CLEANUP(free) uint32_t *waiting = malloc(b->out->n * sizeof(*waiting));
	size_t n = 0;
	int r = waiting ? 0 : error_set(e, -ENOMEM, "no memory for the files of a map");

	for (int raw = 1; r == 0 && raw >= 0; raw--)
		for (size_t i = 1; i < b->out->n; i++)
			if (is_raw(b, i) == raw)
				waiting[n++] = (uint32_t)i;
	do
		r = r < 0 ? r : put_round(b, waiting, &n, e);
	while (r == 0 && n && b->progress);
	b->out->n_waiting = n;
	b->last = last;
	return r < 0 || !last ? r : put_round(b, waiting, &n, e);
}

/* Is its time another one than the base's, where maps keep times? */
static bool is_timed(const struct building *b, size_t i)
{
	const struct timespec *t = &b->in[i].mtime;
	const struct built_entry *o = &b->out->entries[i];
	struct entry en;

	if (!b->in[i].timed || !b->f->keeps_times || b->in[i].dir || o->id == ENTRY_NONE)
		return false;
	if (b->in[i].from != o->id || o->fate == BUILD_WRITTEN)
		return true;
	return b->f->stat(b->base, o->id, &en, NULL) == 0 && en.has_mtime &&
	       (en.mtime.tv_sec != t->tv_sec || en.mtime.tv_nsec != t->tv_nsec);
}

static int put_times(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->out->n; i++) {
		struct built_entry *o = &b->out->entries[i];

		if (!is_timed(b, i))
			continue;
		r = place(
			b, (struct placement){.id = o->id, .stamp = true, .mtime = b->in[i].mtime});
		if (o->fate == BUILD_SAME)
			o->fate = BUILD_WRITTEN;
	}
	return r;
}

static int name_all(struct building *b, bool last, struct error *e)
{
	static const struct placement none[1];
	const struct format_names *names = b->f->names;

	if (!names || !names->renamed)
		return 0;
	return names->renamed(
		&b->now, b->n_placements ? b->placements : none, b->n_placements, last, e);
}

/* The base with the contents of the tree, nothing placed yet. */
static int put_contents(struct building *b, bool last, struct error *e)
{
	int r = settle(b, e);

	if (r == -ENOMEM && (!e || !e->code))
		error_set(e, r, "no memory for the objects of a map");
	if (r == 0)
		r = name_all(b, last, e);
	return r < 0 ? r : put_all(b, last, e);
}

static void building_finish(struct building *b)
{
	hash_finish(&b->claimed);
	free(b->claims);
	free(b->waited);
	free(b->placements);
	snapshot_unref(b->now);
}

static int begin(struct building *b, const struct snapshot *base, const struct tree_entry *entries,
	size_t n, struct built *ret, struct error *e)
{
	*b = (struct building){.base = base, .f = base->format, .in = entries, .out = ret};
	*ret = (struct built){.n = n};
	ret->entries = calloc(n + 1, sizeof(*ret->entries));
	b->claims = calloc(2 * n + 1, sizeof(*b->claims));
	b->waited = calloc(n + 1, 1);
	b->now = snapshot_ref(base);
	if (!ret->entries || !b->claims || !b->waited)
		return error_set(e, -ENOMEM, "no memory for the files of a map");
	for (size_t i = 0; i < n; i++)
		ret->entries[i].id = ENTRY_NONE;
	return 0;
}

int build(const struct snapshot *base, const struct tree_entry *entries, size_t n,
	void (*say)(void *arg, const char *line), void *arg, struct built *ret, struct error *e)
{
	__attribute__((cleanup(building_finish))) struct building b;
	int r = begin(&b, base, entries, n, ret, e);

	if (r == 0)
		r = put_contents(&b, true, e);
	if (r == 0)
		r = put_times(&b);
	if (r == 0)
		r = b.f->tree->finalize(
			b.now, b.placements, b.n_placements, &ret->map, say, arg, e);
	if (r < 0)
		built_finish(ret);
	return r;
}

int build_view(const struct snapshot *base, const struct tree_entry *entries, size_t n,
	struct built *ret, struct error *e)
{
	__attribute__((cleanup(building_finish))) struct building b;
	int r = begin(&b, base, entries, n, ret, e);

	if (r == 0)
		r = put_contents(&b, false, e);
	if (r == 0)
		ret->map = snapshot_ref(b.now);
	else
		built_finish(ret);
	return r;
}
