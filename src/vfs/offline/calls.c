/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/calls.h"

#include <errno.h>
#include <string.h>

/* Fill in the attributes that a mount would show. */
static int stat_dentry(struct offline *t, const struct dentry *s, struct offline_file *ret)
{
	const struct volume *vol = t->vol;
	struct error e = ERROR_INIT;
	struct file_attr en;
	int r = overlay_stat(t->overlay, s, &en, NULL);

	if (r < 0)
		return r;
	*ret = (struct offline_file){.dentry = *s, .mtime = en.has_mtime ? en.mtime : vol->mtime};
	ret->mode = s->is_dir ? S_IFDIR | vol->dir_mode : S_IFREG | vol->file_mode;
	if (!s->is_dir && !en.is_writable)
		ret->mode &= ~(mode_t)0222;
	if (!s->is_dir && !en.has_size)
		(void)vol->format->size(vol->base, en.id, &en.size, &e);
	ret->size = s->is_dir ? 0 : en.size;
	return 0;
}

int offline_lookup(struct offline *t, const struct offline_file *dir, const char *name,
	struct offline_file *ret)
{
	struct dentry s;
	int r = overlay_lookup(t->overlay, &dir->dentry, name, &s);

	return r < 0 ? r : stat_dentry(t, &s, ret);
}

int offline_find(struct offline *t, const char *path, struct offline_file *ret)
{
	struct dentry s;
	int r = overlay_find(t->overlay, path, &s);

	return r < 0 ? r : stat_dentry(t, &s, ret);
}

static int add_name(void *arg, const char *name, const struct dentry *)
{
	return names_add(arg, name);
}

int offline_names(struct offline *t, const struct offline_file *dir, bool sorted, struct names *ret)
{
	int r;

	*ret = (struct names){0};
	r = overlay_list(t->overlay, &dir->dentry, add_name, ret);
	if (r < 0)
		names_finish(ret);
	else if (sorted)
		names_sort(ret);
	return r;
}

/* Bytes of [off, off + n) within the file; 0 if its size is unknown: the read then says why. */
static size_t clip_to_file(const struct offline_file *file, uint64_t off, size_t n)
{
	return off >= file->size ? 0 : n < file->size - off ? n : (size_t)(file->size - off);
}

void offline_set_read_error(struct offline *t, const struct error *why)
{
	t->shown_error = t->read_error = *why;
	error_context(&t->shown_error, "%s", strerror(EIO));
}

ssize_t offline_read_at(
	struct offline *t, const struct offline_file *file, uint64_t off, void *dst, size_t n)
{
	struct error why = ERROR_INIT;
	int r;

	n = clip_to_file(file, off, n);
	r = overlay_read(t->overlay, &file->dentry, off, dst, n, &why);
	offline_set_read_error(t, &why);
	return r < 0 ? r : (ssize_t)n;
}
