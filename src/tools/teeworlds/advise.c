/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/advise.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/names/sort.h"
#include "tools/teeworlds/whole/sum.h"

/* An object with the sum of its content; in the first pass, of its data sizes. */
struct summed {
	uint8_t sum[TW_SUM_SIZE];
	uint32_t item;
};

struct advising {
	const struct tw_map *m;
	size_t n_before;  /* items before the change; handles from here on are new */
	uint32_t *equals; /* by handle - n_before: 1 + handle of an equal old object; 0: none */
	format_say say;
	void *arg;
};

/* Among equal sums, put old objects first: their handles are lower. */
static int by_sum(const void *pa, const void *pb)
{
	const struct summed *a = pa, *b = pb;

	return memcmp(a->sum, b->sum, sizeof(a->sum)) ?: array_compare(a->item, b->item);
}

/* The end of the run that begins at i. */
static size_t run_end(const struct summed *s, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && memcmp(s[end].sum, s[i].sum, sizeof(s[i].sum)) == 0)
		end++;
	return end;
}

/* Does the run contain both old and new objects? */
static bool is_mixed(const struct advising *a, const struct summed *s, size_t n)
{
	return s[0].item < a->n_before && s[n - 1].item >= a->n_before;
}

/* Compare the content of the objects in a run, which have equal sizes. */
static void compare_run(struct advising *a, struct summed *s, size_t n)
{
	size_t n_read = 0, end;

	for (size_t i = 0; i < n; i++) {
		s[n_read].item = s[i].item;
		n_read += tw_sum(a->m, s[i].item, true, s[n_read].sum);
	}
	if (n_read)
		qsort(s, n_read, sizeof(*s), by_sum);
	for (size_t i = 0; i < n_read; i = end) {
		end = run_end(s, n_read, i);
		for (size_t k = i; k < end && is_mixed(a, s + i, end - i); k++)
			if (s[k].item >= a->n_before)
				a->equals[s[k].item - a->n_before] = s[i].item + 1;
	}
}

static void find_equal(struct advising *a, const struct tw_type *all)
{
	CLEANUP(free) struct summed *s = calloc(all->n, sizeof(*s));
	size_t n = 0, end;

	for (uint32_t i = 0; s && i < all->n; i++) {
		s[n].item = all->items[i];
		n += tw_sum(a->m, all->items[i], false, s[n].sum);
	}
	if (n)
		qsort(s, n, sizeof(*s), by_sum);
	for (size_t i = 0; i < n; i = end) {
		end = run_end(s, n, i);
		if (is_mixed(a, s + i, end - i))
			compare_run(a, s + i, end - i);
	}
}

/* Is the object a layer of a group that is reported? */
static bool is_covered(const struct advising *a, enum tw_sort sort, uint32_t position)
{
	int64_t group = sort == TW_SORT_LAYER ? tw_find_group(a->m, position) : -1;
	uint32_t item;

	return group >= 0 && tw_find_item(a->m, TW_GROUP, group, &item) == 0 &&
	       item >= a->n_before && a->equals[item - a->n_before];
}

static void report_equal(const struct advising *a, enum tw_sort sort, const struct tw_type *all)
{
	char line[2 * TW_PATH_MAX + 16], path[TW_PATH_MAX], old[TW_PATH_MAX];

	for (uint32_t i = 0; i < all->n; i++) {
		uint32_t item = all->items[i];

		if (item < a->n_before || !a->equals[item - a->n_before] || is_covered(a, sort, i))
			continue;
		tw_path_item(a->m, item, path);
		tw_path_item(a->m, a->equals[item - a->n_before] - 1, old);
		snprintf(line, sizeof(line), "%s equals %s", path, old);
		a->say(a->arg, FORMAT_NOTE, line);
	}
}

void tw_advise(const struct snapshot *before, const struct snapshot *map, format_say say, void *arg)
{
	struct advising a = {tw_map_of(map), tw_map_of(before)->n_items, NULL, say, arg};

	if (a.m->n_items > a.n_before && tw_is_typed(a.m))
		a.equals = calloc(a.m->n_items - a.n_before, sizeof(*a.equals));
	for (int sort = 0; a.equals && sort < TW_SORTS; sort++) {
		const struct tw_type *all = tw_type(a.m, tw_sort_type((enum tw_sort)sort));

		if (!all)
			continue;
		find_equal(&a, all);
		report_equal(&a, (enum tw_sort)sort, all);
	}
	free(a.equals);
}
