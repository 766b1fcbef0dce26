/* SPDX-License-Identifier: Zlib */
/*
 * List a level. The offset of a name is a hash of the name, and names are listed in the order of
 * their offsets. So a listing continues correctly while files are created and removed, without any
 * state. The names are cached for 2 s, since the kernel reads a listing in many parts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/dir.h"
#include "base/threads/clock.h"
#include "vfs/folder/disk.h"
#include "vfs/folder/level.h"

enum { LISTING_MS = 2000, PLACE_DOT = 1, PLACE_DOTDOT = 2, PLACE_FIRST = 3 };

struct listed {
	uint64_t place;
	char *name;
};

struct listing {
	int64_t read_ms;
	size_t n, room;
	struct listed *all;
};

/* The offset of a name. It has 63 bits, because the kernel treats offsets as signed. */
static uint64_t hash_to_offset(const char *name)
{
	uint64_t h = 0xcbf29ce484222325U;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3U;
	h = hash_number(h) >> 1;
	return h < PLACE_FIRST ? h + PLACE_FIRST : h;
}

static void listing_free(struct folder *f, struct level *l)
{
	if (!l->listing)
		return;
	for (size_t i = 0; i < l->listing->n; i++)
		free(l->listing->all[i].name);
	free(l->listing->all);
	free(l->listing);
	l->listing = NULL;
	f->n_listings--;
}

void listings_tick(struct folder *f, bool all)
{
	int64_t now = f->n_listings ? clock_ms() : 0;

	for (size_t i = 0; f->n_listings && i < f->n_levels; i++) {
		struct level *l = f->by_number[i];

		if (l->listing && (all || now - l->listing->read_ms >= LISTING_MS))
			listing_free(f, l);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static int listing_add(struct listing *list, const char *name)
{
	if (!array_reserve(list->all, list->n, list->room))
		return -ENOMEM;
	list->all[list->n] = (struct listed){hash_to_offset(name), strdup(name)};
	return list->all[list->n].name ? (list->n++, 0) : -ENOMEM;
}

/* Is it a directory, or a file named like a map? emit_name checks the rest. */
static bool may_be_shown(const struct dirent *d)
{
	if (!disk_shown(d->d_name))
		return false;
	return d->d_type == DT_DIR || d->d_type == DT_UNKNOWN || disk_is_map(d->d_name);
}

static int read_listing(struct folder *f, struct level *l, int fd)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(fd, ".", &r);
	const struct dirent *d;

	if (r < 0)
		return r;
	listing_free(f, l);
	l->listing = calloc(1, sizeof(*l->listing));
	if (!l->listing)
		return -ENOMEM;
	f->n_listings++;
	l->listing->read_ms = clock_ms();
	while (r == 0 && (d = dir_next(dir, &r)))
		if (may_be_shown(d))
			r = listing_add(l->listing, d->d_name);
	if (l->listing->n)
		qsort(l->listing->all, l->listing->n, sizeof(*l->listing->all), by_place);
	if (r < 0)
		listing_free(f, l);
	return r;
}

/* Emit one name. Creates its level or map, so that a later stat gives the same inode number.
 * Returns false if the listing is full. */
static bool emit_name(
	struct folder *f, struct level *l, struct call *c, int dirfd, const struct listed *entry)
{
	struct found found;
	struct map *m = NULL;
	struct level *below = NULL;
	struct stat a;
	bool fits;

	if (disk_look(f, l, dirfd, entry->name, &found) < 0)
		return true;
	if (found.dir)
		below = level_get(f, l, entry->name);
	else
		m = map_look(f, l, entry->name, &found.st);
	if (!m && !below)
		return true;
	a = m ? attr_map(f, m, &found) : attr_found(f, below->ino, &found);
	fits = c->emit(c, entry->name, &a, entry->place);
	if (fits && c->with_attributes && m)
		m->lookups++;
	return fits;
}

static bool emit_dots(struct level *l, struct call *c)
{
	struct stat a = {.st_ino = l->ino, .st_mode = S_IFDIR};

	if (c->off < PLACE_DOT && !c->emit(c, ".", &a, PLACE_DOT))
		return false;
	if (l->parent)
		a.st_ino = l->parent->ino;
	return c->off >= PLACE_DOTDOT || c->emit(c, "..", &a, PLACE_DOTDOT);
}

void level_readdir(struct folder *f, struct level *l, struct call *c)
{
	CLEANUP(close_fd) int fd = disk_open(f, l, true);
	int r = fd < 0 ? fd : 0;

	c->is_brief = true;
	if (r == 0 && (c->off == 0 || !l->listing))
		r = read_listing(f, l, fd);
	if (r == 0 && emit_dots(l, c)) {
		const struct listing *list = l->listing;
		size_t i = array_bisect(k, list->n, list->all[k].place > c->off);

		while (i < list->n && emit_name(f, l, c, fd, &list->all[i]))
			i++;
	}
	call_done(c, r == -ENOENT ? -ESTALE : r);
}
