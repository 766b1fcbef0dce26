/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/map.h"

#include <errno.h>
#include <string.h>

static void made_finish(struct tl_made_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->all[i].name);
	free(l->all);
	free(l->buckets);
}

struct tl_shared *tl_shared_ref(struct tl_shared *sh)
{
	if (sh)
		atomic_fetch_add_explicit(&sh->refs, 1, memory_order_relaxed);
	return sh;
}

void tl_shared_unref(struct tl_shared *sh)
{
	if (!sh || atomic_fetch_sub_explicit(&sh->refs, 1, memory_order_acq_rel) != 1)
		return;
	manifest_free(sh->manifest);
	tree_free(sh->tree);
	file_unref(sh->names_file);
	names_unref(sh->names);
	made_finish(&sh->files);
	made_finish(&sh->dirs);
	free(sh->order);
	pthread_mutex_destroy(&sh->lock);
	free(sh);
}

void tl_table_unref(struct tl_table *t)
{
	if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < t->n_owned; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->records);
	free(t->rows);
	free(t);
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
	to->s = malloc(from->n + 1);
	if (!to->s)
		return -ENOMEM;
	if (from->n)
		memcpy(to->s, from->s, from->n);
	to->s[from->n] = 0;
	to->n = from->n;
	return 0;
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

void tl_header_unref(struct tl_header *h)
{
	if (!h || atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) != 1)
		return;
	modheader_free(h->h);
	free(h);
}

static struct tl_page *page_ref(struct tl_page *p)
{
	if (p)
		atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
	return p;
}

static void page_unref(struct tl_page *p)
{
	if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < TL_PAGE; i++)
		tl_content_unref(p->at[i]);
	free(p);
}

struct tl_map *tl_map_new(struct tl_shared *sh, const struct format *f)
{
	struct tl_map *m = calloc(1, sizeof(*m));

	if (!m) {
		tl_shared_unref(sh);
		return NULL;
	}
	atomic_init(&m->snapshot.refs, 1);
	m->snapshot.format = f;
	m->shared = sh;
	return m;
}

struct tl_map *tl_map_copy(const struct tl_map *m)
{
	struct tl_map *n = tl_map_new(tl_shared_ref(m->shared), m->snapshot.format);

	if (!n)
		return NULL;
	n->pages = calloc((size_t)m->n_pages + 1, sizeof(struct tl_page *));
	if (!n->pages) {
		tl_map_free(&n->snapshot);
		return NULL;
	}
	for (uint32_t i = 0; i < m->n_pages; i++)
		n->pages[i] = page_ref(m->pages[i]);
	n->n_pages = m->n_pages;
	n->base = tl_base_ref(m->base);
	n->header = m->header;
	if (n->header)
		atomic_fetch_add_explicit(&n->header->refs, 1, memory_order_relaxed);
	n->removed = bytes_ref(m->removed);
	n->names = names_ref(m->names);
	n->table = m->table;
	if (n->table)
		atomic_fetch_add_explicit(&n->table->refs, 1, memory_order_relaxed);
	n->info_dropped = m->info_dropped;
	return n;
}

void tl_map_free(struct snapshot *s)
{
	struct tl_map *m = (struct tl_map *)s;

	if (!m)
		return;
	for (uint32_t i = 0; m->pages && i < m->n_pages; i++)
		page_unref(m->pages[i]);
	free(m->pages);
	tl_base_unref(m->base);
	tl_header_unref(m->header);
	bytes_unref(m->removed);
	names_unref(m->names);
	tl_table_unref(m->table);
	tl_shared_unref(m->shared);
	free(m);
}

struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle)
{
	uint32_t page = handle / TL_PAGE;

	return page < m->n_pages && m->pages[page] ? m->pages[page]->at[handle % TL_PAGE] : NULL;
}

/* A page of m's own, to write to. */
static struct tl_page *own_page(struct tl_map *m, uint32_t page)
{
	struct tl_page *old, *own;

	if (page >= m->n_pages) {
		struct tl_page **pages = realloc(m->pages, (page + 1) * sizeof(struct tl_page *));

		if (!pages)
			return NULL;
		memset(pages + m->n_pages, 0, (page + 1 - m->n_pages) * sizeof(struct tl_page *));
		m->pages = pages;
		m->n_pages = page + 1;
	}
	old = m->pages[page];
	if (old && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
		return old;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	atomic_init(&own->refs, 1);
	for (size_t i = 0; old && i < TL_PAGE; i++)
		own->at[i] = tl_content_ref(old->at[i]);
	page_unref(old);
	m->pages[page] = own;
	return own;
}

int tl_map_set(struct tl_map *m, uint32_t handle, struct tl_content *take)
{
	struct tl_page *p = own_page(m, handle / TL_PAGE);

	if (!p) {
		tl_content_unref(take);
		return -ENOMEM;
	}
	tl_content_unref(p->at[handle % TL_PAGE]);
	p->at[handle % TL_PAGE] = take;
	return 0;
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

static uint32_t count(struct tl_shared *sh, const struct tl_made_list *l, uint32_t first)
{
	uint32_t n;

	pthread_mutex_lock(&sh->lock);
	n = first + l->n;
	pthread_mutex_unlock(&sh->lock);
	return n;
}

uint32_t tl_n_files(struct tl_shared *sh)
{
	return count(sh, &sh->files, sh->manifest->n_entries);
}

uint32_t tl_n_dirs(struct tl_shared *sh)
{
	return count(sh, &sh->dirs, sh->tree->n_dirs);
}

bool tl_file_name(struct tl_shared *sh, uint32_t handle, struct buffer *out)
{
	const struct manifest *m = sh->manifest;
	bool found;

	if (handle < m->n_entries) {
		buffer_str(out, manifest_name(m, &m->entries[handle]));
		return true;
	}
	pthread_mutex_lock(&sh->lock);
	found = handle - m->n_entries < sh->files.n;
	if (found)
		buffer_text(out, sh->files.all[handle - m->n_entries].name);
	pthread_mutex_unlock(&sh->lock);
	return found;
}

/* The directory above, and the name, which stays where it is. false: it is the root, or none. */
static bool dir_above(struct tl_shared *sh, uint32_t dir, uint32_t *ret_above, const char **ret)
{
	const struct tree *t = sh->tree;
	bool found = true;

	if (dir == 0)
		return false;
	if (dir < t->n_dirs) {
		*ret_above = t->dirs[dir].parent;
		*ret = tree_name(t, &t->children[t->dirs[dir].self]);
		return true;
	}
	pthread_mutex_lock(&sh->lock);
	found = dir - t->n_dirs < sh->dirs.n;
	if (found) {
		*ret_above = sh->dirs.all[dir - t->n_dirs].dir;
		*ret = sh->dirs.all[dir - t->n_dirs].name;
	}
	pthread_mutex_unlock(&sh->lock);
	return found;
}

void tl_dir_path(struct tl_shared *sh, uint32_t dir, struct buffer *out)
{
	const char *name;
	uint32_t above;

	/* A directory is made in one that is there, so this goes up and ends. */
	if (!dir_above(sh, dir, &above, &name))
		return;
	tl_dir_path(sh, above, out);
	buffer_text(out, name);
	buffer_byte(out, '/');
}

int tl_file_path(struct tl_shared *sh, uint32_t handle, struct buffer *out)
{
	const struct manifest *m = sh->manifest;
	uint32_t dir = 0;

	if (handle < m->n_entries) {
		buffer_str(out, manifest_path(m, &m->records[m->entries[handle].record]));
	} else {
		pthread_mutex_lock(&sh->lock);
		if (handle - m->n_entries < sh->files.n)
			dir = sh->files.all[handle - m->n_entries].dir;
		pthread_mutex_unlock(&sh->lock);
		tl_dir_path(sh, dir, out);
	}
	tl_file_name(sh, handle, out);
	buffer_byte(out, 0);
	return out->error;
}
