/* SPDX-License-Identifier: Zlib */
#include "cli/offline/walk.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* Without the slashes and the "." that mean nothing. */
static char *path_plain(const char *path)
{
	char *plain = malloc(strlen(path) + 1), *to = plain;

	while (plain && *(path += strspn(path, "/"))) {
		size_t n = strcspn(path, "/");

		if (n != 1 || path[0] != '.') {
			if (to != plain)
				*to++ = '/';
			memcpy(to, path, n);
			to += n;
		}
		path += n;
	}
	if (plain)
		*to = '\0';
	return plain;
}

struct level {
	struct seen seen;
	struct names names;
	size_t next;
	size_t path; /* the length of its path */
};

struct walk {
	struct offline *t;
	walk_visit visit, leave;
	void *arg;
	struct buffer path; /* ended by a NUL that does not count */
	struct level *levels;
	size_t n, room;
};

/* The first n bytes of it, and a name. */
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

static int enter(struct walk *w, const struct seen *a)
{
	int r = w->path.error ? w->path.error : w->visit(w->arg, (char *)w->path.data, a);
	struct level *l;

	if (r == 0 && S_ISDIR(a->mode)) {
		if (array_room(w->levels, w->n, w->room)) {
			l = &w->levels[w->n];
			*l = (struct level){.seen = *a, .path = w->path.size};
			r = offline_names(w->t, a, true, &l->names);
			w->n += r == 0;
			if (r == 0)
				return 0;
		} else {
			r = -ENOMEM;
		}
	}
	return r < 0 ? r : 0;
}

static void leave(struct walk *w)
{
	struct level *l = &w->levels[--w->n];

	names_finish(&l->names);
}

static int step(struct walk *w)
{
	struct level *l = &w->levels[w->n - 1];
	struct seen a;
	int r = 0;

	if (l->next == l->names.n) {
		set_path(&w->path, l->path, "");
		if (w->leave)
			r = w->path.error ? w->path.error
					  : w->leave(w->arg, (char *)w->path.data, &l->seen);
		leave(w);
		return r;
	}
	set_path(&w->path, l->path, l->names.at[l->next]);
	r = offline_lookup(w->t, &l->seen, l->names.at[l->next++], &a);
	return r < 0 ? r : enter(w, &a);
}

int offline_walk(struct offline *t, const char *path, walk_visit visit, walk_visit left, void *arg)
{
	struct walk w = {.t = t, .visit = visit, .leave = left, .arg = arg};
	CLEANUP(free) char *plain = path_plain(path);
	struct seen a;
	int r = plain ? offline_find(t, path, &a) : -ENOMEM;

	set_path(&w.path, 0, plain ? plain : "");
	if (r == 0)
		r = enter(&w, &a);
	while (r == 0 && w.n)
		r = step(&w);
	while (w.n)
		leave(&w);
	free(w.levels);
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
	struct match *m, const struct seen *dir, const char *so_far, const char *pattern);

static int match_name(struct match *m, const struct seen *dir, const char *so_far, const char *name,
	const char *rest)
{
	CLEANUP(free) char *path = NULL;
	struct seen a;
	int r = offline_lookup(m->t, dir, name, &a);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (asprintf(&path, "%s%s%s", so_far, so_far[0] ? "/" : "", name) < 0)
		r = -ENOMEM;
	else if (rest[strspn(rest, "/")])
		r = S_ISDIR(a.mode) ? match_below(m, &a, path, rest) : 0;
	else if (!rest[0] || S_ISDIR(a.mode)) {
		m->found++;
		r = m->visit(m->arg, path, &a);
	}
	return r < 0 ? r : 0;
}

/* As deep as the pattern has slashes. */
static int match_below(
	struct match *m, const struct seen *dir, const char *so_far, const char *pattern)
{
	CLEANUP(free) char *first = NULL;
	struct names names;
	size_t n;
	int r;

	pattern += strspn(pattern, "/");
	n = strcspn(pattern, "/");
	first = strndup(pattern, n);
	if (!first)
		return -ENOMEM;
	if (!strpbrk(first, "*?[\\"))
		return match_name(m, dir, so_far, first, pattern + n);
	r = offline_names(m->t, dir, true, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (fnmatch(first, names.at[i], FNM_PERIOD) == 0)
			r = match_name(m, dir, so_far, names.at[i], pattern + n);
	names_finish(&names);
	return r;
}

int offline_match(struct offline *t, const char *path, walk_visit visit, void *arg)
{
	struct match m = {t, visit, arg, 0};
	CLEANUP(free) char *plain = path_plain(path);
	struct seen a;
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
