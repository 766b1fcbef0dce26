/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/map.h"

#include <errno.h>
#include <string.h>

#include "base/refs.h"

void tl_table_free(struct tl_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_owned; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->shown);
	free(t->dirs);
	manifest_free(t->manifest);
	free(t);
}

static void drop_content(void *object)
{
	tl_content_unref(object);
}

static void drop_added(void *object)
{
	if (object && refs_drop(&((struct tl_added *)object)->refs))
		free(object);
}

static void free_map(struct snapshot *s)
{
	struct tl_map *m = (struct tl_map *)s;

	if (!m)
		return;
	pages_finish(&m->files);
	pages_finish(&m->added);
	modheader_unref(m->header);
	bytes_unref(m->removed);
	bytes_unref(m->kit);
	names_unref(m->names);
	tl_table_free(m->table);
	tl_shared_unref(m->shared);
	free(m);
}

struct tl_map *tl_map_new(struct tl_shared *sh, const struct format *f)
{
	struct tl_map *m = calloc(1, sizeof(*m));

	if (!m) {
		tl_shared_unref(sh);
		return NULL;
	}
	snapshot_init(&m->snapshot, f, free_map);
	m->shared = sh;
	m->files.drop = drop_content;
	m->added.drop = drop_added;
	return m;
}

struct tl_map *tl_map_copy(const struct tl_map *m)
{
	struct tl_map *n = tl_map_new(tl_shared_ref(m->shared), m->snapshot.format);

	if (n && (pages_copy(&n->files, &m->files) < 0 || pages_copy(&n->added, &m->added) < 0)) {
		snapshot_unref(&n->snapshot);
		return NULL;
	}
	if (!n)
		return NULL;
	n->n_added = m->n_added;
	n->header = modheader_ref(m->header);
	n->removed = bytes_ref(m->removed);
	n->kit = bytes_ref(m->kit);
	n->names = names_ref(m->names);
	n->header_written = m->header_written;
	n->info_dropped = m->info_dropped;
	return n;
}

struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle)
{
	return pages_get(&m->files, handle);
}

int tl_map_content(
	const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e)
{
	struct tl_content *c = tl_map_file(m, handle);

	if (!c)
		return tl_stored(m->shared, handle, ret, e);
	*ret = tl_content_ref(c);
	return 0;
}

struct tl_content *tl_map_peek(const struct tl_map *m, uint32_t handle)
{
	struct tl_content *c = tl_content_ref(tl_map_file(m, handle));

	return c ? c : tl_stored_peek(m->shared, handle);
}

bool tl_map_facts(const struct tl_map *m, uint32_t handle, uint64_t *size, uint64_t *filetime)
{
	const struct tl_content *c = tl_map_file(m, handle);
	const struct manifest_entry *x = manifest_file(tl_mounted(m), handle);

	if (!c && !x)
		return false;
	*size = c ? c->blob->size : x->usize;
	*filetime = c ? c->filetime : x->filetime;
	return true;
}

uint64_t tl_time_of(const struct tl_map *m, const struct manifest_entry *x)
{
	uint64_t size, filetime = 0;

	if (m->table && x->filetime)
		return x->filetime;
	return tl_map_facts(m, x->handle, &size, &filetime) ? filetime : 0;
}

int tl_map_add(struct tl_map *m, uint32_t dir, const char *name, bool is_dir, uint32_t *ret)
{
	struct tl_added *added = calloc(1, sizeof(*added) + strlen(name) + 1);
	uint32_t handle = is_dir ? tl_n_dirs(m) : tl_n_files(m);

	if (!added)
		return -ENOMEM;
	atomic_init(&added->refs, 1);
	added->dir = dir;
	strcpy(added->name, name);
	if (pages_set(&m->added, m->n_added, added) < 0)
		return -ENOMEM;
	m->n_added++;
	*ret = handle;
	return 0;
}

static const struct tl_added *find_added(const struct tl_map *m, uint32_t handle)
{
	uint32_t n = tl_mounted(m)->n_entries;

	return handle >= n && handle < tl_n_files(m) ? pages_get(&m->added, handle - n) : NULL;
}

struct str tl_file_name(const struct tl_map *m, uint32_t handle)
{
	const struct manifest *man = tl_mounted(m);
	const struct tl_added *added = find_added(m, handle);

	if (handle < man->n_entries)
		return manifest_name(man, &man->entries[handle]);
	return str_of(added ? added->name : "");
}

enum compiled_kind tl_file_kind(const struct tl_map *m, uint32_t handle)
{
	return m->shared->plain ? COMPILED_NONE : compiled_kind_of(tl_file_name(m, handle).s);
}

enum compiled_kind tl_kind_of_stem(const char *name, const char **ret)
{
	const char *dot = strrchr(name, '.');
	CLEANUP(free) char *stem = dot ? text_copy(name, (size_t)(dot - name)) : NULL;

	*ret = dot;
	return stem ? compiled_kind_of(stem) : COMPILED_NONE;
}

bool tl_dir_parent(const struct tl_map *m, uint32_t dir, uint32_t *ret_parent, const char **ret)
{
	const struct tree *t = m->shared->tree;
	const struct tl_added *added;

	if (dir == 0 || dir >= tl_n_dirs(m))
		return false;
	if (dir < t->n_dirs) {
		*ret_parent = t->dirs[dir].parent;
		*ret = tree_name(t, &t->children[t->dirs[dir].self]);
		return true;
	}
	added = pages_get(&m->added, dir - t->n_dirs);
	*ret_parent = added->dir;
	*ret = added->name;
	return true;
}

void tl_dir_path(const struct tl_map *m, uint32_t dir, struct buffer *out)
{
	const char *name;
	uint32_t above;

	/* A directory is added to an existing one, so this ends. */
	if (!tl_dir_parent(m, dir, &above, &name))
		return;
	tl_dir_path(m, above, out);
	buffer_text(out, name);
	buffer_byte(out, '/');
}

int tl_file_path(const struct tl_map *m, uint32_t handle, struct buffer *out)
{
	const struct manifest *man = tl_mounted(m);
	const struct tl_added *added = find_added(m, handle);

	if (handle < man->n_entries)
		buffer_str(out, manifest_path(man, &man->records[man->entries[handle].record]));
	else if (added)
		tl_dir_path(m, added->dir, out);
	buffer_str(out, tl_file_name(m, handle));
	buffer_byte(out, 0);
	return out->error;
}
