/* SPDX-License-Identifier: Zlib */
/* Pass each call to its map or level; and show error.txt in a map that cannot be opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/threads/clock.h"
#include "vfs/folder/level.h"
#include "vfs/folder/open.h"
#include "vfs/folder/status.h"
#include "vfs/save/status.h"

static const char ERROR_FILE[] = "error.txt";
/* An entry id that no format uses: formats need far fewer bits. */
#define ERROR_ID (((uint64_t)1 << ENTRY_ID_BITS) - 2)

enum { PLACE_ERROR = 3, RETRY_MS = 1000 };

static uint64_t error_ino(const struct map *m)
{
	return map_root(m) + ERROR_ID;
}

static struct bytes *error_bytes(const struct opened *o)
{
	CLEANUP(free) char *text = NULL;
	int n = asprintf(&text, "%s: %s\n", o->map->name, error_text(&o->why));

	return n < 0 ? NULL : bytes_copy(text, (size_t)n);
}

static int error_attr(struct folder *f, const struct opened *o, struct stat *ret)
{
	CLEANUP(bytes_unref) struct bytes *text = error_bytes(o);
	int r = text ? map_attr(f, o->map, ret) : -ENOMEM;

	if (r < 0)
		return r;
	ret->st_ino = error_ino(o->map);
	ret->st_mode = S_IFREG | (ret->st_mode & 0444);
	ret->st_nlink = 1;
	ret->st_size = (off_t)text->size;
	return 0;
}

static int error_list(struct folder *f, const struct opened *o, struct call *c)
{
	struct stat a = {.st_ino = map_root(o->map), .st_mode = S_IFDIR};

	if (c->off < 1 && !c->emit(c, ".", &a, 1))
		return 0;
	a.st_ino = o->map->in->ino;
	if (c->off < 2 && !c->emit(c, "..", &a, 2))
		return 0;
	if (c->off >= PLACE_ERROR || error_attr(f, o, &a) < 0)
		return 0;
	a.st_nlink = 0; /* no lookup count: the kernel looks it up if needed */
	(void)c->emit(c, ERROR_FILE, &a, PLACE_ERROR);
	return 0;
}

static int error_read(const struct opened *o, struct call *c)
{
	CLEANUP(bytes_unref) struct bytes *text = error_bytes(o);
	size_t n;

	if (!text)
		return -ENOMEM;
	n = c->off < text->size ? text->size - (size_t)c->off : 0;
	c->out_size = n < c->size ? n : c->size;
	c->out = malloc(c->out_size + 1);
	if (c->out && c->out_size)
		memcpy(c->out, text->data + c->off, c->out_size);
	return c->out ? 0 : -ENOMEM;
}

/* Find the results of a call for a map that cannot be opened, or its error.txt. 0 or -errno. */
static int answer_unopened(struct folder *f, const struct opened *o, struct call *c)
{
	bool file = c->ino == error_ino(o->map);

	c->is_brief = true;
	if (c->op == vfs_flush || c->op == vfs_release || c->op == vfs_fsync ||
		c->op == vfs_fsyncdir)
		return 0;
	if (!file && c->ino != map_root(o->map))
		return -ESTALE;
	if (c->op == vfs_lookup)
		return strcmp(c->name, ERROR_FILE) == 0 ? error_attr(f, o, &c->attr) : -ENOENT;
	if (c->op == vfs_getattr)
		return file ? error_attr(f, o, &c->attr) : map_attr(f, o->map, &c->attr);
	if (c->op == vfs_readdir)
		return file ? -ENOTDIR : error_list(f, o, c);
	if (c->op == vfs_read)
		return error_read(o, c);
	if (c->op == vfs_open && !vfs_changes(c))
		return file ? 0 : -EISDIR;
	if (c->op == vfs_getxattr || c->op == vfs_removexattr)
		return -ENODATA;
	return -EROFS;
}

/* Find the inode of a number, or create it again: the kernel may know it from before a reopen. */
static int recall_inode(struct vfs *v, uint64_t ino)
{
	struct inode *n;

	return inode_find(v, ino) ? 0 : inode_recall(v, ino, &n);
}

static void call_opened(struct folder *f, struct opened *o, struct call *c)
{
	struct error e = ERROR_INIT;
	int r = recall_inode(o->v, c->ino);

	if (r == 0 && c->op == vfs_rename)
		r = recall_inode(o->v, c->to_ino);
	if (r == 0 && vfs_changes(c) && o->v->vol->access == VOLUME_UNLOCKED)
		r = vfs_lock(o->v, &e);
	if (r == -ESTALE && e.code)
		map_replace(f, o->map);
	if (r < 0) {
		call_done(c, r);
		return;
	}
	c->pending_calls = &o->calls;
	o->calls++;
	vfs_submit(o->v, c);
}

/* Must the map be closed before this call? Yes, if it was replaced and is unused. Also if it could
 * not be opened over 1 s ago and the call is for its directory: then it is opened again. */
static bool must_close(const struct map *m, const struct call *c)
{
	const struct opened *o = m->opened;

	if (o && m->replaced)
		return opened_idle(o);
	return o && o->state == OPENED_FAILED && !o->calls && c->ino == map_root(m) &&
	       clock_ms() - o->failed_ms > RETRY_MS;
}

static void call_map(struct folder *f, struct map *m, struct call *c)
{
	bool root = c->ino == map_root(m), gone;

	if (must_close(m, c)) {
		gone = m->replaced;
		opened_close(f, m->opened);
		if (gone) { /* m may be freed */
			call_done(c, -ESTALE);
			return;
		}
	}
	if (root && c->op == vfs_getattr) {
		c->is_brief = true;
		call_done(c, map_attr(f, m, &c->attr));
		return;
	}
	/* ls -l asks for access lists: answer without opening the map. */
	if (root && c->op == vfs_getxattr && !status_is_attribute(c->name)) {
		call_done(c, strncmp(c->name, "user.", 5) == 0 ? -ENODATA : -EOPNOTSUPP);
		return;
	}
	if (m->replaced && !m->opened) {
		call_done(c, -ESTALE);
	} else if (!m->opened || m->opened->state == OPENED_SOON) {
		open_wait(f, m, c, folder_submit);
	} else if (m->opened->state == OPENED_FAILED) {
		opened_touch(f, m->opened);
		call_done(c, answer_unopened(f, m->opened, c));
	} else if (c->ino == error_ino(m)) {
		call_done(c, c->op == vfs_release || c->op == vfs_flush ? 0 : -ESTALE);
	} else {
		opened_touch(f, m->opened);
		call_opened(f, m->opened, c);
		opened_trim(f);
	}
}

static void call_level(struct folder *f, struct level *l, struct call *c)
{
	if (c->op == vfs_lookup)
		level_lookup(f, l, c);
	else if (c->op == vfs_getattr)
		level_getattr(f, l, c);
	else if (c->op == vfs_readdir)
		level_readdir(f, l, c);
	else if (c->op == vfs_mkdir)
		level_mkdir(f, l, c);
	else if (c->op == vfs_rmdir)
		level_rmdir(f, l, c);
	else if (c->op == vfs_fsyncdir)
		level_fsync(f, l, c);
	else if (c->op == vfs_getxattr)
		level_getxattr(f, l, c);
	else if (c->op == vfs_removexattr)
		call_done(c, -ENODATA);
	else
		call_done(c, c->op == vfs_open ? -EISDIR : -EPERM);
}

/* Refuse a rename between two maps, or between a map and the folder. */
static int refuse_rename(const struct folder *f, const struct call *c)
{
	const struct map *from = map_of(f, c->ino), *to = map_of(f, c->to_ino);

	if (!from || !to)
		return -EPERM;
	return from == to ? 0 : -EXDEV;
}

void folder_submit(struct folder *f, struct call *c)
{
	struct map *m = map_of(f, c->ino);
	struct level *l = m ? NULL : level_of(f, c->ino);
	int r;

	if (c->handle) {
		struct vfs *v = c->handle->inode->vfs;

		if (m && m->opened)
			opened_touch(f, m->opened);
		vfs_submit(v, c);
		return;
	}
	if (c->op == vfs_statfs) {
		r = fstatvfs(f->dirfd, &c->statvfs) < 0 ? -errno : 0;
		c->statvfs.f_namemax = NAME_MAX;
		call_done(c, r);
		return;
	}
	r = c->op == vfs_rename ? refuse_rename(f, c) : 0;
	if (r < 0)
		call_done(c, r);
	else if (m)
		call_map(f, m, c);
	else if (l)
		call_level(f, l, c);
	else
		call_done(c, -ESTALE);
}

void folder_forget(struct folder *f, uint64_t ino, uint64_t n)
{
	struct map *m = map_of(f, ino);

	if (!m)
		return;
	if (ino == map_root(m)) {
		m->lookups -= n < m->lookups ? n : m->lookups;
		map_settle(f, m);
	} else if (m->opened && m->opened->v) {
		vfs_forget(m->opened->v, ino, n);
	}
}
