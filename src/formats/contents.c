/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/building.h"

/* What an entry of the base shows, as bytes. */
static int shown(const struct building *b, entry_id id, struct extent *ret, struct error *e)
{
	uint8_t *data;
	struct bytes *all;
	uint64_t size;
	int r = snapshot_size(b->base, id, &size, e);

	if (r < 0)
		return r;
	all = bytes_new(size, &data);
	if (!all)
		return error_set(e, -ENOMEM, "no memory for a file");
	r = b->f->get(b->base, id, 0, data, all->size, e);
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
	return building_put(b, b->out->entries[i].id, &x, ret_put, why);
}

/* -ENOMEM. */
static int refuse_content(struct building *b, size_t i, int r, const struct error *why)
{
	struct built_entry *o = &b->out->entries[i];
	enum build_fate was = o->fate;
	struct error none = ERROR_INIT;
	struct meaning m;
	bool put = false;

	if (b->in[i].in)
		o->last = put_last(b, i, &put, &none) == 0 && b->in[i].last;
	o->waits = r == -EAGAIN || why->others;
	b->out->n_waiting += o->waits;
	building_refuse(b, i, why);
	if (put || was == BUILD_MOVED)
		o->old = was == BUILD_SAME ? BUILD_WRITTEN : was;
	/* An object that was made and says nothing does not come into the map. */
	if (was != BUILD_NEW || put || building_meaning(b, i, &m, NULL) < 0 ||
		m.is != FORMAT_OBJECT)
		return 0;
	return building_place(b, (struct placement){.id = o->id, .removed = true});
}

/* It says what is there by now; but that may follow from what others say. */
static bool differs_from_base(const struct building *b, size_t i, const struct extent *x)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	const struct format_edit *edit = b->f->edit;

	return b->f->follows &&
	       (edit->put(b->base, b->out->entries[i].id, x, &b->others, &s, NULL, NULL) < 0 || s);
}

/* 1: it waits for others. */
static int put(struct building *b, size_t i, struct error *e)
{
	struct built_entry *o = &b->out->entries[i];
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool put = false;
	int r;

	if (!content(b, i, b->in[i].in, &x, &why))
		return 0;
	r = why.code ? why.code : building_put(b, o->id, &x, &put, &why);
	if (error_is_transient(r))
		return error_set(e, r, "%s", error_text(&why));
	b->progress |= r == 0 || (r == -EAGAIN && put);
	if (r == 0 && o->fate == BUILD_SAME && (put || differs_from_base(b, i, &x)))
		o->fate = BUILD_WRITTEN;
	if (r == 0)
		return 0;
	if (!b->last && (r == -EAGAIN || why.others))
		return 1;
	return refuse_content(b, i, r, &why);
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

/* What files are told of each other. */
static int know_others(struct building *b)
{
	struct format_others *o = &b->others;

	b->written = malloc(b->out->n * sizeof(*b->written));
	if (!b->written)
		return -ENOMEM;
	*o = (struct format_others){b->placements, b->n_placements, b->written, 0};
	for (size_t i = 1; i < b->out->n; i++)
		if (b->in[i].in && b->out->entries[i].id != ENTRY_NONE)
			b->written[o->n_written++] = (struct format_written){
				b->out->entries[i].id, b->in[i].in, b->in[i].refused};
	return 0;
}

int contents_put(struct building *b, struct error *e)
{
	CLEANUP(free) uint32_t *waiting = malloc(b->out->n * sizeof(*waiting));
	size_t n = 0;
	int r = waiting ? know_others(b) : -ENOMEM;

	if (r < 0)
		return error_set(e, r, "no memory for the files of a map");
	for (int raw = 1; raw >= 0; raw--)
		for (size_t i = 1; i < b->out->n; i++)
			if (is_raw(b, i) == raw)
				waiting[n++] = (uint32_t)i;
	do
		r = put_round(b, waiting, &n, e);
	while (r == 0 && n && b->progress);
	b->last = true;
	return r < 0 ? r : put_round(b, waiting, &n, e);
}
