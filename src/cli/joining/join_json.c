/* SPDX-License-Identifier: Zlib */
/* JSON files that both sides changed, field by field. */
#include <errno.h>
#include <string.h>

#include "cli/joining/join.h"
#include "cli/joining/seq_merge.h"

enum { DEPTH_MAX = 32, TOLD_MAX = 5 };

struct json_join {
	struct buffer out;
	struct buffer path; /* of the value that is joined: keys, and a '.' between */
	struct buffer told;
	size_t n_told;
	unsigned depth;
};

/* Where a value stands; at is NULL where there is none. */
static const struct span none = {0};

static const char *blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p + 1 : NULL;
}

/* Behind the value at p; NULL: there is none. */
static const char *value_end(const char *p, const char *end)
{
	const char *from = p;
	unsigned depth = 0;

	do {
		if (p >= end)
			return NULL;
		if (*p == '"') {
			p = string_end(p, end);
			if (!p)
				return NULL;
			continue;
		}
		depth += *p == '{' || *p == '[';
		if (*p == '}' || *p == ']') {
			if (!depth)
				break;
			depth--;
			p++;
			continue;
		}
		if (!depth && (*p == ',' || *p == ':' || *p == ' ' || *p == '\n'))
			break;
		p++;
	} while (depth || (p < end && from[0] != '{' && from[0] != '[' && from[0] != '"'));
	return p > from ? p : NULL;
}

/*
 * The values of an object (keys: their keys, with quotes) or an array. -ENOTSUP: it is none, or
 * not well-formed.
 */
static int split(struct span v, char open, struct seq *keys, struct seq *values)
{
	const char *p, *end = v.at + v.n - 1, *next;
	int r = 0;

	if (v.n < 2 || *v.at != open || *end != open + 2)
		return -ENOTSUP;
	p = blanks(v.at + 1, end);
	while (r == 0 && p < end) {
		if (keys) {
			next = *p == '"' ? string_end(p, end) : NULL;
			if (!next)
				return -ENOTSUP;
			r = seq_add(keys, p, (size_t)(next - p));
			p = blanks(next, end);
			if (p == end || *p != ':')
				return -ENOTSUP;
			p = blanks(p + 1, end);
		}
		next = value_end(p, end);
		if (!next)
			return -ENOTSUP;
		if (r == 0)
			r = seq_add(values, p, (size_t)(next - p));
		p = blanks(next, end);
		if (p < end && *p++ != ',')
			return -ENOTSUP;
		p = blanks(p, end);
	}
	return r;
}

struct members {
	struct seq keys, values;
};

static void members_finish(struct members *m)
{
	seq_finish(&m->keys);
	seq_finish(&m->values);
}

static struct span get(const struct members *m, struct span key)
{
	for (size_t i = 0; i < m->keys.n; i++)
		if (span_same(m->keys.at[i], key))
			return m->values.at[i];
	return none;
}

static void tell(struct json_join *j)
{
	if (j->n_told++ >= TOLD_MAX)
		return;
	if (j->told.size)
		buffer_text(&j->told, ", ");
	if (j->path.size)
		buffer_append(&j->told, j->path.data, j->path.size);
	else
		buffer_text(&j->told, "all of it");
}

static int join_value(
	struct json_join *j, struct span b, struct span o, struct span t, struct buffer *out);

/* One key of an object. */
static int join_member(struct json_join *j, struct span key, struct span b, struct span o,
	struct span t, struct buffer *out, bool *any)
{
	size_t n = j->path.size;
	int r;

	/* What only theirs removed goes, and what only ours removed does not come back. */
	if ((!t.at && b.at && o.at && span_same(o, b)) || (!o.at && b.at && span_same(t, b)))
		return 0;
	if (n)
		buffer_byte(&j->path, '.');
	buffer_append(&j->path, key.at + 1, key.n - 2);
	if (o.at || !b.at) {
		buffer_text(out, *any ? ", " : "");
		*any = true;
		buffer_append(out, key.at, key.n);
		buffer_text(out, ": ");
		r = join_value(j, b, o, t, out);
	} else {
		tell(j);
		r = 0;
	}
	j->path.size = n;
	return r;
}

static int join_objects(struct json_join *j, const struct members *b, const struct members *o,
	const struct members *t, struct buffer *out)
{
	bool any = false;
	int r = 0;

	buffer_byte(out, '{');
	for (size_t i = 0; r == 0 && i < o->keys.n; i++) {
		struct span key = o->keys.at[i];

		r = join_member(j, key, get(b, key), o->values.at[i], get(t, key), out, &any);
	}
	for (size_t i = 0; r == 0 && i < t->keys.n; i++) {
		struct span key = t->keys.at[i];

		if (!get(o, key).at)
			r = join_member(j, key, get(b, key), none, t->values.at[i], out, &any);
	}
	buffer_byte(out, '}');
	return r;
}

static int inner(void *arg, struct span b, struct span o, struct span t, struct buffer *out)
{
	struct json_join *j = arg;
	size_t told = j->n_told;
	int r = join_value(j, b, o, t, out);

	return r < 0 ? r : j->n_told > told;
}

static bool keep_both(void *arg, const struct span *o, size_t n_o, const struct span *t, size_t n_t)
{
	(void)arg, (void)o, (void)n_o, (void)t, (void)n_t;
	return true;
}

/* Of objects; numbers in a list are one value. */
static bool is_list(const struct seq *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].at[0] != '{')
			return false;
	return true;
}

static int join_lists(struct json_join *j, const struct seq *b, const struct seq *o,
	const struct seq *t, struct buffer *out)
{
	/* The outermost list holds things of their own; one below a key may be a course. */
	struct seq_join how = {
		.inner = inner, .between = ", ", .arg = j, .both = j->path.size ? NULL : keep_both};
	size_t told = j->n_told;
	int r;

	buffer_byte(out, '[');
	r = seq_merge(b, o, t, &how, out);
	buffer_byte(out, ']');
	if (r == 0 && how.clashes && j->n_told == told)
		tell(j);
	return r;
}

/* 1: they are no three objects. */
static int try_objects(
	struct json_join *j, struct span b, struct span o, struct span t, struct buffer *out)
{
	__attribute__((cleanup(members_finish))) struct members x = {0}, y = {0}, z = {0};
	int r = b.at ? split(b, '{', &x.keys, &x.values) : 0;

	if (r == 0)
		r = split(o, '{', &y.keys, &y.values);
	if (r == 0)
		r = split(t, '{', &z.keys, &z.values);
	return r == -ENOTSUP ? 1 : r < 0 ? r : join_objects(j, &x, &y, &z, out);
}

static int try_lists(
	struct json_join *j, struct span b, struct span o, struct span t, struct buffer *out)
{
	CLEANUP_SEQ struct seq x = {0}, y = {0}, z = {0};
	int r = b.at ? split(b, '[', NULL, &x) : 0;

	if (r == 0)
		r = split(o, '[', NULL, &y);
	if (r == 0)
		r = split(t, '[', NULL, &z);
	if (r < 0)
		return r == -ENOTSUP ? 1 : r;
	return is_list(&x) && is_list(&y) && is_list(&z) ? join_lists(j, &x, &y, &z, out) : 1;
}

static int join_value(
	struct json_join *j, struct span b, struct span o, struct span t, struct buffer *out)
{
	int r = 1;

	if (o.at && t.at && !span_same(o, t) && !(b.at && (span_same(o, b) || span_same(t, b))) &&
		j->depth < DEPTH_MAX) {
		j->depth++;
		r = try_objects(j, b, o, t, out);
		if (r > 0)
			r = try_lists(j, b, o, t, out);
		j->depth--;
	}
	if (r <= 0)
		return r;
	if (!o.at || (t.at && b.at && span_same(o, b)))
		o = t;
	else if (!(t.at && span_same(o, t)) && !(b.at && t.at && span_same(t, b)) &&
		 !(!t.at && !b.at))
		tell(j);
	buffer_append(out, o.at, o.n);
	return 0;
}

static struct span all_of(const struct bytes *b)
{
	struct span s = none;

	if (b) {
		const char *end = (const char *)b->data + b->size;

		s.at = blanks((const char *)b->data, end);
		s.n = (size_t)(end - s.at);
		while (s.n && strchr(" \n\r\t", s.at[s.n - 1]))
			s.n--;
	}
	return s;
}

static bool is_json(struct span s)
{
	return s.n >= 2 && (s.at[0] == '{' || s.at[0] == '[') && s.at[s.n - 1] == s.at[0] + 2 &&
	       value_end(s.at, s.at + s.n) == s.at + s.n;
}

int join_json(const struct bytes *b, const struct bytes *o, const struct bytes *t,
	struct bytes **ret, char **clash)
{
	struct span x = all_of(b), y = all_of(o), z = all_of(t);
	struct json_join j = {0};
	int r = -ENOTSUP;

	*clash = NULL;
	if ((!b || is_json(x)) && is_json(y) && is_json(z))
		r = join_value(&j, x, y, z, &j.out);
	if (r == 0 && j.n_told > TOLD_MAX)
		buffer_printf(&j.told, " and %zu more", j.n_told - TOLD_MAX);
	buffer_byte(&j.told, '\0');
	buffer_byte(&j.out, '\n');
	if (r == 0)
		r = j.told.error ? j.told.error : j.path.error;
	if (r == 0 && j.n_told && !(*clash = strdup((char *)j.told.data)))
		r = -ENOMEM;
	if (r == 0)
		r = buffer_finish(&j.out, ret);
	buffer_finish_free(&j.out);
	buffer_finish_free(&j.path);
	buffer_finish_free(&j.told);
	return r;
}
