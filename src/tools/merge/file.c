/* SPDX-License-Identifier: Zlib */
#include "tools/merge/file.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "codec/text/text.h"
#include "tools/join/join.h"
#include "tools/merge/content.h"

int file_same(struct merge *m, const struct merge_node *x, enum which v, enum which w)
{
	struct merge_item *a = x->items[v], *b = x->items[w];
	int r;

	if (!a || !b)
		return !a && !b;
	r = content_scan(m, a);
	if (r == 0)
		r = content_scan(m, b);
	return r < 0 ? r : digest_same(&a->digest, &b->digest) && strcmp(a->ending, b->ending) == 0;
}

int file_changed_side(struct merge *m, const struct merge_node *x)
{
	int r = file_same(m, x, BASE, THEIRS);

	if (r == 0)
		r = file_same(m, x, OURS, THEIRS);
	if (r)
		return r < 0 ? r : OURS;
	r = file_same(m, x, BASE, OURS);
	return r < 0 ? r : r ? THEIRS : SIDES;
}

enum { JOIN_MAX = 16 << 20 }; /* bytes of a text whose three versions are in memory */

static int read_all(
	struct merge *m, const struct merge_node *x, struct join *j, enum which *ret_failed)
{
	/* Images have a bound of their own. */
	size_t most = strcmp(x->items[OURS]->ending, ".png") == 0 ? CONTENT_MAX : JOIN_MAX;
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++) {
		*ret_failed = (enum which)w;
		r = x->items[w] ? content_read(m, x->items[w], most, &j->sides[w]) : 0;
	}
	return r;
}

static void join_finish(struct join *j)
{
	for (int w = 0; w < SIDES; w++)
		bytes_unref(j->sides[w]);
	buffer_finish_free(&j->out);
	buffer_finish_free(&j->clashes);
}

/* Add a conflict, with a copy of theirs if it can be read. */
static int report_unreadable(struct merge *m, struct merge_node *x, enum which failed, int r)
{
	static const char *const names[] = {"the base", "ours", "theirs"};
	CLEANUP(bytes_unref) struct bytes *theirs = NULL;
	CLEANUP(free) char *why = strdup(offline_reason(&m->sides[failed].tree, r));
	bool left =
		failed != THEIRS && content_read(m, x->items[THEIRS], CONTENT_MAX, &theirs) == 0;

	return why ? conflict_add(m, x, left, "changed by both, and cannot read %s: %s",
			     names[failed], why)
		   : -ENOMEM;
}

bool file_matches(const char *const *patterns, const char *path)
{
	for (; patterns && *patterns; patterns++)
		if (fnmatch(*patterns, path, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

static bool is_text(const struct join *j)
{
	for (int w = 0; w < SIDES; w++) {
		const struct bytes *b = j->sides[w];

		if (b && (memchr(b->data, '\0', b->size) || !utf8_valid(b->data, b->size)))
			return false;
	}
	return true;
}

/* Join by the kind of file. -ENOTSUP: the content has no parts that can be merged. */
static int join_file(const struct merge *m, const struct merge_item *i, struct join *j)
{
	int r = -ENOTSUP;

	/* Formats with numbered objects show images in one PNG form. */
	if (m->numbered && strcmp(i->ending, ".png") == 0)
		return join_image(j);
	if (content_is_json(i))
		r = join_json(j);
	if (r == -ENOTSUP && file_matches(m->schema->tables, i->path))
		r = join_rows(j, m->schema->row_keys);
	return r == -ENOTSUP && is_text(j) ? join_lines(j, file_matches(m->schema->lists, i->path))
					   : r;
}

/* Keep the header of ours, and print a note about the fields that theirs has otherwise. */
static int keep_header(struct merge *m, struct merge_node *x, struct join *j)
{
	int r = join_list_json_differences(j);

	if (r == -ENOTSUP)
		return conflict_add(m, x, true, "changed by both");
	if (r == 0 && j->clashes.size)
		offline_print(&m->sides[OURS].tree, "note: %s: kept ours; theirs differs in %.*s",
			x->items[OURS]->path, (int)j->clashes.size, (char *)j->clashes.data);
	return r < 0 ? r : j->clashes.error;
}

static int decide_both(struct merge *m, struct merge_node *x)
{
	__attribute__((cleanup(join_finish))) struct join j = {.sides = {NULL}};
	struct bytes *made = NULL;
	enum which failed;
	int r;

	if (merged_is_ambiguous(x))
		return conflict_add(m, x, true, "changed by both, but the match is ambiguous");
	if (strcmp(x->items[OURS]->ending, x->items[THEIRS]->ending) != 0)
		return conflict_add(m, x, true, "changed by both, in different forms");
	r = read_all(m, x, &j, &failed);
	if (r == -EFBIG)
		return conflict_add(m, x, true, "changed by both, but too large to merge");
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return report_unreadable(m, x, failed, r);
	if (file_matches(m->schema->headers, x->items[OURS]->path))
		return keep_header(m, x, &j);
	r = join_file(m, x->items[OURS], &j);
	if (r == -ENOTSUP)
		return conflict_add(m, x, true, "changed by both");
	if (r == 0)
		r = j.clashes.error ? j.clashes.error : buffer_finish(&j.out, &made);
	x->has_content = made;
	x->content = extent_of_bytes(made);
	return r < 0 || !j.clashes.size ? r
					: conflict_add(m, x, true, "changed by both: %.*s",
						  (int)j.clashes.size, (char *)j.clashes.data);
}

int file_decide(struct merge *m, struct merge_node *x)
{
	int r = x->is_decided ? OURS : file_changed_side(m, x);
	if (r < 0 || r == OURS)
		return r < 0 ? r : 0;
	if (merged_is_changed_by_both(x))
		return conflict_add(m, x, true, "in an object whose match is ambiguous");
	if (r == SIDES)
		return decide_both(m, x);
	x->takes_theirs = true;
	return 0;
}
