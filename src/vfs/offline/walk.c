/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/walk.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/name.h"

/* Return the path without redundant slashes and "." components. */
static char *path_plain(const char *path)
{
	char *plain = malloc(strlen(path) + 1), *to = plain, name[NAME_MAX + 1];

	if (plain)
		*plain = '\0';
	while (plain && path_next(&path, name) > 0) {
		if (to != plain)
			*to++ = '/';
		to = stpcpy(to, name);
	}
	return plain;
}

enum { DEPTH_MAX = 4096 };

struct walk {
	struct offline *t;
	walk_visit visit, leave;
	void *arg;
	struct buffer path; /* with a NUL behind it that is not counted */
};

/* Cut the path to n bytes, and append a name. */
static void set_path(struct buffer *path, size_t n, const char *name)
{
	path->size = n;
	if (n && name[0])
		buffer_byte(path, '/');
	buffer_text(path, name);
	buffer_byte(path, '\0');
	if (!path->error)
		path->size--;
}

static int call_visitor(struct walk *w, walk_visit fn, const struct offline_file *a)
{
	return w->path.error ? w->path.error : fn(w->arg, (char *)w->path.data, a);
}

static int walk_entry(struct walk *w, const struct offline_file *a, unsigned depth)
{
	CLEANUP_NAMES struct names names = {0};
	size_t n = w->path.size;
	int r = call_visitor(w, w->visit, a);

	if (r || !S_ISDIR(a->mode))
		return r < 0 ? r : 0;
	r = depth < DEPTH_MAX ? offline_names(w->t, a, true, &names) : -ELOOP;
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct offline_file b;

		set_path(&w->path, n, names.items[i]);
		r = offline_lookup(w->t, a, names.items[i], &b);
		if (r == 0)
			r = walk_entry(w, &b, depth + 1);
	}
	set_path(&w->path, n, "");
	return r == 0 && w->leave ? call_visitor(w, w->leave, a) : r;
}

int offline_walk(struct offline *t, const char *path, walk_visit visit, walk_visit left, void *arg)
{
	struct walk w = {.t = t, .visit = visit, .leave = left, .arg = arg};
	CLEANUP(free) char *plain = path_plain(path);
	struct offline_file a;
	int r = plain ? offline_find(t, path, &a) : -ENOMEM;

	set_path(&w.path, 0, plain ? plain : "");
	if (r == 0)
		r = walk_entry(&w, &a, 0);
	buffer_finish_free(&w.path);
	return r;
}

struct match {
	struct offline *t;
	walk_visit visit;
	void *arg;
	size_t found;
};

static int match_below(
	struct match *m, const struct offline_file *at, const char *so_far, const char *pattern);

static int match_name(struct match *m, const struct offline_file *dir, const char *so_far,
	const char *name, const char *rest)
{
	CLEANUP(free) char *path = path_join(so_far, name);
	struct offline_file a;
	int r = path ? offline_lookup(m->t, dir, name, &a) : -ENOMEM;

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return *rest && !S_ISDIR(a.mode) ? 0 : match_below(m, &a, path, rest);
}

/* Match the rest of a pattern below `at`. Recurses once for each name in it. */
static int match_below(
	struct match *m, const struct offline_file *at, const char *so_far, const char *pattern)
{
	CLEANUP_NAMES struct names names = {0};
	char first[NAME_MAX + 1];
	int r = path_next(&pattern, first);

	if (r == 0) {
		m->found++;
		r = m->visit(m->arg, so_far, at);
		return r < 0 ? r : 0;
	}
	if (r > 0 && !strpbrk(first, "*?[\\"))
		return match_name(m, at, so_far, first, pattern);
	if (r > 0)
		r = offline_names(m->t, at, true, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (fnmatch(first, names.items[i], FNM_PERIOD) == 0)
			r = match_name(m, at, so_far, names.items[i], pattern);
	return r;
}

int offline_match(struct offline *t, const char *path, walk_visit visit, void *arg)
{
	struct match m = {t, visit, arg, 0};
	CLEANUP(free) char *plain = path_plain(path);
	struct offline_file a;
	int r = plain ? offline_find(t, path, &a) : -ENOMEM;

	if (r == 0) {
		r = visit(arg, plain, &a);
		return r < 0 ? r : 0;
	}
	if ((r != -ENOENT && r != -ENOTDIR) || !strpbrk(path, "*?[\\"))
		return r;
	r = offline_find(t, "", &a);
	if (r == 0)
		r = match_below(&m, &a, "", path);
	return r < 0 ? r : m.found ? 0 : -ENOENT;
}
