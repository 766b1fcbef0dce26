/* SPDX-License-Identifier: Zlib */
/* What changes a tree of names. */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/overlay/overlay.h"

/* A place in the tree that something is about to take. */
struct target {
	struct upper *dir;
	char name[NAME_MAX + 1];
	bool stands;
	struct spot spot; /* ... what */
};

/* Names that would litter a map or fool a tool: refused, and tools cope with EPERM. */
static bool is_refused(const char *name)
{
	return strncmp(name, ".Trash", 6) == 0 || strcmp(name, ".git") == 0 ||
	       strncmp(name, ".fuse_hidden", 12) == 0;
}

/* The directories on the way get uppers. */
static int find_target(struct overlay *o, const char *path, struct target *ret)
{
	struct spot dir = overlay_root(o);
	int r;

	*ret = (struct target){.dir = o->root};
	for (;;) {
		path += strspn(path, "/");
		if (!*path)
			break;
		if (strspn(path, ".") == 1 && (path[1] == '/' || !path[1])) {
			path++;
			continue;
		}
		if (strspn(path, ".") == 2 && (path[2] == '/' || !path[2]))
			return -ENOENT;
		if (ret->name[0]) {
			r = overlay_lookup(o, &dir, ret->name, &dir);
			if (r < 0)
				return r;
			if (!dir.dir)
				return -ENOTDIR;
			ret->dir = upper_raise(o, ret->dir, ret->name, &dir);
			if (!ret->dir)
				return -ENOMEM;
			dir.upper = ret->dir;
		}
		if (strcspn(path, "/") > NAME_MAX)
			return -ENAMETOOLONG;
		*stpncpy(ret->name, path, strcspn(path, "/")) = '\0';
		path += strcspn(path, "/");
	}
	if (!ret->name[0])
		return 0;
	r = overlay_lookup(o, &dir, ret->name, &ret->spot);
	ret->stands = r == 0;
	return r == -ENOENT ? 0 : r;
}

static int meaning(const struct overlay *o, const struct target *t, bool dir, entry_id object,
	struct meaning *ret)
{
	const struct format *f = o->base->format;
	int r;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (t->dir->id == ENTRY_NONE || !f->tree)
		return 0;
	r = f->tree->meaning(o->shape, t->dir->id, t->name, dir,
		object == ENTRY_NONE ? ENTRY_ROOT : object, ret, NULL);
	return r;
}

static bool means_something(const struct meaning *m)
{
	return m->is == FORMAT_OBJECT || m->is == FORMAT_PART;
}

/* What the base has there is hidden, or nothing stands there in it. u (may be NULL): what stood
 * there, and is freed. Of a directory that is always there what left it is remembered: it is there
 * again in the next map. */
static int vacate(struct overlay *o, struct upper *dir, const char *name, struct upper *u)
{
	struct upper *whiteout = NULL;
	struct entry en;
	int r = 0;

	if (upper_base(o, dir, name, &en) == 0) {
		if (u && u->dir && u->from == en.id && en.fixed) {
			u->whiteout = true;
			return 0;
		}
		whiteout = upper_new(o, en.dir, en.id);
		if (!whiteout)
			return -ENOMEM;
		whiteout->whiteout = true;
	}
	if (u)
		upper_free(o, u);
	if (whiteout)
		r = upper_place(o, whiteout, dir, name);
	if (r < 0)
		upper_free(o, whiteout);
	return r;
}

/* The whiteout of the place goes, since something takes it. */
static void clear(struct overlay *o, const struct target *t)
{
	struct upper *u = upper_find(o, t->dir, t->name);

	if (u && u->whiteout)
		upper_free(o, u);
}

/* Where an object is shown in one of two forms, the file of the other one goes, and what takes its
 * place came from where that did. */
static int take_form(
	struct overlay *o, const struct target *t, const struct meaning *m, entry_id *from)
{
	struct target other = *t;
	struct spot dir = {t->dir, t->dir->id, true};
	int r;

	if (!m->alternate[0] || t->stands)
		return 0;
	strcpy(other.name, m->alternate);
	r = overlay_lookup(o, &dir, other.name, &other.spot);
	if (r < 0 || other.spot.dir)
		return r == -ENOENT || r == 0 ? 0 : r;
	if (*from == ENTRY_NONE) {
		*from = other.spot.upper ? other.spot.upper->from : other.spot.id;
		if (*from != ENTRY_NONE)
			*from = entry_object(*from) | m->form;
	}
	return vacate(o, t->dir, other.name, other.spot.upper);
}

static int make_file(struct overlay *o, const struct target *t, struct upper **ret)
{
	entry_id from = ENTRY_NONE;
	struct upper *u;
	struct meaning m;
	int r = is_refused(t->name) ? -EPERM : name_check(t->name, strlen(t->name));

	if (r == 0)
		r = meaning(o, t, false, ENTRY_NONE, &m);
	if (r == 0)
		r = take_form(o, t, &m, &from);
	if (r < 0)
		return r;
	u = upper_new(o, false, from);
	if (!u)
		return -ENOMEM;
	clear(o, t);
	r = upper_place(o, u, t->dir, t->name);
	if (r < 0)
		upper_free(o, u);
	else
		*ret = u;
	return r;
}

/* *ret NULL: what is written there is dropped. */
static int open_file(struct overlay *o, const struct target *t, uint64_t size, struct upper **ret)
{
	struct entry en;
	int r;

	*ret = NULL;
	if (!t->stands)
		return make_file(o, t, ret);
	if (t->spot.dir)
		return -EISDIR;
	r = overlay_stat(o, &t->spot, &en, NULL);
	if (r < 0)
		return r;
	if (en.derived)
		return 0;
	if (!en.writable)
		return -EACCES;
	if (en.most && size > en.most)
		return -EFBIG;
	*ret = upper_raise(o, t->dir, t->name, &t->spot);
	return *ret ? 0 : -ENOMEM;
}

int overlay_put(struct overlay *o, const char *path, struct extent x, const struct timespec *mtime)
{
	CLEANUP_EXTENT struct extent in = x;
	struct upper *u = NULL;
	struct target t;
	int r = find_target(o, path, &t);

	if (r == 0)
		r = t.name[0] ? open_file(o, &t, in.size, &u) : -EISDIR;
	if (r < 0 || !u)
		return r;
	extent_finish(&u->in);
	u->in = extent_ref(&in);
	u->written = true;
	u->timed = mtime;
	if (mtime)
		u->mtime = *mtime;
	return 0;
}

int overlay_revert(struct overlay *o, const char *path)
{
	struct target t;
	int r = find_target(o, path, &t);

	if (r == 0 && (!t.stands || t.spot.dir))
		r = t.stands ? -EISDIR : -ENOENT;
	if (r < 0 || !t.spot.upper || !t.spot.upper->written)
		return r;
	if (t.spot.upper->from == ENTRY_NONE)
		return vacate(o, t.dir, t.name, t.spot.upper);
	extent_finish(&t.spot.upper->in);
	t.spot.upper->written = t.spot.upper->timed = false;
	return 0;
}

static int make_dir(struct overlay *o, const struct target *t)
{
	struct upper *u;
	struct meaning m;
	struct entry en;
	int r = is_refused(t->name) ? -EPERM : name_check(t->name, strlen(t->name));

	if (r == 0)
		r = meaning(o, t, true, ENTRY_NONE, &m);
	if (r < 0)
		return r;
	/* What is always there is there again. */
	u = upper_find(o, t->dir, t->name);
	if (u && u->dir && upper_base(o, t->dir, t->name, &en) == 0 && en.fixed) {
		u->whiteout = false;
		return 0;
	}
	u = upper_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	if (means_something(&m))
		r = o->base->format->tree->add(&o->shape, t->dir->id, t->name, true, &u->id, NULL);
	if (r == 0) {
		clear(o, t);
		r = upper_place(o, u, t->dir, t->name);
	}
	if (r < 0)
		upper_free(o, u);
	return r;
}

int overlay_mkdir(struct overlay *o, const char *path)
{
	struct target t;
	int r = find_target(o, path, &t);

	if (r < 0)
		return r;
	return !t.name[0] || t.stands ? -EEXIST : make_dir(o, &t);
}

static int stop(void *arg, const char *name, const struct spot *s)
{
	(void)arg, (void)name, (void)s;
	return 1;
}

static bool is_empty(const struct overlay *o, const struct spot *dir)
{
	return overlay_list(o, dir, stop, NULL) == 0;
}

/* May it be taken from where it stands? */
static int removable(const struct overlay *o, const struct spot *s)
{
	struct entry en;
	int r = overlay_stat(o, s, &en, NULL);

	if (r < 0 || !o->base->format->tree)
		return r < 0 ? r : -EPERM;
	return en.fixed && !s->dir && !en.derived ? -EPERM : 0;
}

int overlay_remove(struct overlay *o, const char *path, bool dir)
{
	struct target t;
	int r = find_target(o, path, &t);

	if (r < 0)
		return r;
	if (!t.name[0])
		return -EPERM;
	if (!t.stands)
		return -ENOENT;
	if (t.spot.dir != dir)
		return dir ? -ENOTDIR : -EISDIR;
	r = removable(o, &t.spot);
	if (r < 0)
		return r;
	if (dir && !is_empty(o, &t.spot))
		return -ENOTEMPTY;
	return vacate(o, t.dir, t.name, t.spot.upper);
}

static bool is_within(const struct upper *dir, const struct upper *u)
{
	while (dir && dir != u)
		dir = dir->up;
	return dir;
}

static int may_replace(const struct overlay *o, const struct target *to, bool dir)
{
	if (!to->stands)
		return 0;
	if (to->spot.dir != dir)
		return to->spot.dir ? -EISDIR : -ENOTDIR;
	return dir && !is_empty(o, &to->spot) ? -ENOTEMPTY : 0;
}

/* May it be called so? */
static int may_move(
	const struct overlay *o, const struct spot *s, const struct target *to, entry_id *ret_id)
{
	struct meaning m;
	int r = is_refused(to->name) ? -EPERM
				     : meaning(o, to, s->dir, s->dir ? s->id : ENTRY_NONE, &m);

	*ret_id = s->id;
	if (r < 0 || !s->dir)
		return r;
	if (s->id == ENTRY_NONE)
		return means_something(&m) ? -EXDEV : 0;
	if (m.known ? m.id == s->id : m.fits)
		return 0;
	/* As scratch its files would be gone; elsewhere it is another thing: mv copies then. */
	return means_something(&m) ? -EXDEV : -EPERM;
}

static int move(struct overlay *o, struct target *from, struct target *to)
{
	struct upper *u = upper_raise(o, from->dir, from->name, &from->spot);
	struct meaning m;
	entry_id own;
	int r = u ? 0 : -ENOMEM;

	if (r == 0)
		r = may_move(o, &from->spot, to, &own);
	if (r == 0 && !u->dir && !to->stands && meaning(o, to, false, ENTRY_NONE, &m) == 0) {
		own = u->from;
		r = take_form(o, to, &m, &own);
	}
	if (r < 0)
		return r;
	if (to->stands && to->spot.upper)
		upper_free(o, to->spot.upper);
	clear(o, to);
	r = upper_place(o, u, to->dir, to->name);
	return r < 0 ? r : vacate(o, from->dir, from->name, NULL);
}

int overlay_rename(struct overlay *o, const char *from, const char *to)
{
	struct target a, b;
	struct entry en;
	/* Directories on the way of the one may be on that of the other. */
	int r = find_target(o, to, &b);

	if (r == 0)
		r = find_target(o, from, &a);
	if (r == 0)
		r = find_target(o, to, &b);
	if (r < 0)
		return r;
	if (!a.name[0] || !b.name[0])
		return -EPERM;
	if (!a.stands)
		return -ENOENT;
	if (b.stands && b.dir == a.dir && b.spot.upper == a.spot.upper && b.spot.id == a.spot.id)
		return 0;
	if (a.spot.upper && is_within(b.dir, a.spot.upper))
		return -EINVAL;
	r = removable(o, &a.spot);
	if (r == 0 && a.spot.dir && overlay_stat(o, &a.spot, &en, NULL) == 0 && en.fixed)
		r = -EPERM;
	if (r == 0)
		r = may_replace(o, &b, a.spot.dir);
	if (r == 0 && b.stands)
		r = removable(o, &b.spot);
	return r < 0 ? r : move(o, &a, &b);
}
