/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/map.h"

#include <errno.h>
#include <string.h>

#include "base/refs.h"

DEFINE_REF(struct tl_shared, tl_shared_ref)

void tl_shared_unref(struct tl_shared *sh)
{
	if (!sh || !refs_drop(&sh->refs))
		return;
	tl_header_unref(sh->fresh);
	manifest_free(sh->manifest);
	tree_free(sh->tree);
	bytes_unref(sh->removed);
	file_unref(sh->names_file);
	names_unref(sh->names);
	pthread_mutex_destroy(&sh->lock);
	free(sh);
}

struct tl_header *tl_header_new(struct mod_header *take)
{
	struct tl_header *h = take ? calloc(1, sizeof(*h)) : NULL;

	if (!h) {
		modheader_free(take);
		return NULL;
	}
	atomic_init(&h->refs, 1);
	h->h = take;
	return h;
}

static int copy_text(struct text *to, const struct text *from)
{
	return text_set(to, from->s, from->n);
}

/* Everything but the removed list, which stands elsewhere (tl_map.removed). */
struct mod_header *tl_header_copy(const struct mod_header *h)
{
	CLEANUP(modheader_free) struct mod_header *n = calloc(1, sizeof(*n));
	int r = n ? 0 : -ENOMEM;

	if (r < 0)
		return NULL;
	n->version = h->version;
	n->mod_version = h->mod_version;
	memcpy(n->game_version, h->game_version, sizeof(n->game_version));
	n->id = h->id;
	n->flags = h->flags;
	n->requirements_hash = h->requirements_hash;
	r = copy_text(&n->legacy, &h->legacy);
	for (int i = 0; r == 0 && i < MOD_STRINGS; i++)
		r = copy_text(&n->strings[i], &h->strings[i]);
	n->requirements = calloc((size_t)h->n_requirements + 1, sizeof(*n->requirements));
	if (!n->requirements)
		r = -ENOMEM;
	while (r == 0 && n->n_requirements < h->n_requirements) {
		const struct mod_requirement *q = &h->requirements[n->n_requirements];
		struct mod_requirement *to = &n->requirements[n->n_requirements++];

		to->id = q->id;
		to->version = q->version;
		r = copy_text(&to->name, &q->name);
	}
	return r == 0 ? TAKE(n) : NULL;
}

struct tl_header *tl_header_ref(struct tl_header *h)
{
	if (h)
		refs_take(&h->refs);
	return h;
}

void tl_header_unref(struct tl_header *h)
{
	if (!h || !refs_drop(&h->refs))
		return;
	modheader_free(h->h);
	free(h);
}

static void take_content(void *object)
{
	tl_content_ref(object);
}

static void drop_content(void *object)
{
	tl_content_unref(object);
}

static void take_made(void *object)
{
	refs_take(&((struct tl_made *)object)->refs);
}

static void drop_made(void *object)
{
	if (object && refs_drop(&((struct tl_made *)object)->refs))
		free(object);
}

static const struct paged contents = {take_content, drop_content}, mades = {take_made, drop_made};

static void free_map(struct snapshot *s)
{
	struct tl_map *m = (struct tl_map *)s;

	if (!m)
		return;
	pages_finish(&m->files);
	pages_finish(&m->made);
	pages_finish(&m->dirs);
	tl_base_unref(m->base);
	tl_header_unref(m->header);
	bytes_unref(m->removed);
	bytes_unref(m->kit);
	names_unref(m->names);
	tl_table_unref(m->table);
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
	m->files.kind = &contents;
	m->made.kind = m->dirs.kind = &mades;
	return m;
}

struct tl_map *tl_map_copy(const struct tl_map *m)
{
	struct tl_map *n = tl_map_new(tl_shared_ref(m->shared), m->snapshot.format);

	if (!n)
		return NULL;
	pages_copy(&n->files, &m->files);
	pages_copy(&n->made, &m->made);
	pages_copy(&n->dirs, &m->dirs);
	n->n_made = m->n_made;
	n->n_made_dirs = m->n_made_dirs;
	n->base = tl_base_ref(m->base);
	n->header = tl_header_ref(m->header);
	n->removed = bytes_ref(m->removed);
	n->kit = bytes_ref(m->kit);
	n->names = names_ref(m->names);
	n->table = m->table;
	if (n->table)
		refs_take(&n->table->refs);
	n->header_written = m->header_written;
	n->info_dropped = m->info_dropped;
	return n;
}

struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle)
{
	return pages_get(&m->files, handle);
}

int tl_map_set(struct tl_map *m, uint32_t handle, struct tl_content *take)
{
	return pages_set(&m->files, handle, take);
}

int tl_map_content(
	const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e)
{
	struct tl_content *c = tl_map_file(m, handle);

	if (!c)
		return tl_base_content(m->base, handle, ret, e);
	*ret = tl_content_ref(c);
	return 0;
}

struct tl_content *tl_map_peek(const struct tl_map *m, uint32_t handle)
{
	struct tl_content *c = tl_content_ref(tl_map_file(m, handle));

	return c ? c : tl_base_peek(m->base, handle);
}

bool tl_map_facts(const struct tl_map *m, uint32_t handle, uint64_t *size, uint64_t *filetime)
{
	const struct tl_content *c = tl_map_file(m, handle);
	const struct tl_spot *spot = handle < m->base->n ? &m->base->spots[handle] : NULL;

	if (!c && !(spot && spot->here))
		return false;
	*size = c ? c->blob->size : spot->usize;
	*filetime = c ? c->filetime : spot->filetime;
	return true;
}

int tl_map_make(struct tl_map *m, uint32_t dir, const char *name, bool is_dir, uint32_t *ret)
{
	struct tl_made *made = calloc(1, sizeof(*made) + strlen(name) + 1);
	uint32_t handle = is_dir ? tl_n_dirs(m) : tl_n_files(m);
	uint32_t *n = is_dir ? &m->n_made_dirs : &m->n_made;

	if (!made)
		return -ENOMEM;
	atomic_init(&made->refs, 1);
	made->dir = dir;
	strcpy(made->name, name);
	if (pages_set(is_dir ? &m->dirs : &m->made, *n, made) < 0)
		return -ENOMEM;
	++*n;
	*ret = handle;
	return 0;
}

static const struct tl_made *made_file(const struct tl_map *m, uint32_t handle)
{
	return handle < tl_n_files(m) ? pages_get(&m->made, handle - m->shared->manifest->n_entries)
				      : NULL;
}

bool tl_file_name(const struct tl_map *m, uint32_t handle, struct buffer *out)
{
	const struct manifest *man = m->shared->manifest;
	const struct tl_made *made;

	if (handle < man->n_entries) {
		buffer_str(out, manifest_name(man, &man->entries[handle]));
		return true;
	}
	made = made_file(m, handle);
	if (made)
		buffer_text(out, made->name);
	return made;
}

bool tl_dir_above(const struct tl_map *m, uint32_t dir, uint32_t *ret_above, const char **ret)
{
	const struct tree *t = m->shared->tree;
	const struct tl_made *made;

	if (dir == 0 || dir >= tl_n_dirs(m))
		return false;
	if (dir < t->n_dirs) {
		*ret_above = t->dirs[dir].parent;
		*ret = tree_name(t, &t->children[t->dirs[dir].self]);
		return true;
	}
	made = pages_get(&m->dirs, dir - t->n_dirs);
	*ret_above = made->dir;
	*ret = made->name;
	return true;
}

void tl_dir_path(const struct tl_map *m, uint32_t dir, struct buffer *out)
{
	const char *name;
	uint32_t above;

	/* A directory is made in one that is there, so this goes up and ends. */
	if (!tl_dir_above(m, dir, &above, &name))
		return;
	tl_dir_path(m, above, out);
	buffer_text(out, name);
	buffer_byte(out, '/');
}

int tl_file_path(const struct tl_map *m, uint32_t handle, struct buffer *out)
{
	const struct manifest *man = m->shared->manifest;

	if (handle < man->n_entries)
		buffer_str(out, manifest_path(man, &man->records[man->entries[handle].record]));
	else if (handle < tl_n_files(m))
		tl_dir_path(m, made_file(m, handle)->dir, out);
	tl_file_name(m, handle, out);
	buffer_byte(out, 0);
	return out->error;
}
