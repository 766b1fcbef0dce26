/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/bindat/uses.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* The old file's strings as UTF-8, and where they are used. */
struct old_uses {
	const struct bindat_file *file;
	struct buffer text;
	struct str *strings; /* of the table's entries */
	struct uses uses;
};

int uses_add(struct uses *u, struct str s, uint32_t id, struct error *e)
{
	if (!array_room(u->all, u->n, u->room))
		return error_set(e, -ENOMEM, "no memory for %zu strings", u->n + 1);
	u->all[u->n] = (struct use){s, u->n, id};
	u->n++;
	return 0;
}

void uses_free(struct uses *u)
{
	free(u->all);
	*u = (struct uses){0};
}

static int by_string(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	int r = str_compare(x->s, y->s);

	return r ? r : (x->nth > y->nth) - (x->nth < y->nth);
}

static int by_place(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return (x->nth > y->nth) - (x->nth < y->nth);
}

static int by_id(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void uses_sort(struct uses *u, enum uses_order order)
{
	static int (*const compare[])(const void *, const void *) = {by_place, by_string, by_id};

	if (u->n)
		qsort(u->all, u->n, sizeof(*u->all), compare[order]);
}

static int old_text(struct old_uses *old, struct error *e)
{
	const struct bindat_file *f = old->file;
	size_t begin = 0, *ends;

	old->strings = calloc(f->n_strings + 1, sizeof(*old->strings));
	ends = calloc(f->n_strings + 1, sizeof(*ends));
	for (size_t i = 0; ends && i < f->n_strings; i++) {
		ss_to_utf8(f->strings[i].s, &old->text);
		ends[i] = old->text.size;
	}
	if (!old->strings || !ends || old->text.error) {
		free(ends);
		return error_set(e, -ENOMEM, "no memory for the old strings");
	}
	for (size_t i = 0; i < f->n_strings; i++) {
		old->strings[i] = STR("");
		if (ends[i] > begin)
			old->strings[i] =
				(struct str){(const char *)old->text.data + begin, ends[i] - begin};
		begin = ends[i];
	}
	free(ends);
	return 0;
}

static int take_use(void *arg, const struct bindat_value *v, struct error *e)
{
	struct old_uses *old = arg;
	const struct bindat_string *s;

	if (!bindat_is_string(v->type))
		return 0;
	s = bindat_find(old->file, v->id);
	return uses_add(&old->uses, s ? old->strings[s - old->file->strings] : STR(""), v->id, e);
}

static int old_collect(struct old_uses *old, struct error *e)
{
	struct bindat_visitor v = {.value = take_use, .arg = old};
	int r = old_text(old, e);

	if (r == 0)
		r = bindat_walk(old->file, &v, e);
	uses_sort(&old->uses, USES_BY_STRING);
	return r;
}

enum { NO_ID = 0 }; /* with seen[] telling it from the id 0 */

/* Ids of the old uses for those of u that have one; both sorted by string. */
static void match(struct uses *u, const struct uses *old, bool *seen)
{
	size_t k = 0, group = 0;

	for (size_t i = 0; i < u->n; i++) {
		struct use *use = &u->all[i];

		if (!i || !str_equal(u->all[i - 1].s, use->s)) {
			while (k < old->n && str_compare(old->all[k].s, use->s) < 0)
				k++;
			group = k;
		} else if (k + 1 < old->n && k >= group && str_equal(old->all[k + 1].s, use->s)) {
			k++;
		}
		use->id = NO_ID;
		seen[use->nth] = k < old->n && str_equal(old->all[k].s, use->s);
		if (seen[use->nth])
			use->id = old->all[k].id;
	}
}

/* A file can give the id of "" to another string, which keeps it while it is used. */
static bool empty_is_taken(const struct uses *u, const bool *seen)
{
	for (size_t i = 0; i < u->n; i++)
		if (seen[u->all[i].nth] && u->all[i].id == BINDAT_EMPTY && u->all[i].s.n)
			return true;
	return false;
}

/* New ids in the order of the first use; u is sorted by string on entry, by place after. */
static int number_rest(struct uses *u, uint64_t next, const bool *seen, struct error *e)
{
	size_t *first = calloc(u->n + 1, sizeof(*first));
	bool taken = empty_is_taken(u, seen);
	size_t group = 0;

	if (!first)
		return error_set(e, -ENOMEM, "no memory for string ids");
	for (size_t i = 0; i < u->n; i++) {
		if (i && !str_equal(u->all[i - 1].s, u->all[i].s))
			group = i;
		first[u->all[i].nth] = u->all[group].nth;
	}
	uses_sort(u, USES_BY_PLACE);
	for (size_t i = 0; i < u->n; i++) {
		if (seen[i])
			continue;
		if (!u->all[i].s.n && !taken)
			u->all[i].id = BINDAT_EMPTY;
		else if (first[i] != i)
			u->all[i].id = u->all[first[i]].id;
		else
			u->all[i].id = (uint32_t)next++;
	}
	free(first);
	return 0;
}

static uint64_t first_free(const struct bindat_file *old)
{
	for (size_t i = old->n_strings; i > 0; i--)
		if (old->strings[i - 1].id != BINDAT_EMPTY)
			return (uint64_t)old->strings[i - 1].id + 1;
	return 0;
}

int uses_number(struct uses *u, const struct bindat_file *old, struct error *e)
{
	struct old_uses before = {.file = old};
	uint64_t next = first_free(old);
	bool *seen = calloc(u->n + 1, sizeof(*seen));
	int r = seen ? 0 : error_set(e, -ENOMEM, "no memory for string ids");

	uses_sort(u, USES_BY_STRING);
	if (r == 0 && old->data) {
		r = old_collect(&before, e);
		/* No room above the highest id (no real file comes near): number all anew. */
		if (r == 0 && next + u->n >= BINDAT_EMPTY)
			next = 0;
		else if (r == 0)
			match(u, &before.uses, seen);
	}
	if (r == 0)
		r = number_rest(u, next, seen, e);
	uses_free(&before.uses);
	buffer_finish_free(&before.text);
	free(before.strings);
	free(seen);
	return r;
}
