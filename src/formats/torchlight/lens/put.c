/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "codec/blob_equal.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/removed_text.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/model/kit.h"

static void change_finish(struct tl_change *c)
{
	tl_content_unref(c->content);
	buffer_finish_free(&c->new_names);
	modheader_free(c->header);
	bytes_unref(c->removed);
	bytes_unref(c->kit);
}

static int type_of(const struct tl_map *m, uint32_t handle, uint8_t *ret)
{
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;

	if (handle < m->shared->manifest->n_entries) {
		*ret = m->shared->manifest->entries[handle].type;
		return 0;
	}
	tl_file_name(m, handle, &name);
	*ret = manifest_type(str_of_buffer(&name));
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

static int parse(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	if (tl_kind_of(c->id) == TL_FILE)
		return parse_file(m, in, c, e);
	if (c->id == tl_id(TL_CONTROL, TL_CONTROL_INFO))
		return tl_info_parse(m, in, c, e);
	if (c->id == tl_id(TL_CONTROL, TL_CONTROL_REMOVED))
		return parse_removed(m, in, c, e);
	if (c->id == tl_id(TL_CONTROL, TL_CONTROL_KIT))
		return parse_kit(m, in, c, e);
	return error_set(e, -EISDIR, "a directory");
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
	m->header_written = !fresh || !tl_info_same(fresh->h, h);
	m->header = m->header_written ? tl_header_new(tl_header_copy(h)) : tl_header_ref(fresh);
	return m->header ? 0 : -ENOMEM;
}

static int apply(const struct tl_map *base, const struct tl_change *c, struct snapshot **ret,
	struct error *e)
{
	struct tl_map *m = tl_map_copy(base);
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	int r = 0;

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
	*ret = TAKE(done);
	return 0;
}

int tl_put(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct format_others *others, struct snapshot **ret, struct touched *t,
	struct error *e)
{
	__attribute__((cleanup(change_finish))) struct tl_change c = {.id = id};
	int r = parse(tl_map_of(s), in, &c, e);

	(void)others;
	if (r < 0 || !(c.content || c.header || c.removed || c.kit || c.info_dropped ||
			     c.new_names.size))
		return r;
	touched_add(t, id);
	return apply(tl_map_of(s), &c, ret, e);
}
