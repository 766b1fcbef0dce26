/* SPDX-License-Identifier: Zlib */
/* What there is, and what the tables say of it. Nothing here looks at a block. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/wire/removed.h"

static const char *const control_names[TL_N_LISTED] = {".mod", "info.json", "removed.txt"};

static int find_control(const char *name, entry_id *ret, const char **ret_name)
{
	for (uint32_t i = TL_CONTROL_INFO; i < TL_N_LISTED; i++)
		if (!strcasecmp(name, control_names[i])) {
			*ret = tl_id(TL_CONTROL, i);
			*ret_name = control_names[i];
			return 0;
		}
	return -ENOENT;
}

/* MOD.DAT of a MOD that was saved since it is being made. */
static bool has_kit(const struct tl_map *m, uint32_t d)
{
	return d == 0 && m->kit && m->shared->fresh;
}

static int find(
	const struct tl_map *m, uint32_t d, const char *name, entry_id *ret, const char **ret_name)
{
	const struct tree *t = m->shared->tree;
	const struct tree_child *c = d < t->n_dirs ? tree_find(t, d, name) : NULL;

	if (c) {
		*ret = tl_id(c->dir ? TL_DIR : TL_FILE, c->index);
		*ret_name = tree_name(t, c);
		return 0;
	}
	if (has_kit(m, d) && strcasecmp(name, "MOD.DAT") == 0) {
		*ret = tl_id(TL_CONTROL, TL_CONTROL_KIT);
		*ret_name = "MOD.DAT";
		return 0;
	}
	if (d != 0 || strcasecmp(name, control_names[TL_CONTROL_DIR]) != 0)
		return -ENOENT;
	*ret = tl_id(TL_CONTROL, TL_CONTROL_DIR);
	*ret_name = control_names[TL_CONTROL_DIR];
	return 0;
}

static int find_called(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret,
	const char **ret_name)
{
	uint32_t d = tl_index(dir);

	if (tl_kind_of(dir) == TL_CONTROL)
		return d == TL_CONTROL_DIR ? find_control(name, ret, ret_name) : -ENOTDIR;
	return tl_kind_of(dir) == TL_DIR ? find(m, d, name, ret, ret_name) : -ENOTDIR;
}

int tl_find(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const char *called;

	return find_called(m, dir, name, ret, &called);
}

static void stat_control(const struct tl_map *m, uint32_t which, struct entry *ret)
{
	struct buffer text = BUFFER_INIT;

	ret->dir = ret->fixed = which == TL_CONTROL_DIR;
	ret->writable = ret->sized = true;
	ret->most = TL_INPUT_MAX;
	ret->needed = which == TL_CONTROL_INFO;
	ret->standing = which == TL_CONTROL_REMOVED;
	if (which == TL_CONTROL_REMOVED)
		ret->size = m->removed->size;
	if (which == TL_CONTROL_KIT && m->kit)
		ret->size = m->kit->size;
	if (which == TL_CONTROL_INFO) {
		tl_info_write(m, &text);
		ret->size = text.size;
		buffer_finish_free(&text);
	}
}

static int stat_file(const struct tl_map *m, uint32_t handle, struct entry *ret, struct error *e)
{
	enum compiled_kind kind;
	uint64_t filetime = 0;
	int r = tl_kind_of_file(m, handle, &kind);

	if (r < 0)
		return error_set(e, r, "no memory for a name");
	ret->writable = ret->sized = true;
	ret->most = kind != COMPILED_NONE ? TL_INPUT_MAX : 0;
	if (!tl_map_facts(m, handle, &ret->size, &filetime))
		/* One that was made and has nothing yet is there for whoever made it. */
		return handle < tl_n_files(m) ? 0 : error_set(e, -ENOENT, "no such entry");
	if (kind != COMPILED_NONE) {
		ret->late = true;
		ret->sized = tl_view_known(m, handle, &ret->size);
	}
	ret->has_mtime = filetime != 0;
	ret->mtime = tl_time(filetime);
	return 0;
}

/* Does the list of removed files speak of what was in the directory? */
static bool lists_removed(const struct tl_map *m, uint32_t dir)
{
	CLEANUP_BUFFER struct buffer above = BUFFER_INIT;
	struct str path, head;
	size_t at = 0;

	if (m->removed == m->shared->removed && dir < m->shared->tree->n_dirs)
		return m->removed->size && m->shared->tree->dirs[dir].lists_removed;
	tl_dir_path(m, dir, &above);
	head = str_of_buffer(&above);
	while (!above.error && removed_next(m->removed, &at, &path))
		if (path.n > head.n && str_equal_nocase((struct str){path.s, head.n}, head))
			return true;
	return above.error;
}

int tl_stat(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	struct entry en = {.id = id};
	int r = 0;

	switch (tl_kind_of(id)) {
	case TL_DIR:
		en.dir = true;
		en.fixed = id == ENTRY_ROOT;
		if (tl_index(id) >= tl_n_dirs(m))
			r = error_set(e, -ENOENT, "no such directory");
		else /* without its files it is that of the removed ones */
			en.lasting = lists_removed(m, tl_index(id));
		break;
	case TL_CONTROL:
		stat_control(m, tl_index(id), &en);
		break;
	default:
		r = stat_file(m, tl_index(id), &en, e);
		break;
	}
	if (r == 0)
		*ret = en;
	return r;
}

int tl_lookup(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
	struct error *e)
{
	const char *called;
	entry_id id;
	int r = find_called(tl_map_of(s), dir, name, &id, &called);

	if (r < 0)
		return error_set(e, r, "%s: no such entry", name);
	r = tl_stat(s, id, ret, e);
	ret->name = called;
	return r;
}

static int list_control(
	const struct snapshot *s, uint64_t *cookie, char *name, struct entry *ret, struct error *e)
{
	uint32_t which = TL_CONTROL_INFO + (uint32_t)*cookie;
	int r;

	if (*cookie >= TL_N_LISTED - TL_CONTROL_INFO)
		return 0;
	strcpy(name, control_names[which]);
	++*cookie;
	r = tl_stat(s, tl_id(TL_CONTROL, which), ret, e);
	return r < 0 ? r : 1;
}

static int list_child(const struct snapshot *s, const struct tree_child *c, char *name,
	struct entry *ret, struct error *e)
{
	int r = tl_stat(s, tl_id(c->dir ? TL_DIR : TL_FILE, c->index), ret, e);

	strcpy(name, tree_name(tl_map_of(s)->shared->tree, c));
	return r < 0 ? r : 1;
}

/* What the root has beside the archive's: nth from 0. */
static int list_root(
	const struct snapshot *s, uint64_t nth, char *name, struct entry *ret, struct error *e)
{
	uint32_t which = nth ? TL_CONTROL_KIT : TL_CONTROL_DIR;
	int r;

	if (nth > 1 || (nth && !has_kit(tl_map_of(s), 0)))
		return 0;
	strcpy(name, nth ? "MOD.DAT" : control_names[TL_CONTROL_DIR]);
	r = tl_stat(s, tl_id(TL_CONTROL, which), ret, e);
	return r < 0 ? r : 1;
}

/* The children; then .mod in the root. */
int tl_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name, struct entry *ret,
	struct error *e)
{
	const struct tree *t = tl_map_of(s)->shared->tree;
	uint32_t d = tl_index(dir);
	uint64_t n;

	if (dir == tl_id(TL_CONTROL, TL_CONTROL_DIR))
		return list_control(s, cookie, name, ret, e);
	if (tl_kind_of(dir) != TL_DIR)
		return error_set(e, -ENOTDIR, "not a directory");
	n = d < t->n_dirs ? t->dirs[d].n : 0;
	if (*cookie < n)
		return list_child(s, &t->children[t->dirs[d].first + (*cookie)++], name, ret, e);
	return d == 0 ? list_root(s, (*cookie)++ - n, name, ret, e) : 0;
}
