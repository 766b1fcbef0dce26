/* SPDX-License-Identifier: Zlib */
/* Merge JSON files field by field. */
#include <errno.h>
#include <string.h>

#include "tools/join/keyed.h"

enum { DEPTH_MAX = 32, TOLD_MAX = 5 };

struct json_join {
	struct join *join;
	struct buffer path; /* of the current value: its keys, separated by '.' */
	size_t n_told;
	unsigned depth;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* End of the value at p, or NULL if there is no well-formed value. */
static const char *value_end(const char *p, const char *end)
{
	const char *from = p;
	unsigned depth = 0;

	for (; p < end; p++) {
		bool whole = p > from && (*from == '{' || *from == '[' || *from == '"');

		if (!depth && (whole || strchr(",:]} \n\t\r", *p)))
			break;
		if (*p == '"')
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		if (p >= end)
			return NULL;
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
	}
	return p > from && !depth ? p : NULL;
}

/*
 * Split an object into values and keys (with quotes), or an array into values. Returns 1 if the
 * keys of an object are unique, otherwise 0. -ENOTSUP: the text does not begin with `open`, or is
 * invalid.
 */
static int split_value(struct span v, char open, struct keyed *ret)
{
	const char *p, *end = v.at + v.n - 1, *next;
	bool object = open == '{';
	int r = 0;

	if (v.n < 2 || *v.at != open || *end != open + 2)
		return -ENOTSUP;
	p = skip_blanks(v.at + 1, end);
	for (bool key = object; r == 0 && (p < end || key != object); key = object && !key) {
		next = value_end(p, end);
		if (!next || (key && *p != '"'))
			return -ENOTSUP;
		r = seq_add(key ? &ret->keys : &ret->values, p, (size_t)(next - p));
		p = skip_blanks(next, end);
		if (p < end && *p++ != (key ? ':' : ','))
			return -ENOTSUP;
		p = skip_blanks(p, end);
	}
	return r < 0 || !object ? r : keyed_sort(ret);
}

static void report_clash(struct json_join *j)
{
	struct buffer *told = &j->join->clashes;

	if (j->n_told++ >= TOLD_MAX)
		return;
	if (told->size)
		buffer_text(told, ", ");
	if (j->path.size)
		buffer_append(told, j->path.data, j->path.size);
	else
		buffer_text(told, "the whole file");
}

static int join_value(struct json_join *j, const struct span v[SIDES]);

/* Merge one key of an object. A key that only one side changed by removing it is removed. */
static int join_member(void *arg, struct span key, const struct span v[SIDES])
{
	struct json_join *j = arg;
	struct buffer *out = &j->join->out;
	enum which w = span_pick(v);
	size_t n = j->path.size;
	int r = 0;

	if (w < SIDES && !v[w].at)
		return 0;
	if (n)
		buffer_byte(&j->path, '.');
	buffer_append(&j->path, key.at + 1, key.n - 2);
	if (w == SIDES && !v[OURS].at) {
		report_clash(j);
	} else {
		buffer_text(out, out->size && out->data[out->size - 1] == '{' ? "" : ", ");
		buffer_append(out, key.at, key.n);
		buffer_text(out, ": ");
		r = join_value(j, v);
	}
	j->path.size = n;
	return r;
}

/* Merge one element of a list (seq_join.inner). */
static int join_element(void *arg, const struct span v[SIDES], struct buffer *)
{
	struct json_join *j = arg;
	size_t told = j->n_told;
	int r = join_value(j, v);

	return r < 0 ? r : j->n_told > told;
}

static int join_lists(struct json_join *j, const struct keyed of[SIDES])
{
	const struct seq lists[SIDES] = {of[BASE].values, of[OURS].values, of[THEIRS].values};
	/* Elements of the outermost list are independent; a list below a key may be a sequence. */
	struct seq_join how = {
		.inner = join_element, .between = ", ", .arg = j, .both = !j->path.size};
	size_t told = j->n_told;
	int r = seq_merge(lists, &how, &j->join->out);

	if (r == 0 && how.clashes && j->n_told == told)
		report_clash(j);
	return r;
}

/* Is it a list of objects only? A list of numbers is merged as one value. */
static bool is_list(const struct keyed *k)
{
	for (size_t i = 0; i < k->values.n; i++)
		if (k->values.at[i].at[0] != '{')
			return false;
	return true;
}

/* Merge the parts of objects or of lists. Returns 1 if not all values are of this type. */
static int join_parts(struct json_join *j, const struct span v[SIDES], char open)
{
	struct keyed of[SIDES] = {{.order = NULL}};
	int r = 0;

	for (int w = 0; r >= 0 && w < SIDES; w++) {
		r = v[w].at ? split_value(v[w], open, &of[w]) : 0;
		if (r >= 0 && open == '[' && !is_list(&of[w]))
			r = -ENOTSUP;
	}
	if (r >= 0) {
		buffer_byte(&j->join->out, (uint8_t)open);
		r = open == '{' ? keyed_merge(of, join_member, j) : join_lists(j, of);
		buffer_byte(&j->join->out, (uint8_t)(open + 2));
	}
	keyed_finish(of);
	return r == -ENOTSUP ? 1 : r;
}

static int join_value(struct json_join *j, const struct span v[SIDES])
{
	enum which w = span_pick(v);
	int r = 1;

	if (w == SIDES && v[OURS].at && v[THEIRS].at && j->depth < DEPTH_MAX) {
		j->depth++;
		r = join_parts(j, v, '{');
		if (r > 0)
			r = join_parts(j, v, '[');
		j->depth--;
	}
	if (r <= 0)
		return r;
	if (w == SIDES) {
		report_clash(j);
		w = OURS;
	}
	buffer_append(&j->join->out, v[w].at, v[w].n);
	return 0;
}

/* Trim a file to its JSON value. -ENOTSUP: the file is no object or list. */
static int read_value(const struct bytes *b, struct span *ret)
{
	const char *end = (const char *)b->data + b->size,
		   *at = skip_blanks((const char *)b->data, end);

	while (end > at && strchr(" \n\r\t", end[-1]))
		end--;
	*ret = (struct span){at, (size_t)(end - at)};
	return ret->n >= 2 && (*at == '{' || *at == '[') && end[-1] == *at + 2 &&
			       value_end(at, end) == end
		       ? 0
		       : -ENOTSUP;
}

static int list_difference(void *clashes, struct span key, const struct span v[SIDES])
{
	if (!span_same(v[OURS], v[THEIRS]))
		buffer_printf(clashes, "%s%.*s", ((struct buffer *)clashes)->size ? ", " : "",
			(int)key.n - 2, key.at + 1);
	return 0;
}

int join_list_json_differences(struct join *join)
{
	struct keyed of[SIDES] = {{.order = NULL}};
	struct span v;
	int r = 0;

	for (int w = OURS; r >= 0 && w <= THEIRS; w++) {
		r = read_value(join->sides[w], &v);
		if (r == 0)
			r = split_value(v, '{', &of[w]);
	}
	if (r >= 0)
		r = keyed_merge(of, list_difference, &join->clashes);
	keyed_finish(of);
	return r;
}

int join_json(struct join *join)
{
	struct json_join j = {.join = join};
	struct span v[SIDES] = {{0}};
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++)
		r = join->sides[w] ? read_value(join->sides[w], &v[w]) : 0;
	if (r == 0)
		r = join_value(&j, v);
	if (r == -ENOTSUP)
		return r;
	buffer_byte(&join->out, '\n');
	if (j.n_told > TOLD_MAX)
		buffer_printf(&join->clashes, " and %zu more", j.n_told - TOLD_MAX);
	r = r < 0 ? r : j.path.error;
	buffer_finish_free(&j.path);
	return r;
}
