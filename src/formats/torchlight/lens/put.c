/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "codec/blob_equal.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/removed_text.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/model/kit.h"

static void free_change(struct change *change)
{
	struct tl_change *c = (struct tl_change *)change;

	snapshot_unref(&c->base->snapshot);
	tl_content_unref(c->content);
	buffer_finish_free(&c->new_names);
	modheader_free(c->header);
	bytes_unref(c->removed);
	bytes_unref(c->kit);
	free(c);
}

static int type_of(const struct tl_map *m, uint32_t handle, uint8_t *ret)
{
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;

	if (handle < m->shared->manifest->n_entries) {
		*ret = m->shared->manifest->entries[handle].type;
		return 0;
	}
	tl_file_name(m, handle, &name);
	*ret = manifest_type((struct str){(const char *)name.data, name.size});
	return name.error;
}

static int keep(
	const struct tl_map *m, const struct extent *x, struct tl_change *c, struct error *e)
{
	uint8_t type;
	int r = type_of(m, tl_index(c->id), &type);

	if (r < 0)
		return error_set(e, r, "no memory for a name");
	return tl_content_keep(m->shared->store, m->shared->budget, x, type, &c->content, e);
}

/* Does the file hold these bytes already? What cannot be read holds nothing. */
static int holds(const struct tl_map *m, uint32_t handle, const struct extent *in, bool *ret,
	struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_map_content(m, handle, &c, e);

	*ret = false;
	if (r == 0 && c->blob->size == in->size)
		r = tl_content_check(c, e);
	if (r == 0)
		r = blob_equals_extent(c->blob, in, ret, e);
	return r == -EIO || r == -ENODATA ? 0 : r;
}

static int parse_bytes(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	bool same;
	int r = holds(m, tl_index(c->id), in, &same, e);

	return r < 0 || same ? r : keep(m, in, c, e);
}

/* What is written to a compiled file, and the file as it was. */
struct writing {
	const struct tl_map *m;
	enum compiled_kind kind;
	struct compiled_context ctx;
	struct names *names; /* for compiling; borrowed, as in ctx */
	struct buffer path;
	struct bytes *new;
	struct tl_content *was; /* NULL: none that can be read */
	struct bytes *old;
	struct bytes *shown; /* where that is a text */
};

static void writing_finish(struct writing *w)
{
	buffer_finish_free(&w->path);
	bytes_unref(w->new);
	tl_content_unref(w->was);
	bytes_unref(w->old);
	bytes_unref(w->shown);
}

static int load_old(struct writing *w, uint32_t handle, struct error *e)
{
	int r = tl_view_find(w->m, handle, &w->was, e);

	if (r == 0 && w->was->view == TL_TEXT)
		r = tl_view_text(w->m, handle, w->was, &w->shown, e);
	if (r == 0)
		r = tl_content_load(w->was, TEXT_MAX, &w->old, e);
	return r == -EIO || r == -ENODATA || r == -EFBIG ? 0 : r;
}

static int writing_begin(
	struct writing *w, uint32_t handle, const struct extent *in, struct error *e)
{
	int r = extent_load(in, TL_INPUT_MAX, &w->new, e);

	if (r == -EFBIG)
		r = e ? e->code = -EINVAL : -EINVAL;
	if (r == 0)
		r = tl_map_names(w->m, &w->names, e);
	if (r == 0)
		r = load_old(w, handle, e);
	if (r == 0 && tl_file_path(w->m, handle, &w->path) < 0)
		r = error_set(e, -ENOMEM, "no memory for a text");
	w->ctx = (struct compiled_context){
		.path = (const char *)w->path.data, .names = w->names, .form = w->m->shared->form};
	return r;
}

/* Does the file hold this already, and show the same by these names? */
static int says_nothing_new(const struct writing *w, const struct bytes *made,
	const struct names *names, bool *ret, struct error *e)
{
	const struct names *own = w->was && w->was->names ? w->was->names : w->m->shared->names;
	struct compiled_context ctx = w->ctx;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct error none = ERROR_INIT;
	int r = 0;

	*ret = bytes_same(w->old, made);
	if (!*ret || own == names || !w->shown)
		return 0;
	ctx.names = names;
	r = compiled_decode(w->kind, &ctx, made->data, made->size, &text, &none, e);
	*ret = r == 0 && text.size == w->shown->size &&
	       memcmp(text.data, w->shown->data, text.size) == 0;
	return r;
}

/* A text, over the file as it was. It is shown by the names that it was written with. */
static int compile(const struct writing *w, struct tl_change *c, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *made = NULL;
	CLEANUP(names_unref) struct names *names = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	bool known = false;
	int r = compiled_encode(w->kind, &w->ctx, w->new->data, w->new->size,
		w->old ? w->old->data : NULL, w->old ? w->old->size : 0, &c->new_names, &out, e);

	if (r == 0 && (buffer_finish(&out, &made) < 0 || c->new_names.error))
		r = error_set(e, -ENOMEM, "no memory for a compiled file");
	if (r == 0)
		r = names_extend(
			w->names, (const char *)c->new_names.data, c->new_names.size, &names, e);
	if (r == 0)
		r = says_nothing_new(w, made, names, &known, e);
	if (r < 0 || known)
		return r;
	x = extent_of_bytes(TAKE(made));
	c->known = w->names;
	r = keep(w->m, &x, c, e);
	if (r == 0)
		c->content->names = TAKE(names);
	return r;
}

/* A file that is compiled: what was written says by itself as what it is meant. */
static int judge(
	const struct writing *w, const struct extent *in, struct tl_change *c, struct error *e)
{
	int r;

	if (bytes_same(w->shown, w->new) || bytes_same(w->old, w->new))
		return 0;
	switch (compiled_form_of(w->kind, w->ctx.path, w->new->data, w->new->size)) {
	case COMPILED_TEXT:
		return compile(w, c, e);
	case COMPILED_BINARY:
		r = compiled_check(w->kind, &w->ctx, w->new->data, w->new->size, e);
		return r < 0 ? r : keep(w->m, in, c, e);
	default:
		return keep(w->m, in, c, e);
	}
}

static int parse_file(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	struct writing w = {.m = m};
	int r = tl_kind_of_file(m, tl_index(c->id), &w.kind);

	if (r < 0)
		return error_set(e, r, "no memory for a name");
	if (w.kind == COMPILED_NONE)
		return parse_bytes(m, in, c, e);
	r = writing_begin(&w, tl_index(c->id), in, e);
	if (r == 0)
		r = judge(&w, in, c, e);
	writing_finish(&w);
	return r;
}

static int parse_removed(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL, *parsed = NULL;
	int r = extent_load(in, TL_INPUT_MAX, &text, e);

	if (r < 0)
		return r;
	if (bytes_same(text, m->removed))
		return 0;
	r = removed_parse(text->data, text->size, &parsed, e);
	if (r == 0 && !bytes_same(parsed, m->removed))
		c->removed = TAKE(parsed);
	return r;
}

static int parse_kit(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	CLEANUP(modheader_free) struct mod_header *h = tl_header_copy(m->header->h);
	CLEANUP(bytes_unref) struct bytes *written = NULL;
	int r = h ? extent_load(in, TL_INPUT_MAX, &written, e)
		  : error_set(e, -ENOMEM, "no memory for the header");

	if (r == 0)
		r = kit_read(written, h, e);
	if (r == 0 && !bytes_same(m->kit, written))
		c->kit = TAKE(written);
	return r;
}

int tl_parse(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct format_others *others, struct change **ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	struct tl_change *c = calloc(1, sizeof(*c));
	CLEANUP(change_free) struct change *done = c ? &c->change : NULL;
	int r;

	(void)others;
	if (!c)
		return error_set(e, -ENOMEM, "no memory for a change");
	done->free = free_change;
	c->base = (struct tl_map *)snapshot_ref(s);
	c->id = id;
	if (tl_kind_of(id) == TL_FILE)
		r = parse_file(m, in, c, e);
	else if (id == tl_id(TL_CONTROL, TL_CONTROL_INFO))
		r = tl_info_parse(m, in, c, e);
	else if (id == tl_id(TL_CONTROL, TL_CONTROL_REMOVED))
		r = parse_removed(m, in, c, e);
	else if (id == tl_id(TL_CONTROL, TL_CONTROL_KIT))
		r = parse_kit(m, in, c, e);
	else
		r = error_set(e, -EISDIR, "a directory");
	if (r < 0)
		return r;
	if (c->content || c->header || c->removed || c->kit || c->info_dropped || c->new_names.size)
		*ret = TAKE(done);
	else
		*ret = NULL;
	return 0;
}

static bool is_stale(const struct tl_map *now, const struct tl_change *c)
{
	const struct tl_map *base = c->base;

	if (now == base)
		return false;
	if (c->header || c->info_dropped)
		return now->header != base->header;
	if (c->removed)
		return now->removed != base->removed;
	if (c->kit)
		return now->kit != base->kit;
	return now->base != base->base ||
	       tl_map_file(now, tl_index(c->id)) != tl_map_file(base, tl_index(c->id));
}

/* What a text taught helps to compile others, and changes none that is shown. */
static int learn(struct tl_map *m, const struct tl_change *c, struct error *e)
{
	struct names *names = NULL, *more = NULL;
	int r;

	if (!c->new_names.size)
		return 0;
	r = tl_map_names(m, &names, e);
	if (r == 0 && names == c->known && c->content)
		more = names_ref(c->content->names);
	else if (r == 0)
		r = names_extend(
			names, (const char *)c->new_names.data, c->new_names.size, &more, e);
	if (r < 0)
		return r;
	names_unref(m->names);
	m->names = more;
	return 0;
}

/* That with which a MOD began is none that somebody wrote. */
static int set_header(struct tl_map *m, const struct mod_header *h)
{
	struct tl_header *fresh = m->shared->fresh;

	tl_header_unref(m->header);
	if (fresh && tl_info_same(fresh->h, h))
		m->header = tl_header_ref(fresh);
	else
		m->header = tl_header_new(tl_header_copy(h));
	return m->header ? 0 : -ENOMEM;
}

int tl_apply(struct snapshot **s, const struct change *change, struct touched *t, struct error *e)
{
	const struct tl_change *c = (const struct tl_change *)change;
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tl_map *m;
	int r = 0;

	if (is_stale(tl_map_of(*s), c))
		return error_set(e, -ESTALE, "it was changed meanwhile");
	m = tl_map_copy(tl_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the archive");
	done = &m->snapshot;
	if (c->content)
		r = tl_map_set(m, tl_index(c->id), tl_content_ref(c->content));
	if (r == 0)
		r = learn(m, c, e);
	if (r == 0 && c->header)
		r = set_header(m, c->header);
	if (r < 0)
		return e && e->code ? r : error_set(e, r, "no memory for a change");
	if (c->removed) {
		bytes_unref(m->removed);
		m->removed = bytes_ref(c->removed);
	}
	if (c->kit) {
		bytes_unref(m->kit);
		m->kit = bytes_ref(c->kit);
	}
	m->info_dropped |= c->info_dropped;
	touched_add(t, c->id);
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
