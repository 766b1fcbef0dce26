/* SPDX-License-Identifier: Zlib */
#include "cli/merging/file.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "cli/joining/join.h"
#include "cli/merging/content.h"
#include "cli/merging/unset.h"
#include "codec/text/text.h"

int file_same(struct merge *m, const struct merged *x, enum which v, enum which w)
{
	struct item *a = x->at[v], *b = x->at[w];
	int r;

	if (!a || !b)
		return !a && !b;
	r = content_know(m, v, a);
	if (r == 0)
		r = content_know(m, w, b);
	return r < 0 ? r : digest_same(&a->digest, &b->digest) && strcmp(a->ending, b->ending) == 0;
}

enum { JOIN_MAX = 16 << 20 }; /* bytes of a text whose three versions are in memory */

/* What the three say. */
struct three {
	struct bytes *of[SIDES];
};

static void three_finish(struct three *c)
{
	for (int w = 0; w < SIDES; w++)
		bytes_unref(c->of[w]);
}

/* Images have a bound of their own. */
static bool is_too_large(struct merge *m, const struct merged *x)
{
	bool large = false;

	for (int w = 0; w < SIDES && strcmp(x->at[OURS]->ending, ".png") != 0; w++) {
		struct offline *t = &m->sides[w].tree;
		struct seen a;

		if (!x->at[w] || offline_find(t, x->at[w]->path, &a) < 0)
			continue;
		large |= a.size > JOIN_MAX;
	}
	return large;
}

static int three_read(
	struct merge *m, const struct merged *x, struct three *c, enum which *ret_failed)
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++) {
		*ret_failed = (enum which)w;
		r = x->at[w] ? content_read(m, (enum which)w, x->at[w], &c->of[w]) : 0;
	}
	return r;
}

/* What says nothing is as in ours, or as it was. */
static int three_settle(const struct merge *m, struct three *c)
{
	int r = unset_as(m->how, &c->of[THEIRS], c->of[BASE]);

	if (r == 0)
		r = unset_as(m->how, &c->of[THEIRS], c->of[OURS]);
	return r == 0 ? unset_as(m->how, &c->of[BASE], c->of[OURS]) : r;
}

/* What can be read of theirs is not lost. */
static int tell_unreadable(struct merge *m, struct merged *x, enum which failed, int r)
{
	static const char *const names[] = {"the base", "ours", "theirs"};
	CLEANUP(bytes_unref) struct bytes *theirs = NULL;
	CLEANUP(free) char *why = strdup(offline_reason(&m->sides[failed].tree, r));
	bool left = failed != THEIRS && content_read(m, THEIRS, x->at[THEIRS], &theirs) == 0;

	return why ? conflict_add(m, x, left, "changed by both, and %s cannot be read: %s",
			     names[failed], why)
		   : -ENOMEM;
}

static bool fits(const char *const *patterns, const char *path)
{
	for (; patterns && *patterns; patterns++)
		if (fnmatch(*patterns, path, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

static bool is_text(const struct bytes *b)
{
	return !b || (!memchr(b->data, '\0', b->size) && utf8_valid(b->data, b->size));
}

/* -ENOTSUP: it is nothing whose parts can be told apart. */
static int join(const struct merge *m, const struct item *i, const struct three *c,
	struct bytes **ret, char **clash)
{
	int r = -ENOTSUP;

	/* Where a map has images they are shown in one form. */
	if (m->numbered && strcmp(i->ending, ".png") == 0)
		r = join_image(c->of[BASE], c->of[OURS], c->of[THEIRS], ret, clash);
	if (r == -ENOTSUP && content_is_json(m, i))
		r = join_json(c->of[BASE], c->of[OURS], c->of[THEIRS], ret, clash);
	if (r == -ENOTSUP && fits(m->how->rows, i->path))
		r = join_rows(
			c->of[BASE], c->of[OURS], c->of[THEIRS], m->how->row_keys, ret, clash);
	if (r == -ENOTSUP && is_text(c->of[BASE]) && is_text(c->of[OURS]) && is_text(c->of[THEIRS]))
		r = join_lines(c->of[BASE], c->of[OURS], c->of[THEIRS],
			fits(m->how->lists, i->path), ret, clash);
	return r;
}

static int decide_both(struct merge *m, struct merged *x)
{
	__attribute__((cleanup(three_finish))) struct three c = {{NULL}};
	CLEANUP(free) char *clash = NULL;
	struct bytes *made = NULL;
	enum which failed;
	int r;

	if (merged_doubtful(x))
		return conflict_add(m, x, true, "changed by both, and which is which is in doubt");
	if (strcmp(x->at[OURS]->ending, x->at[THEIRS]->ending) != 0)
		return conflict_add(m, x, true, "changed by both, in another form");
	if (is_too_large(m, x))
		return conflict_add(m, x, true, "changed by both, and too large to be joined");
	r = three_read(m, x, &c, &failed);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return tell_unreadable(m, x, failed, r);
	if (content_is_json(m, x->at[OURS]))
		r = three_settle(m, &c);
	if (r == 0)
		r = join(m, x->at[OURS], &c, &made, &clash);
	x->made = made;
	x->content = extent_of_bytes(made);
	if (r == -ENOTSUP)
		return conflict_add(m, x, true, "changed by both");
	if (r == 0 && clash)
		r = conflict_add(m, x, true, "changed by both: %s", clash);
	return r;
}

int file_decide(struct merge *m, struct merged *x)
{
	int r = 0;

	x->ending = x->at[OURS]->ending;
	if (x->decided)
		return 0;
	if (x->at[BASE])
		r = file_same(m, x, BASE, THEIRS);
	if (r == 0)
		r = file_same(m, x, OURS, THEIRS);
	if (r)
		return r < 0 ? r : 0;
	if (merged_contested(x))
		return conflict_add(m, x, true, "in doubt as what it is in");
	r = x->at[BASE] ? file_same(m, x, BASE, OURS) : 0;
	if (r == 1) {
		x->take = true;
		x->ending = x->at[THEIRS]->ending;
	}
	return r == 0 ? decide_both(m, x) : r < 0 ? r : 0;
}
