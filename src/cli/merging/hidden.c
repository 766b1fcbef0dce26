/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/say.h"
#include "cli/merging/content.h"
#include "cli/merging/steps.h"
#include "cli/offline/walk.h"

/* One of the files; what, without the number that a map gave to it. */
struct secret {
	char *path, *what;
	enum which of;
	struct digest digest;
};

struct hiding {
	struct merge *m;
	const char *shown;
	enum which reading;
	struct secret *at;
	size_t n, room;
};

/* "raw/items/65533_some-uuid/00000" is "raw/items/some-uuid/00000". */
static char *without_numbers(const char *path)
{
	char *what = strdup(path), *to = what;

	for (const char *at = path; what && *at;) {
		size_t digits = strspn(at, "0123456789"), n;

		if (digits && at[digits] == '_')
			at += digits + 1;
		n = strcspn(at, "/");
		n += at[n] == '/';
		memcpy(to, at, n);
		to += n;
		at += n;
	}
	if (what)
		*to = '\0';
	return what;
}

static bool is_hidden(const struct format_merging *how, const char *path)
{
	for (const char *const *p = how->shown; p && *p; p++)
		if (fnmatch(*p, path, FNM_PATHNAME) == 0)
			return false;
	for (const char *const *p = how->hidden; p && *p; p++)
		if (fnmatch(*p, path, FNM_PATHNAME) == 0)
			return true;
	return false;
}

static int visit(void *arg, const char *path, const struct seen *a)
{
	struct hiding *h = arg;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct secret *s;
	int r;

	if (S_ISDIR(a->mode) || !is_hidden(h->m->how, path))
		return 0;
	if (!array_room(h->at, h->n, h->room))
		return -ENOMEM;
	s = &h->at[h->n++];
	*s = (struct secret){strdup(path), without_numbers(path), h->reading, {0}};
	if (!s->path || !s->what)
		return -ENOMEM;
	r = offline_read_all(&h->m->sides[h->reading].tree, a, CONTENT_MAX, &b);
	if (r == 0)
		s->digest = digest_of(b->data, b->size);
	return r == -ENOMEM ? r : 0;
}

static int by_what(const void *a, const void *b)
{
	return strcmp(((const struct secret *)a)->what, ((const struct secret *)b)->what);
}

static int read_side(struct hiding *h, enum which w)
{
	struct offline *t = &h->m->sides[w].tree;
	int r;

	h->reading = w;
	r = t->tree ? offline_walk(t, h->m->how->hidden_in, visit, NULL, h) : 0;
	return r == -ENOENT ? 0 : r;
}

static bool same(const struct secret *a, const struct secret *b)
{
	return a && b ? digest_same(&a->digest, &b->digest) : a == b;
}

static int judge(struct hiding *h, struct secret *const at[SIDES])
{
	const struct secret *b = at[BASE], *o = at[OURS], *t = at[THEIRS];
	const char *path = t ? t->path : b ? b->path : "";

	if (same(o, t) || same(b, t))
		return 0;
	if (!same(b, o))
		return conflict_add(h->m, NULL, false,
			"%s, which no other file shows, was changed by both; it is as in ours",
			path);
	say(stderr,
		"mapfs: %s: note: %s, which no other file shows, was %s by theirs; it is as in "
		"ours",
		h->shown, path, t ? b ? "changed" : "added" : "removed");
	return 0;
}

int hidden_decide(struct merge *m, const char *shown)
{
	struct hiding h = {.m = m, .shown = shown};
	int r = 0;

	for (int w = 0; r == 0 && m->how->hidden_in && w < SIDES; w++)
		r = read_side(&h, (enum which)w);
	if (r == 0 && h.n)
		qsort(h.at, h.n, sizeof(*h.at), by_what);
	for (size_t i = 0, next; r == 0 && i < h.n; i = next) {
		struct secret *at[SIDES] = {NULL};

		for (next = i; next < h.n && by_what(&h.at[i], &h.at[next]) == 0; next++)
			at[h.at[next].of] = &h.at[next];
		r = judge(&h, at);
	}
	for (size_t i = 0; i < h.n; i++) {
		free(h.at[i].path);
		free(h.at[i].what);
	}
	free(h.at);
	return r;
}
