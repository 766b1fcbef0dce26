/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "codec/blob_equal.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/model/kit.h"

/* New bytes for a file, shown by these names (may be NULL), of a text with that line
 * (content.h). As all below, 1: m is another one now. */
static int keep(struct tl_map *m, uint32_t handle, const struct extent *x, struct names *names,
	unsigned small_line, struct error *e)
{
	const struct tl_shared *sh = m->shared;
	const struct manifest_entry *was = manifest_file(tl_mounted(m), handle);
	uint8_t type = was ? was->type : manifest_type(tl_file_name(m, handle));
	struct tl_content *c;
	int r = tl_content_keep(sh->store, sh->budget, x, type, &c, e);

	if (r < 0)
		return r;
	c->names = names_ref(names);
	c->small_line = small_line;
	r = pages_set(&m->files, handle, c);
	return r < 0 ? error_set(e, r, "no memory for a change") : 1;
}

/* What cannot be read holds nothing, and so not these bytes. */
static int put_bytes(struct tl_map *m, uint32_t handle, const struct extent *in, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	bool same = false;
	int r = tl_map_content(m, handle, &c, e);

	if (r == 0 && c->blob->size == in->size)
		r = tl_content_check(c, e);
	if (r == 0)
		r = blob_equals_extent(c->blob, in, &same, e);
	if (same || (r < 0 && r != -EIO && r != -ENODATA))
		return r;
	return keep(m, handle, in, NULL, 0, e);
}

/* What is written to a compiled file, and the file as it was. */
struct writing {
	struct tl_map *m;
	uint32_t handle;
	enum compiled_kind kind;
	struct compiled_context ctx;
	struct names *names; /* for compiling; borrowed, as in ctx */
	struct buffer path;
	struct bytes *new;
	struct tl_content *was; /* NULL: none that can be read */
	struct bytes *old;
	struct bytes *shown; /* where that is a text */
	struct compiled_remarks remarks;
};

static void writing_finish(struct writing *w)
{
	buffer_finish_free(&w->path);
	bytes_unref(w->new);
	tl_content_unref(w->was);
	bytes_unref(w->old);
	bytes_unref(w->shown);
	buffer_finish_free(&w->remarks.names);
}

static int load_old(struct writing *w, struct error *e)
{
	int r = tl_view_find(w->m, w->handle, &w->was, &w->shown, e);

	if (r == 0)
		r = tl_content_load(w->was, TEXT_MAX, &w->old, e);
	return r == -EIO || r == -ENODATA || r == -EFBIG ? 0 : r;
}

static int writing_begin(struct writing *w, const struct extent *in, struct error *e)
{
	int r = extent_load(in, TL_INPUT_MAX, &w->new, e);

	if (r == -EFBIG)
		r = e ? e->code = -EINVAL : -EINVAL;
	if (r == 0)
		r = tl_map_names(w->m, &w->names, e);
	if (r == 0)
		r = load_old(w, e);
	if (r == 0 && tl_file_path(w->m, w->handle, &w->path) < 0)
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

/* A text, over the file as it was. It is shown by the names that it was written with; what it
 * taught helps to compile others, and changes none that is shown. */
static int compile(struct writing *w, struct error *e)
{
	struct buffer *taught = &w->remarks.names;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *made = NULL;
	CLEANUP(names_unref) struct names *names = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	bool known = false;
	int r = compiled_encode(w->kind, &w->ctx, w->new->data, w->new->size,
		w->old ? w->old->data : NULL, w->old ? w->old->size : 0, &w->remarks, &out, e);

	if (r == 0 && (buffer_finish(&out, &made) < 0 || taught->error))
		r = error_set(e, -ENOMEM, "no memory for a compiled file");
	if (r == 0)
		r = names_extend(w->names, (const char *)taught->data, taught->size, &names, e);
	if (r == 0)
		r = says_nothing_new(w, made, names, &known, e);
	if (r < 0)
		return r;
	x = extent_of_bytes(TAKE(made));
	r = known ? taught->size > 0 : keep(w->m, w->handle, &x, names, w->remarks.small_line, e);
	if (r >= 0 && taught->size) {
		names_unref(w->m->names);
		w->m->names = TAKE(names);
	}
	return r;
}

/* A file that is compiled: what was written says by itself as what it is meant. */
static int judge(struct writing *w, const struct extent *in, struct error *e)
{
	int r = 0;

	if (bytes_same(w->shown, w->new) || bytes_same(w->old, w->new))
		return 0;
	switch (compiled_form_of(w->kind, w->ctx.path, w->new->data, w->new->size)) {
	case COMPILED_TEXT:
		return compile(w, e);
	case COMPILED_BINARY:
		r = compiled_check(w->kind, &w->ctx, w->new->data, w->new->size, e);
		break;
	case COMPILED_XML:
		break;
	}
	return r < 0 ? r : keep(w->m, w->handle, in, NULL, 0, e);
}

static int put_file(struct tl_map *m, uint32_t handle, const struct extent *in, struct error *e)
{
	struct writing w = {.m = m, .handle = handle, .kind = tl_file_kind(m, handle)};
	int r;

	if (w.kind == COMPILED_NONE)
		return put_bytes(m, handle, in, e);
	r = writing_begin(&w, in, e);
	if (r == 0)
		r = judge(&w, in, e);
	writing_finish(&w);
	return r;
}

static int set_bytes(struct bytes **at, struct bytes *to)
{
	if (bytes_same(*at, to))
		return 0;
	bytes_unref(*at);
	*at = bytes_ref(to);
	return 1;
}

static int put_removed(struct tl_map *m, const struct extent *in, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL, *parsed = NULL;
	int r = extent_load(in, TL_INPUT_MAX, &text, e);

	if (r < 0 || bytes_same(text, m->removed))
		return r;
	r = removed_parse(text->data, text->size, &parsed, e);
	return r < 0 ? r : set_bytes(&m->removed, parsed);
}

static int put_kit(struct tl_map *m, const struct extent *in, struct mod_header *h, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *written = NULL;
	int r = extent_load(in, TL_INPUT_MAX, &written, e);

	if (r == 0)
		r = kit_read(written, h, e);
	return r < 0 ? r : set_bytes(&m->kit, written);
}

/* That with which a MOD began is none that somebody wrote. */
static int put_info(
	struct tl_map *m, const struct extent *in, struct mod_header *h, struct error *e)
{
	struct mod_header *fresh = m->shared->fresh;
	bool pak, dropped = m->info_dropped;
	int r = tl_info_parse(m, in, h, &pak, e);

	if (r < 0)
		return r;
	m->info_dropped |= !pak && !m->header;
	if (pak || !m->header || tl_info_same(m->header, h))
		return m->info_dropped != dropped;
	m->header_written = !fresh || !tl_info_same(fresh, h);
	modheader_unref(m->header);
	m->header = modheader_ref(m->header_written ? h : fresh);
	return 1;
}

static int put(struct tl_map *m, entry_id id, const struct extent *in, struct error *e)
{
	CLEANUP(modheader_unref) struct mod_header *h = NULL;

	if (tl_kind_of(id) == TL_FILE)
		return put_file(m, tl_index(id), in, e);
	if (tl_is_dir(id))
		return error_set(e, -EISDIR, "a directory");
	if (tl_index(id) == TL_CONTROL_REMOVED)
		return put_removed(m, in, e);
	h = m->header ? modheader_copy(m->header) : NULL;
	if (m->header && !h)
		return error_set(e, -ENOMEM, "no memory for the header");
	return (tl_index(id) == TL_CONTROL_KIT ? put_kit : put_info)(m, in, h, e);
}

int tl_put(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct format_others *, struct snapshot **ret, struct touched *t, struct error *e)
{
	struct tl_map *m = tl_map_copy(tl_map_of(s));
	CLEANUP(snapshot_unref) struct snapshot *done = m ? &m->snapshot : NULL;
	int r = m ? put(m, id, in, e)
		  : error_set(e, -ENOMEM, "no memory for another version of the archive");

	if (r <= 0)
		return r;
	touched_add(t, id);
	*ret = TAKE(done);
	return 0;
}
