/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/level.h"

#include <errno.h>

#include "vfs/folder/disk.h"
#include "vfs/folder/opened.h"
#include "vfs/tree/attr.h"

struct stat attr_found(const struct folder *f, uint64_t ino, const struct found *found)
{
	const struct vfs_options *o = f->options;
	struct rights rights = volume_rights(&found->st, o, found->read_only);
	mode_t mode = rights.dir_mode;

	if (found->dir)
		mode = found->st.st_mode & 0777 & ~o->dir_mask &
		       ~(mode_t)(found->read_only ? 0222 : 0);
	/* Anybody may enter the directory, to read error.txt. */
	if (found->secret)
		mode = 0555 & ~o->dir_mask;
	return (struct stat){
		.st_ino = ino,
		.st_mode = S_IFDIR | mode,
		.st_uid = rights.uid,
		.st_gid = rights.gid,
		.st_nlink = 1,
		.st_atim = found->st.st_mtim,
		.st_mtim = found->st.st_mtim,
		.st_ctim = found->st.st_mtim,
	};
}

struct stat attr_map(const struct folder *f, const struct map *m, const struct found *found)
{
	struct stat a = attr_found(f, map_root(m), found), own;
	struct vfs *v = m->opened ? m->opened->v : NULL;

	/* An open map knows its attributes better, and programs may have set some. */
	if (!v || inode_attr(v, v->root, &own) < 0)
		return a;
	if (!(v->root->attr_mask & ATTR_ATIME))
		own.st_atim = a.st_atim;
	if (!(v->root->attr_mask & ATTR_MTIME))
		own.st_mtim = a.st_mtim;
	if (!v->root->attr_mask)
		own.st_ctim = a.st_ctim;
	return own;
}

/* Are the files of an opened map unchanged? now: the stamp of its first file. */
static bool is_opened(const struct opened *o, const struct stamp *now)
{
	const struct volume *vol = o->state == OPENED ? o->v->vol : NULL;
	struct stamp then = vol ? stamp_of(&vol->map_stat) : o->map->stamp, second;
	struct stat st;

	if (!stamp_same(&then, now))
		return false;
	if (!vol || !vol->companion[0])
		return true;
	then = stamp_of(&vol->companion_stat);
	if (fstatat(vol->dirfd, vol->companion, &st, 0) < 0)
		return false;
	second = stamp_of(&st);
	return stamp_same(&then, &second);
}

struct map *map_look(struct folder *f, struct level *in, const char *name, const struct stat *st)
{
	struct map *m = map_find(f, in, name);
	struct stamp now = stamp_of(st);

	if (m && m->opened && (is_opened(m->opened, &now) || opened_changed(m->opened)))
		return m;
	if (m && !m->opened && stamp_same(&m->stamp, &now))
		return m;
	if (m)
		map_replace(f, m);
	return map_new(f, in, name, st);
}

int map_attr(struct folder *f, struct map *m, struct stat *ret)
{
	struct found found;
	int r = disk_find(f, m->in, m->name, &found);
	struct stamp now;

	if (r == 0 && found.dir)
		r = -ENOENT;
	/* A removed map stays visible while it has unsaved changes. */
	if (r == -ENOENT && m->opened && opened_changed(m->opened)) {
		found = (struct found){.st = m->opened->v->vol->map_stat};
		r = 0;
	}
	if (r < 0)
		return r == -ENOENT ? -ESTALE : r;
	now = stamp_of(&found.st);
	if (!m->opened && !stamp_same(&m->stamp, &now))
		return -ESTALE;
	*ret = attr_map(f, m, &found);
	return 0;
}

/* Look up a map whose file was removed. It is found if it has unsaved changes. */
static int lookup_gone(struct folder *f, struct level *l, struct call *c)
{
	struct map *m = map_find(f, l, c->name);
	int r = -ENOENT;

	if (m && m->opened && opened_changed(m->opened))
		r = map_attr(f, m, &c->attr);
	else if (m)
		map_replace(f, m);
	if (r == 0)
		m->lookups++;
	return r;
}

void level_lookup(struct folder *f, struct level *l, struct call *c)
{
	struct found found;
	struct level *below;
	struct map *m;
	int r = disk_find(f, l, c->name, &found);

	c->is_brief = true;
	if (r == -ENOENT) {
		r = lookup_gone(f, l, c);
	} else if (r == 0 && found.dir) {
		below = level_get(f, l, c->name);
		r = below ? 0 : -ENOMEM;
		if (below)
			c->attr = attr_found(f, below->ino, &found);
	} else if (r == 0) {
		m = map_look(f, l, c->name, &found.st);
		r = m ? 0 : -ENOMEM;
		if (m)
			c->attr = attr_map(f, m, &found);
		if (m)
			m->lookups++;
	}
	call_done(c, r);
}

void level_getattr(struct folder *f, struct level *l, struct call *c)
{
	struct found found = {.dir = true};
	CLEANUP(close_fd) int fd = disk_open(f, l, true);
	int r = fd < 0 ? fd : 0;

	c->is_brief = true;
	if (r == 0 && fstat(fd, &found.st) < 0)
		r = -errno;
	if (r == 0) {
		found.read_only = f->options->read_only;
		c->attr = attr_found(f, l->ino, &found);
	}
	call_done(c, r == -ENOENT || r == -ENOTDIR || r == -EXDEV || r == -ELOOP ? -ESTALE : r);
}
