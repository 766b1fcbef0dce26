/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "tools/merge/content.h"
#include "tools/merge/steps.h"
#include "vfs/offline/change.h"

static struct offline *ours_tree(struct merge *m)
{
	return &m->sides[OURS].tree;
}

static int report_failure(struct merge *m, const char *path, int r)
{
	offline_print(ours_tree(m), "%s: %s", path ? path : "", strerror(-r));
	return r;
}

/* Get the modification time of theirs, if the format stores times. */
static bool time_of(struct merge *m, const struct merge_node *x, struct timespec *ret)
{
	struct offline *t = &m->sides[THEIRS].tree;
	struct offline_file a;

	if (!t->vol->format->kept_time || x->has_content ||
		offline_find(t, x->items[THEIRS]->path, &a) < 0)
		return false;
	*ret = a.mtime;
	return true;
}

/* Write the joined content, or the content of theirs, into ours. */
static int put_file(struct merge *m, struct merge_node *x)
{
	CLEANUP(free) char *path = merged_path(x, false, NULL);
	struct reader from = {0};
	struct error e = ERROR_INIT;
	struct timespec mtime;
	bool timed = time_of(m, x, &mtime);
	struct dentry at;
	int unread = path ? content_open_merged(m, x, &from) : -ENOMEM, r = unread;

	if (r == 0) {
		r = change_put(ours_tree(m), path, reader_read, &from, timed ? &mtime : NULL, &e);
		unread = from.error;
	}
	reader_close(&from);
	if (unread && unread != -ENOMEM) {
		merged_drop_content(x);
		return conflict_add(m, x, false, "cannot read theirs: %s",
			offline_reason(&m->sides[THEIRS].tree, unread));
	}
	if (unread || r == -ENOMEM || r == -EIO || io_is_full(r))
		return report_failure(m, path, unread ? unread : r);
	if (r < 0) {
		merged_drop_content(x);
		return conflict_add(m, x, true, "theirs is refused: %s", error_text(&e));
	}
	r = overlay_find(ours_tree(m)->overlay, path, &at);
	x->oentry = r < 0 ? NULL : at.oentry;
	return r < 0 ? report_failure(m, path, r) : 0;
}

static int make_dir(struct merge *m, const struct merge_node *x)
{
	CLEANUP(free) char *path = merged_path(x, false, NULL);
	int r = path ? overlay_mkdirs(ours_tree(m)->overlay, path) : -ENOMEM;

	return r < 0 ? report_failure(m, path, r) : 0;
}

static int move_object(struct merge *m, struct merge_node *x)
{
	const struct merge_item *o = x->items[OURS];
	CLEANUP(free) char *was = merged_path(o->parent->node, false, NULL), *from = NULL;
	CLEANUP(free) char *to = merged_path(x, false, o);
	/* The new parent directory may not exist yet. */
	int r = o->parent->node != x->parent ? make_dir(m, x->parent) : 0;

	if (r < 0)
		return r;
	from = was ? path_join(was, o->name) : NULL;
	r = from && to ? overlay_rename(ours_tree(m)->overlay, from, to) : -ENOMEM;
	return r < 0 ? report_failure(m, from, r) : 0;
}

static int remove_node(struct merge *m, const struct merge_node *x)
{
	CLEANUP(free) char *path = merged_path(x, false, NULL);
	int r = -ENOMEM;

	if (path)
		r = merged_item(x)->is_dir && merged_item(x)->is_object
			    ? change_remove_tree(ours_tree(m), path)
			    : overlay_remove(ours_tree(m)->overlay, path, merged_item(x)->is_dir);
	/* Mandatory entries cannot be removed. */
	if (r == -EPERM || r == -EACCES || r == -ENOTEMPTY || r == -ENOENT)
		return 0;
	return r < 0 ? report_failure(m, path, r) : 0;
}

/* Apply the decisions for a directory. Files may move between objects, so move and create all
 * objects first, and remove objects last. */
static int apply_below(struct merge *m, struct merge_node *dir)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < dir->n_order; i++) {
		struct merge_node *x = dir->order[i];

		if (x->items[OURS])
			r = x->is_moved ? move_object(m, x) : 0;
		else if (merged_item(x)->is_dir)
			r = make_dir(m, x);
	}
	for (size_t i = 0; r == 0 && i < dir->n; i++) {
		struct merge_node *x = dir->children[i];

		if (!merged_item(x)->is_dir) {
			if (x->is_kept && (x->has_content || merged_source(x) == THEIRS))
				r = put_file(m, x);
			continue;
		}
		if (x->is_kept && !x->items[OURS] && !merged_item(x)->is_object)
			r = make_dir(m, x);
		if (r == 0 && (x->is_kept || (x->items[OURS] && !merged_item(x)->is_object)))
			r = apply_below(m, x);
	}
	for (size_t i = 0; r == 0 && i < dir->n; i++)
		if (dir->children[i]->items[OURS] && !dir->children[i]->is_kept)
			r = remove_node(m, dir->children[i]);
	return r;
}

bool apply_refused(void *arg, const struct oentry *u, const char *why)
{
	struct merge *m = arg;
	size_t i = 0;

	while (i < m->n && m->nodes[i]->oentry != u)
		i++;
	if (i == m->n)
		return false;
	merged_drop_content(m->nodes[i]);
	return conflict_add(m, m->nodes[i], true, "theirs is refused: %s", why) == 0;
}

int apply_all(struct merge *m)
{
	return apply_below(m, m->root);
}
