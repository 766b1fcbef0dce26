/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Parse the line up to the name, and return that. NULL if list_write.c would not write it so. */
static char *parse_head(char *line, struct tw_table_entry *ret)
{
	char noun[16], mark, head[64];
	int sort = 0, n;

	if (sscanf(line, "%15s %9u %9u %c", noun, &ret->group, &ret->place, &mark) != 4 ||
		(mark != '+' && mark != '='))
		return NULL;
	while (sort < TW_SORTS && strcmp(noun, tw_sorts[sort].noun) != 0)
		sort++;
	ret->sort = (enum tw_sort)sort;
	ret->is_moved = mark == '+';
	n = snprintf(head, sizeof(head), TW_LISTED_HEAD, noun, ret->group, ret->place, mark);
	return sort < TW_SORTS && strncmp(line, head, (size_t)n) == 0 ? line + n : NULL;
}

/* Replace \n and \\ in place. */
static bool unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		bool escaped = *s == '\\';

		s += escaped;
		if (escaped && *s != '\\' && *s != 'n')
			return false;
		*to++ = escaped && *s == 'n' ? '\n' : *s;
	}
	*to = '\0';
	return true;
}

static bool is_valid_name(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n <= NAME_MAX && s[0] != '.' && !strchr(s, '/');
}

static int compare_places(const void *pa, const void *pb)
{
	const struct tw_table_entry *a = pa, *b = pb;

	return array_compare(a->sort, b->sort) ?: array_compare(a->group, b->group)
		?: array_compare(a->place, b->place);
}

static int compare_stems(const struct tw_table_entry *a, const struct tw_table_entry *b)
{
	return array_compare(a->sort, b->sort) ?: array_compare(a->group, b->group)
		?: memcmp(a->name, b->name, a->n < b->n ? a->n : b->n)
		?: array_compare(a->n, b->n);
}

static int compare_stems_places(const void *pa, const void *pb)
{
	const struct tw_table_entry *a = *(struct tw_table_entry *const *)pa,
				    *b = *(struct tw_table_entry *const *)pb;

	return compare_stems(a, b) ?: compare_places(a, b);
}

/* Parse a line. Returns NULL, or what is wrong with it. */
static const char *parse_line(char *at, struct tw_table_entry *ret)
{
	at = parse_head(at, ret);
	if (!at)
		return "must be \"sort group place mark name\"";
	if (ret->group && ret->sort != TW_SORT_LAYER)
		return "has a group, but is not a layer";
	if (!unescape(at) || !is_valid_name(at))
		return "has an invalid name";
	ret->name = at;
	ret->n = tw_stem_length(ret->sort, at, NULL);
	return ret->n ? NULL : "has an invalid name for its sort";
}

static int sort_stems(struct tw_name_table *l)
{
	l->by_stem = malloc((l->n + 1) * sizeof(struct tw_table_entry *));
	if (!l->by_stem)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++)
		l->by_stem[i] = &l->v[i];
	if (l->n)
		qsort(l->by_stem, l->n, sizeof(struct tw_table_entry *), compare_stems_places);
	return 0;
}

int tw_listing_read(const struct bytes *text, struct tw_name_table *ret, struct error *e)
{
	size_t lines = 0;
	const char *wrong;

	if (memchr(text->data, '\0', text->size) ||
		(text->size && text->data[text->size - 1] != '\n'))
		return error_set(
			e, -EINVAL, "names: the text has a NUL or does not end in a line feed");
	for (size_t i = 0; i < text->size; i++)
		lines += text->data[i] == '\n';
	ret->text = malloc(text->size + 1);
	ret->v = calloc(lines + 1, sizeof(*ret->v));
	if (!ret->text || !ret->v)
		return error_set(e, -ENOMEM, "out of memory");
	memcpy(ret->text, text->data, text->size);
	ret->text[text->size] = '\0';
	for (char *at = ret->text, *next; ret->n < lines; at = next, ret->n++) {
		struct tw_table_entry *v = &ret->v[ret->n];

		next = strchr(at, '\n') + 1;
		next[-1] = '\0';
		wrong = parse_line(at, v);
		if (!wrong && ret->n && compare_places(v - 1, v) >= 0)
			wrong = "is not in order";
		if (wrong)
			return error_set(e, -EINVAL, "names: line %zu %s", ret->n + 1, wrong);
	}
	return sort_stems(ret) < 0 ? error_set(e, -ENOMEM, "out of memory") : 0;
}

void tw_listing_finish(struct tw_name_table *l)
{
	free(l->v);
	free(l->by_stem);
	free(l->text);
	*l = (struct tw_name_table){0};
}

const struct tw_table_entry *tw_listing_at(
	const struct tw_name_table *l, enum tw_sort sort, uint32_t group, uint32_t place)
{
	const struct tw_table_entry key = {.sort = sort, .group = group, .place = place};

	return l->n ? bsearch(&key, l->v, l->n, sizeof(key), compare_places) : NULL;
}

size_t tw_listing_from(const struct tw_name_table *l, enum tw_sort sort, uint32_t group,
	const char *stem, size_t n)
{
	const struct tw_table_entry key = {.sort = sort, .group = group, .name = stem, .n = n};

	return array_bisect(i, l->n, compare_stems(l->by_stem[i], &key) >= 0);
}

bool tw_listing_has(const struct tw_name_table *l, size_t i, enum tw_sort sort, uint32_t group,
	const char *stem, size_t n)
{
	const struct tw_table_entry key = {.sort = sort, .group = group, .name = stem, .n = n};

	return i < l->n && compare_stems(l->by_stem[i], &key) == 0;
}
