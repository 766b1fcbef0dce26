/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/change.h"

#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/tree/lost.h"

enum { PIECE = 1 << 20, DEPTH_MAX = 1000 };

ssize_t change_from_file(void *arg, void *dst, size_t n)
{
	struct change_file *from = arg;
	ssize_t got;

	do
		got = read(from->fd, dst, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? from->failed = -errno : got;
}

static int fill_spool(struct spool *s, change_source source, void *arg, struct error *e)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	ssize_t n = 0;
	int r = piece ? 0 : error_set(e, -ENOMEM, "out of memory");

	while (r == 0 && (n = source(arg, piece, PIECE)) > 0) {
		r = spool_append(s, piece, (size_t)n, e);
		if (r == 0 && spool_size(s) > FORMAT_SIZE_MAX)
			r = error_set(e, -EFBIG, "%s", strerror(EFBIG));
	}
	return r < 0 ? r : n < 0 ? error_set(e, (int)n, "%s", strerror((int)-n)) : 0;
}

int change_put(struct offline *t, const char *path, change_source source, void *arg,
	const struct timespec *mtime, struct error *e)
{
	struct store *store = t->vol->context.store;
	CLEANUP(spool_destroy) struct spool *s = spool_create(store->spool_dirfd);
	struct extent x, kept;
	int r = s ? fill_spool(s, source, arg, e) : error_set(e, -ENOMEM, "out of memory");

	if (r == 0)
		r = spool_extent(s, &x, e);
	if (r < 0)
		return r;
	r = store->keep(store, &x, &kept, e);
	extent_finish(&x);
	if (r < 0)
		return r;
	r = overlay_put_content(t->overlay, path, kept, mtime);
	if (r == 0 || change_refuses_name(t, path, e))
		return r;
	return error_set(e, r, "%s", strerror(-r));
}

bool change_refuses_name(const struct offline *t, const char *path, struct error *e)
{
	const struct format *f = t->vol->format;
	struct dentry at = overlay_root(t->overlay);
	char name[NAME_MAX + 1];
	struct name_class m;

	while (path_next(&path, name) > 0) {
		struct dentry next;

		if (overlay_lookup(t->overlay, &at, name, &next) < 0)
			return f->tree && at.is_dir && at.id != ENTRY_NONE &&
			       f->tree->classify(t->overlay->shape, at.id, name, *path, ENTRY_ROOT,
				       &m, e) < 0;
		at = next;
	}
	return false;
}

static int remove_below(struct offline *t, const char *path, unsigned depth)
{
	CLEANUP_NAMES struct names names = {0};
	struct offline_file a;
	int r = depth < DEPTH_MAX ? offline_find(t, path, &a) : -ELOOP;

	if (r < 0)
		return r;
	if (a.dentry.is_dir) {
		/* In listing order, so that mandatory entries are removed last. */
		r = offline_names(t, &a, false, &names);
		for (size_t i = 0; r == 0 && i < names.n; i++) {
			CLEANUP(free) char *below = path_join(path, names.items[i]);

			r = below ? remove_below(t, below, depth + 1) : -ENOMEM;
			if (r == -EPERM || r == -EACCES || r == -EROFS || r == -ENOTEMPTY)
				r = 0;
		}
	}
	return r < 0 ? r : overlay_remove(t->overlay, path, a.dentry.is_dir);
}

int change_remove_tree(struct offline *t, const char *path)
{
	return remove_below(t, path, 0);
}

enum change_class change_classify(const struct offline *t, const struct dentry *s)
{
	const struct oentry *u = s->oentry;

	if (!u || !u->is_scratch)
		return CHANGE_OF_MAP;
	if (is_by_product(t->overlay, u))
		return CHANGE_DERIVED;
	return lost_is_harmless(t->overlay, u) ? CHANGE_EXPLAINED : CHANGE_SCRATCH;
}
