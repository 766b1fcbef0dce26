/* SPDX-License-Identifier: Zlib */
/* The texts of compiled files, and the dictionary that they are written with. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/torchlight/map.h"

enum { NAMES_FILE_MAX = 16 << 20 };

static int add_names_file(struct tl_shared *sh, struct names **names, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *list = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct names *more = NULL;
	struct stat st;
	int r;

	if (!sh->names_file)
		return 0;
	if (fstat(sh->names_file->fd, &st) < 0)
		return error_errno(e, "the list of names");
	x = extent_of_file(file_ref(sh->names_file), 0, (uint64_t)st.st_size);
	r = extent_load(&x, NAMES_FILE_MAX, &list, e);
	if (r == 0)
		r = names_extend(*names, (const char *)list->data, list->size, &more, e);
	if (r < 0)
		return error_context(e, "the list of names"), r;
	names_unref(*names);
	*names = more;
	return 0;
}

/* The game's own dictionary, where the archive has it. One that cannot be read gives no names. */
static int add_tags(const struct tl_map *m, struct names **names, struct error *e)
{
	const struct tree *t = m->shared->tree;
	const struct tree_child *c = tree_find(t, 0, "MEDIA");
	CLEANUP(tl_content_unref) struct tl_content *content = NULL;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	CLEANUP_BUFFER struct buffer list = BUFFER_INIT;
	struct names *more = NULL;
	int r;

	c = c && c->dir ? tree_find(t, c->index, "TAGS.DAT") : NULL;
	if (!c || c->dir || tl_base_content(m->base, c->index, &content, NULL) < 0)
		return 0;
	if (tl_content_load(content, TEXT_MAX, &raw, NULL) < 0 ||
		names_of_tags(raw->data, raw->size, &list, NULL) < 0 || !list.size)
		return 0;
	r = names_extend(*names, (const char *)list.data, list.size, &more, e);
	if (r < 0)
		return r;
	names_unref(*names);
	*names = more;
	return 0;
}

static int make_names(const struct tl_map *m, struct names **ret, struct error *e)
{
	CLEANUP(names_unref) struct names *names = names_create();
	int r;

	if (!names)
		return error_set(e, -ENOMEM, "no memory for the list of names");
	r = add_names_file(m->shared, &names, e);
	if (r == 0)
		r = add_tags(m, &names, e);
	if (r == 0)
		*ret = TAKE(names);
	return r;
}

int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e)
{
	struct tl_shared *sh = m->shared;
	int r = 0;

	if (m->names) {
		*ret = m->names;
		return 0;
	}
	pthread_mutex_lock(&sh->lock);
	if (!sh->names)
		r = make_names(m, &sh->names, e);
	if (r == 0)
		*ret = sh->names;
	pthread_mutex_unlock(&sh->lock);
	return r;
}

/* The text of content by these names: a new reference. NULL: no memory. */
static struct tl_text *text_of(struct tl_content *c, struct names *names, struct budget *budget)
{
	struct tl_text *t;

	pthread_mutex_lock(&c->lock);
	if (!c->text || c->text->names != names) {
		t = tl_text_new(names, budget);
		if (t) {
			tl_text_unref(c->text);
			c->text = t;
		}
	}
	t = c->text && c->text->names == names ? tl_text_ref(c->text) : NULL;
	pthread_mutex_unlock(&c->lock);
	return t;
}

/* Another packer puts a layout into an archive as it was written, in the place of a compiled one.
 */
static bool is_written(const struct bytes *raw)
{
	const uint8_t *d = raw->data;

	if (raw->size >= 2 && d[0] == 0xFF && d[1] == 0xFE)
		return true;
	return raw->size && (d[0] == '[' || d[0] == '<');
}

struct decoding {
	const struct tl_map *m;
	uint32_t handle;
	struct tl_content *content;
	struct tl_text *text;
};

static int decode(const struct decoding *d, const struct bytes *raw, struct buffer *out,
	struct error *readonly, struct error *e)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT, utf8 = BUFFER_INIT;
	struct compiled_context ctx = {.names = d->text->names, .form = d->m->shared->form};
	enum compiled_kind kind;
	int r = tl_file_path(d->m->shared, d->handle, &path);

	if (r < 0)
		return error_set(e, r, "no memory for a text");
	ctx.path = (const char *)path.data;
	kind = compiled_kind_of(ctx.path);
	if (kind == COMPILED_RAW || !is_written(raw))
		return compiled_decode(kind, &ctx, raw->data, raw->size, out, readonly, e);
	r = textform_read(raw->data, raw->size, &utf8, e);
	if (r == -EINVAL)
		r = -EIO;
	return r < 0 ? r : textform_write(utf8.data, utf8.size, ctx.form, out, e);
}

static int load(void *arg, struct bytes **ret, struct error *e)
{
	struct decoding *d = arg;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error readonly = ERROR_INIT;
	struct tl_text *t = d->text;
	int r = tl_content_load(d->content, TEXT_MAX, &raw, e);

	if (r == 0)
		r = decode(d, raw, &out, &readonly, e);
	if (r == -EFBIG || r == -EINVAL)
		r = -EIO;
	if (r == 0 && buffer_finish(&out, ret) < 0)
		r = error_set(e, -ENOMEM, "no memory for a text");
	/* What cannot be shown has no bytes, and is not asked for its size again. */
	if (r == 0 || r == -EIO) {
		pthread_mutex_lock(&t->lock);
		t->known = true;
		t->size = r == 0 ? (*ret)->size : 0;
		t->readonly = readonly;
		pthread_mutex_unlock(&t->lock);
	}
	return r;
}

int tl_text_load(const struct tl_map *m, uint32_t handle, struct bytes **ret,
	struct error *ret_readonly, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(tl_text_unref) struct tl_text *t = NULL;
	struct decoding d = {.m = m, .handle = handle};
	struct names *names = NULL;
	int r = tl_map_content(m, handle, &c, e);

	if (r == 0)
		r = tl_map_names(m, &names, e);
	if (r < 0)
		return r;
	t = text_of(c, names, m->shared->budget);
	if (!t)
		return error_set(e, -ENOMEM, "no memory for a text");
	d.content = c;
	d.text = t;
	if (t->budget)
		r = budget_get(t->budget, &t->slot, load, &d, ret, e);
	else
		r = load(&d, ret, e);
	if (r == 0 && ret_readonly) {
		pthread_mutex_lock(&t->lock);
		*ret_readonly = t->readonly;
		pthread_mutex_unlock(&t->lock);
	}
	return r;
}

bool tl_text_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size, bool *ret_readonly)
{
	struct tl_content *c = tl_content_ref(tl_map_file(m, handle));
	const struct names *names = m->names;
	bool known = false;

	if (!c)
		c = tl_base_peek(m->base, handle);
	if (!c)
		return false;
	if (!names) {
		pthread_mutex_lock(&m->shared->lock);
		names = m->shared->names;
		pthread_mutex_unlock(&m->shared->lock);
	}
	pthread_mutex_lock(&c->lock);
	if (c->text && c->text->names == names) {
		pthread_mutex_lock(&c->text->lock);
		known = c->text->known;
		*ret_size = c->text->size;
		*ret_readonly = c->text->readonly.code != 0;
		pthread_mutex_unlock(&c->text->lock);
	}
	pthread_mutex_unlock(&c->lock);
	tl_content_unref(c);
	return known;
}
