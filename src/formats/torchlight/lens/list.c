/* SPDX-License-Identifier: Zlib */
/* lookup, stat and list, from the tables of the archive: no block is read. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/wire/removed.h"

#define CONTROL_DIR ((entry_id)TL_CONTROL << 33)

/* Files and directories that mapfs adds. */
static const struct {
	const char *name;
	entry_id dir;
} controls[] = {
	[TL_CONTROL_DIR] = {".mod", ENTRY_ROOT},
	[TL_CONTROL_INFO] = {"info.json", CONTROL_DIR},
	[TL_CONTROL_REMOVED] = {"removed.txt", CONTROL_DIR},
	[TL_CONTROL_KIT] = {"MOD.DAT", ENTRY_ROOT},
};

/* Find the first control file in dir from *at. false: there is none. MOD.DAT exists in a new MOD,
 * and is listed if it has content. */
static bool next_control(const struct tl_map *m, entry_id dir, bool listed, uint64_t *at)
{
	bool kit = m->shared->fresh && (m->kit || !listed);

	while (*at < TL_N_CONTROLS && (controls[*at].dir != dir || (*at == TL_CONTROL_KIT && !kit)))
		++*at;
	return *at < TL_N_CONTROLS;
}

static int find_child(const struct tl_map *m, entry_id dir, const char *name, bool listed,
	entry_id *ret, const char **ret_name)
{
	const struct tree *t = m->shared->tree;
	uint32_t d = tl_index(dir);
	const struct tree_child *c =
		tl_kind_of(dir) == TL_DIR && d < t->n_dirs ? tree_find(t, d, name) : NULL;

	if (c) {
		*ret = tl_id(c->is_dir ? TL_DIR : TL_FILE, c->index);
		*ret_name = tree_name(t, c);
		return 0;
	}
	for (uint64_t i = 0; next_control(m, dir, listed, &i); i++)
		if (!strcasecmp(name, controls[i].name)) {
			*ret = tl_id(TL_CONTROL, (uint32_t)i);
			*ret_name = controls[i].name;
			return 0;
		}
	return tl_is_dir(dir) ? -ENOENT : -ENOTDIR;
}

int tl_find_entry(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const char *called;

	return find_child(m, dir, name, false, ret, &called);
}

int tl_load_control(const struct tl_map *m, uint32_t which, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	if (which == TL_CONTROL_REMOVED)
		*ret = bytes_ref(m->removed);
	else if (which == TL_CONTROL_KIT && m->kit)
		*ret = bytes_ref(m->kit);
	else if (which == TL_CONTROL_KIT)
		return error_set(e, -ENODATA, "no content yet");
	else
		tl_info_write(m, &out);
	return which == TL_CONTROL_INFO && buffer_finish(&out, ret) < 0
		       ? error_set(e, -ENOMEM, "out of memory")
		       : 0;
}

static void stat_control(const struct tl_map *m, uint32_t which, struct file_attr *ret)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;

	ret->is_dir = ret->is_permanent = which == TL_CONTROL_DIR;
	ret->is_writable = ret->has_size = true;
	ret->max_size = TL_INPUT_MAX;
	ret->is_restored = which == TL_CONTROL_INFO;
	ret->is_cleared_by_save = which == TL_CONTROL_REMOVED;
	if (!ret->is_dir && tl_load_control(m, which, &whole, NULL) == 0)
		ret->size = whole->size;
}

static int stat_file(
	const struct tl_map *m, uint32_t handle, struct file_attr *ret, struct error *e)
{
	enum compiled_kind kind = tl_file_kind(m, handle);
	uint64_t filetime = 0;

	ret->is_writable = ret->has_size = true;
	ret->max_size = kind != COMPILED_NONE ? TL_INPUT_MAX : 0;
	if (!tl_map_facts(m, handle, &ret->size, &filetime))
		/* A new file without content exists for the program that created it. */
		return handle < tl_n_files(m) ? 0 : error_set(e, -ENOENT, "no such entry");
	if (kind != COMPILED_NONE) {
		ret->is_size_on_demand = true;
		ret->has_size = tl_view_known(m, handle, &ret->size);
	}
	ret->has_mtime = filetime != 0;
	ret->mtime = tl_time(filetime);
	return 0;
}

/* Does the list of removed files have a path in the directory? */
static bool lists_removed(const struct tl_map *m, uint32_t dir)
{
	CLEANUP_BUFFER struct buffer above = BUFFER_INIT;
	struct str path, head;
	size_t at = 0;

	if (m->removed == m->shared->archive->removed && dir < m->shared->tree->n_dirs)
		return m->removed->size && m->shared->tree->dirs[dir].lists_removed;
	tl_dir_path(m, dir, &above);
	head = str_of_buffer(&above);
	while (!above.error && removed_next(m->removed, &at, &path))
		if (path.n > head.n && str_equal_nocase((struct str){path.s, head.n}, head))
			return true;
	return above.error;
}

int tl_stat(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	struct file_attr en = {.id = id};
	int r = 0;

	switch (tl_kind_of(id)) {
	case TL_DIR:
		en.is_dir = true;
		en.is_permanent = id == ENTRY_ROOT;
		if (tl_index(id) >= tl_n_dirs(m))
			r = error_set(e, -ENOENT, "no such directory");
		else /* removed, it comes back for the removed files in it */
			en.is_cleared_by_mount = lists_removed(m, tl_index(id));
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

int tl_lookup(const struct snapshot *s, entry_id dir, const char *name, struct file_attr *ret,
	struct error *e)
{
	const char *called;
	entry_id id;
	int r = find_child(tl_map_of(s), dir, name, true, &id, &called);

	if (r < 0)
		return error_set(e, r, "%s: no such entry", name);
	r = tl_stat(s, id, ret, e);
	ret->listed_name = called;
	return r;
}

/* Lists the children first, then the control files. */
int tl_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e)
{
	const struct tree *t = tl_map_of(s)->shared->tree;
	uint32_t d = tl_index(dir);
	uint64_t n = tl_kind_of(dir) == TL_DIR && d < t->n_dirs ? t->dirs[d].n : 0, at;
	int r;

	if (!tl_is_dir(dir))
		return error_set(e, -ENOTDIR, "not a directory");
	if (*cookie < n) {
		const struct tree_child *c = &t->children[t->dirs[d].first + (*cookie)++];

		strcpy(name, tree_name(t, c));
		r = tl_stat(s, tl_id(c->is_dir ? TL_DIR : TL_FILE, c->index), ret, e);
		return r < 0 ? r : 1;
	}
	at = *cookie - n;
	if (!next_control(tl_map_of(s), dir, true, &at))
		return 0;
	*cookie = n + at + 1;
	strcpy(name, controls[at].name);
	r = tl_stat(s, tl_id(TL_CONTROL, (uint32_t)at), ret, e);
	return r < 0 ? r : 1;
}
