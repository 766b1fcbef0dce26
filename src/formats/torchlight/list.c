/* SPDX-License-Identifier: Zlib */
/* What there is, and what the tables say of it. Nothing here looks at a block. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/lens.h"
#include "formats/torchlight/made.h"
#include "formats/torchlight/structure.h"

static const char *const control_names[TL_N_CONTROLS] = {".mod", "info.json", "removed.txt"};

bool tl_is_dir(entry_id id)
{
	return tl_kind_of(id) == TL_DIR || id == tl_id(TL_CONTROL, TL_CONTROL_DIR);
}

size_t tl_text_stem(const char *name)
{
	size_t n = strlen(name), stem = n > 4 ? n - 4 : 0;
	char file[NAME_MAX + 1];
	const char *ending;

	if (!stem || stem > NAME_MAX || name[stem] != '.')
		return 0;
	memcpy(file, name, stem);
	file[stem] = 0;
	ending = compiled_ending(compiled_kind_of(file));
	return ending && !strcasecmp(ending, name + stem) ? stem : 0;
}

/* The kind of a child by the name that it is stored under: of two of the same name the second is
 * shown under another. */
static enum compiled_kind kind_of_child(const struct tl_shared *sh, const struct tree_child *c)
{
	struct str name = manifest_name(sh->manifest, &sh->manifest->entries[c->index]);
	char stored[NAME_MAX + 1];

	if (name.n > NAME_MAX)
		return COMPILED_NONE;
	memcpy(stored, name.s, name.n);
	stored[name.n] = 0;
	return compiled_kind_of(stored);
}

/* The ending of its text, or NULL where it has none: the name may be too long, or taken. */
static const char *text_ending(const struct tl_shared *sh, uint32_t dir, const struct tree_child *c)
{
	const char *name = tree_name(sh->tree, c), *ending;
	char text[NAME_MAX + 8];

	if (c->dir)
		return NULL;
	ending = compiled_ending(kind_of_child(sh, c));
	if (!ending || strlen(name) + strlen(ending) > NAME_MAX)
		return NULL;
	strcpy(text, name);
	strcat(text, ending);
	return tree_find(sh->tree, dir, text) ? NULL : ending;
}

static int find_control(const char *name, entry_id *ret)
{
	for (uint32_t i = TL_CONTROL_INFO; i < TL_N_CONTROLS; i++)
		if (!strcasecmp(name, control_names[i])) {
			*ret = tl_id(TL_CONTROL, i);
			return 0;
		}
	return -ENOENT;
}

static int find_text(const struct tl_shared *sh, uint32_t dir, const char *name, entry_id *ret)
{
	size_t n = strlen(name), stem = n > 4 ? n - 4 : 0;
	const struct tree_child *c;
	const char *ending;
	char file[NAME_MAX + 1];

	if (!stem || n > NAME_MAX)
		return -ENOENT;
	memcpy(file, name, stem);
	file[stem] = 0;
	c = tree_find(sh->tree, dir, file);
	ending = c ? text_ending(sh, dir, c) : NULL;
	if (!ending || strcasecmp(name + stem, ending) != 0)
		return -ENOENT;
	*ret = tl_id(TL_TEXT, c->index);
	return 0;
}

/* Who asks for a file's own name may be about to remove it; the tree asks once more when it has. */
static void note_asked(struct tl_shared *sh, uint32_t dir, const char *name, entry_id id)
{
	uint32_t k;

	if (tl_kind_of(id) == TL_FILE && compiled_kind_of(name) != COMPILED_NONE) {
		tl_note_asked(sh, tl_index(id));
		return;
	}
	pthread_mutex_lock(&sh->lock);
	k = tl_made_find(&sh->files, dir, name, strlen(name));
	pthread_mutex_unlock(&sh->lock);
	if (k != TL_NONE)
		tl_note_asked(sh, sh->manifest->n_entries + k);
}

static int find(const struct tl_map *m, uint32_t d, const char *name, entry_id *ret)
{
	const struct tl_shared *sh = m->shared;
	const struct tree_child *c = d < sh->tree->n_dirs ? tree_find(sh->tree, d, name) : NULL;

	if (c) {
		*ret = tl_id(c->dir ? TL_DIR : TL_FILE, c->index);
		return 0;
	}
	if (d == 0 && !strcasecmp(name, control_names[TL_CONTROL_DIR])) {
		*ret = tl_id(TL_CONTROL, TL_CONTROL_DIR);
		return 0;
	}
	if (d < sh->tree->n_dirs && find_text(sh, d, name, ret) == 0)
		return 0;
	return tl_made_other(m, d, name, ret) ? 0 : -ENOENT;
}

int tl_find(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret)
{
	uint32_t d = tl_index(dir);
	int r;

	if (tl_kind_of(dir) == TL_CONTROL)
		return d == TL_CONTROL_DIR ? find_control(name, ret) : -ENOTDIR;
	if (tl_kind_of(dir) != TL_DIR)
		return -ENOTDIR;
	r = find(m, d, name, ret);
	note_asked(m->shared, d, name, r == 0 ? *ret : ENTRY_ROOT);
	return r;
}

static void stat_control(const struct tl_map *m, uint32_t which, struct entry *ret)
{
	struct buffer text = BUFFER_INIT;

	ret->dir = ret->fixed = which == TL_CONTROL_DIR;
	ret->writable = ret->sized = true;
	if (which == TL_CONTROL_REMOVED)
		ret->size = m->removed->size;
	if (which == TL_CONTROL_INFO) {
		tl_info_write(m, &text);
		ret->size = text.size;
		buffer_finish_free(&text);
	}
}

static int stat_file(const struct tl_map *m, entry_id id, struct entry *ret, struct error *e)
{
	uint64_t filetime = 0;
	bool readonly = false;

	ret->writable = true;
	if (!tl_map_facts(m, tl_index(id), &ret->size, &filetime)) {
		ret->sized = true;
		/* One that was made and has nothing yet is there for whoever made it. */
		return tl_index(id) < tl_n_files(m->shared)
			       ? 0
			       : error_set(e, -ENOENT, "no such entry");
	}
	ret->sized = tl_kind_of(id) == TL_FILE;
	if (!ret->sized) {
		ret->sized = tl_text_known(m, tl_index(id), &ret->size, &readonly);
		ret->writable = !readonly;
	}
	ret->has_mtime = filetime != 0;
	ret->mtime = tl_time(filetime);
	return 0;
}

int tl_stat(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	struct entry en = {.id = id, .most = tl_most(id)};
	int r = 0;

	switch (tl_kind_of(id)) {
	case TL_DIR:
		en.dir = true;
		en.fixed = id == ENTRY_ROOT;
		if (tl_index(id) >= tl_n_dirs(m->shared))
			r = error_set(e, -ENOENT, "no such directory");
		break;
	case TL_CONTROL:
		stat_control(m, tl_index(id), &en);
		break;
	default:
		r = stat_file(m, id, &en, e);
		break;
	}
	if (r == 0)
		*ret = en;
	return r;
}

int tl_lookup(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
	struct error *e)
{
	entry_id id;
	int r = tl_find(tl_map_of(s), dir, name, &id);

	if (r < 0)
		return error_set(e, r, "%s: no such entry", name);
	return tl_stat(s, id, ret, e);
}

static int list_control(
	const struct snapshot *s, uint64_t *cookie, char *name, struct entry *ret, struct error *e)
{
	uint32_t which = TL_CONTROL_INFO + (uint32_t)*cookie;
	int r;

	if (*cookie >= TL_N_CONTROLS - TL_CONTROL_INFO)
		return 0;
	strcpy(name, control_names[which]);
	++*cookie;
	r = tl_stat(s, tl_id(TL_CONTROL, which), ret, e);
	return r < 0 ? r : 1;
}

static int list_made(const struct snapshot *s, uint32_t dir, uint64_t first, uint64_t *cookie,
	char *name, struct entry *ret, struct error *e)
{
	uint64_t k = *cookie > first ? *cookie - first : 0;
	entry_id id;
	int r;

	if (!tl_made_list_next(tl_map_of(s), dir, &k, name, &id))
		return 0;
	*cookie = first + k;
	r = tl_stat(s, id, ret, e);
	return r < 0 ? r : 1;
}

/* The place 2k is the text of child k, 2k + 1 the child; then .mod in the root; then the other
 * names of what was made. */
int tl_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name, struct entry *ret,
	struct error *e)
{
	const struct tl_shared *sh = tl_map_of(s)->shared;
	const struct tree *t = sh->tree;
	uint32_t d = tl_index(dir);
	const struct tree_child *c;
	const char *ending = "";
	uint64_t n;
	int r;

	if (dir == tl_id(TL_CONTROL, TL_CONTROL_DIR))
		return list_control(s, cookie, name, ret, e);
	if (tl_kind_of(dir) != TL_DIR)
		return error_set(e, -ENOTDIR, "not a directory");
	n = d < t->n_dirs ? 2 * (uint64_t)t->dirs[d].n : 0;
	while (*cookie < n) {
		bool text = *cookie % 2 == 0;

		c = &t->children[t->dirs[d].first + *cookie / 2];
		++*cookie;
		if (text && !(ending = text_ending(sh, d, c)))
			continue;
		strcpy(name, tree_name(t, c));
		strcat(name, text ? ending : "");
		r = tl_stat(s, tl_id(text ? TL_TEXT : c->dir ? TL_DIR : TL_FILE, c->index), ret, e);
		return r < 0 ? r : 1;
	}
	if (d == 0 && *cookie == n) {
		++*cookie;
		strcpy(name, control_names[TL_CONTROL_DIR]);
		r = tl_stat(s, tl_id(TL_CONTROL, TL_CONTROL_DIR), ret, e);
		return r < 0 ? r : 1;
	}
	return list_made(s, d, n + 1, cookie, name, ret, e);
}
