/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/placements.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { ZEROS_MIN = 6, MORE_ZEROS_MAX = 200 };
#define POSITION_MAX (UINT64_MAX / 4)

/* The objects of one directory in the order of that map. */
struct order {
	bool known;
	entry_id dir;
	/* Of those with a number: it, doubled, and 1 where it is the object's own old one, before
	 * which others stand that were moved to it. */
	uint64_t *keys;
	size_t n, room, all;
};

struct placements {
	struct placement *list;
	size_t n;
	entry_id *ids; /* of their objects, sorted */
	struct order order;
};

void placements_free(struct placement *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)p[i].name);
	free(p);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void placements_finish(struct vfs *v)
{
	struct placements *p = v->vol->placed;

	if (!p)
		return;
	placements_free(p->list, p->n);
	free(p->ids);
	free(p->order.keys);
	free(p);
	v->vol->placed = NULL;
}

void placements_keep(struct vfs *v, struct placement *list, size_t n)
{
	struct placements *p = calloc(1, sizeof(*p));

	placements_finish(v);
	if (p)
		p->ids = calloc(n + 1, sizeof(*p->ids));
	if (!p || !p->ids) {
		placements_free(list, n);
		free(p);
		return;
	}
	p->list = list;
	p->n = n;
	for (size_t i = 0; i < n; i++)
		p->ids[i] = entry_object(list[i].id);
	qsort(p->ids, n, sizeof(*p->ids), compare_numbers);
	v->vol->placed = p;
}

/* Are digits alone a position there, and no name? */
static bool is_position(const struct node *dir, const char *name)
{
	const struct format_tree *t = dir->vol->format->tree;
	struct meaning m = {0};

	return t && t->meaning(dir->vol->now, dir->id, name, false, ENTRY_ROOT, &m, NULL) == 0 &&
	       m.position;
}

size_t placements_digits(const struct node *dir, const char *name, bool is_dir, bool home)
{
	size_t digits = dir->vol->format->numbered ? strspn(name, "0123456789") : 0;
	const char *rest = name + digits;

	if (!digits || *rest == '_' || !*rest)
		return digits;
	if (is_dir || *rest != '.' || strrchr(rest, '.') != rest)
		return 0;
	return home || is_position(dir, name) ? digits : 0;
}

static uint64_t position_of(const char *name)
{
	uint64_t n = strtoull(name, NULL, 10);

	return n < POSITION_MAX ? n : POSITION_MAX;
}

static bool is_placed(const struct placements *p, entry_id id)
{
	id = entry_object(id);
	return bsearch(&id, p->ids, p->n, sizeof(id), compare_numbers);
}

static bool add(struct order *o, uint64_t key)
{
	if (!array_room(o->keys, o->n, o->room))
		return false;
	o->keys[o->n++] = key;
	return true;
}

static bool is_shown(const struct volume *vol, entry_id id)
{
	char shown[NAME_MAX + 1];

	return vol->format->names->shown_as(vol->before, id, shown) == 0;
}

/* Those that stand where the mount has them. */
static bool add_mounted(const struct node *dir, struct order *o)
{
	const struct volume *vol = dir->vol;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;

	while (vol->format->list(vol->now, dir->id, &cookie, name, &en, NULL) > 0) {
		if (is_placed(vol->placed, en.id) || !placements_digits(dir, name, en.dir, true) ||
			!is_shown(vol, en.id))
			continue;
		o->all++;
		if (!add(o, 2 * position_of(name) + 1))
			return false;
	}
	return true;
}

static bool add_placed(const struct node *dir, bool is_dir, struct order *o)
{
	const struct placements *all = dir->vol->placed;

	for (size_t i = 0; i < all->n; i++) {
		const struct placement *p = &all->list[i];

		if (p->removed || p->stamp || !p->name || p->dir != dir->id ||
			!is_shown(dir->vol, p->id))
			continue;
		o->all++;
		if (placements_digits(dir, p->name, is_dir, false) &&
			!add(o, 2 * position_of(p->name)))
			return false;
	}
	return true;
}

static bool order_of(const struct node *dir, bool is_dir, struct order *o)
{
	if (o->known && o->dir == dir->id)
		return true;
	free(o->keys);
	*o = (struct order){.dir = dir->id};
	if (!add_mounted(dir, o) || !add_placed(dir, is_dir, o))
		return false;
	if (o->n)
		qsort(o->keys, o->n, sizeof(*o->keys), compare_numbers);
	o->known = true;
	return true;
}

/* How many of them stand before it. */
static size_t count_before(const struct order *o, uint64_t key)
{
	size_t low = 0, high = o->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->keys[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Another one for each distance in a gap, and for each way to write it; larger than MAX if it is
 * far. */
static uint64_t more_zeros(uint64_t gap, size_t pads)
{
	if (gap > MORE_ZEROS_MAX || pads > 3)
		return MORE_ZEROS_MAX + 1;
	return pads ? 2 * (3 * gap + pads - 1) + 1 : 2 * gap;
}

bool placements_number(
	const struct node *dir, const char *name, bool is_dir, bool home, struct log_number *ret)
{
	struct placements *p = dir->vol->placed;
	uint64_t position = position_of(name), gap, zeros;
	size_t pads = strspn(name, "0"), before;

	if (!p || dir->lens == LENS_NONE || position == POSITION_MAX ||
		!order_of(dir, is_dir, &p->order))
		return false;
	if (position == 0 && pads)
		pads--;
	before = count_before(&p->order, 2 * position + home);
	/* How far it is from the last of those. */
	gap = before ? position - p->order.keys[before - 1] / 2 : position;
	/* Behind the last all numbers are free. */
	if (before == p->order.all)
		*ret = (struct log_number){before + gap, ZEROS_MIN};
	else
		*ret = (struct log_number){before, ZEROS_MIN};
	zeros = more_zeros(before == p->order.all ? 0 : gap, pads);
	ret->zeros += (unsigned)zeros;
	return zeros <= MORE_ZEROS_MAX;
}
