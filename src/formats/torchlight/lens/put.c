/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/blob_equal.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/model/kit.h"

/* Which fields are set depends on the kind of file. */
struct parsed_file {
	struct parsed parsed;      /* must be first */
	struct tl_content *stored; /* the content to store; NULL: it does not change */
	struct bytes *taught;      /* names in the text that are new; NULL: none */
	struct mod_header *header;
	bool is_pak;
	struct bytes *text; /* of removed.txt and MOD.DAT */
};

static void finish_parsed(struct parsed *parsed)
{
	struct parsed_file *p = (struct parsed_file *)parsed;

	tl_content_unref(p->stored);
	bytes_unref(p->taught);
	modheader_unref(p->header);
	bytes_unref(p->text);
}

/* Store new bytes of a file. small_line: as in struct tl_content. */
static int keep_bytes(const struct tl_map *m, uint32_t handle, const struct extent *x,
	unsigned small_line, struct parsed_file *p, struct error *e)
{
	const struct tl_shared *sh = m->shared;
	const struct manifest_entry *was = manifest_file(tl_mounted(m), handle);
	uint8_t type = was ? was->type : manifest_type(tl_file_name(m, handle));
	int r = tl_content_store(sh->store, sh->budget, x, type, &p->stored, e);

	if (r == 0)
		p->stored->small_line = small_line;
	return r;
}

/* An old content that cannot be read differs from the new one. */
static int parse_bytes(
	const struct tl_map *m, uint32_t handle, struct parsed_file *p, struct error *e)
{
	const struct extent *in = &p->parsed.content->bytes;
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	bool same = false;
	int r = tl_map_content(m, handle, &c, e);

	if (r == 0 && c->blob->size == in->size)
		r = tl_content_check(c, e);
	if (r == 0)
		r = blob_equals_extent(c->blob, in, &same, e);
	p->parsed.is_unchanged = same;
	if (same || (r < 0 && r != -EIO && r != -ENODATA))
		return r;
	return keep_bytes(m, handle, in, 0, p, e);
}

/* A write to a compiled file, with the previous file. */
struct compiled_write {
	const struct tl_map *m;
	uint32_t handle;
	enum compiled_kind kind;
	struct compiled_context ctx;
	struct names *names; /* for compiling; borrowed, as in ctx */
	struct buffer path;
	struct bytes *new;
	struct tl_content *old_content; /* NULL: not readable */
	struct bytes *old;
	struct bytes *shown; /* its text, if it is shown as text */
	struct compiled_remarks remarks;
};

static void finish_write(struct compiled_write *w)
{
	buffer_finish_free(&w->path);
	bytes_unref(w->new);
	tl_content_unref(w->old_content);
	bytes_unref(w->old);
	bytes_unref(w->shown);
	buffer_finish_free(&w->remarks.names);
}

static int load_old(struct compiled_write *w, struct error *e)
{
	int r = tl_view_find(w->m, w->handle, &w->old_content, &w->shown, e);

	if (r == 0)
		r = tl_content_load(w->old_content, TEXT_MAX, &w->old, e);
	return r == -EIO || r == -ENODATA || r == -EFBIG ? 0 : r;
}

static int begin_write(struct compiled_write *w, const struct extent *in, struct error *e)
{
	int r = extent_load(in, TL_INPUT_MAX, &w->new, e);

	if (r == -EFBIG)
		r = e ? e->code = -EINVAL : -EINVAL;
	if (r == 0)
		r = tl_map_names(w->m, &w->names, e);
	if (r == 0)
		r = load_old(w, e);
	if (r == 0 && tl_file_path(w->m, w->handle, &w->path) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	w->ctx = (struct compiled_context){
		.path = (const char *)w->path.data, .names = w->names, .form = w->m->shared->form};
	return r;
}

/* Does the file hold the same bytes, or have the same text with these names? */
static int is_same_text(const struct compiled_write *w, const struct bytes *made,
	const struct names *names, bool *ret, struct error *e)
{
	const struct names *own = w->old_content && w->old_content->names ? w->old_content->names
									  : w->m->shared->names;
	struct compiled_context ctx = w->ctx;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct error none = ERROR_INIT;
	int r = 0;

	*ret = bytes_equal(w->old, made);
	if (!*ret || own == names || !w->shown)
		return 0;
	ctx.names = names;
	r = compiled_decode(w->kind, &ctx, made->data, made->size, &text, &none, e);
	*ret = r == 0 && text.size == w->shown->size &&
	       memcmp(text.data, w->shown->data, text.size) == 0;
	return r;
}

/* Compile a written text, with data that the old file keeps. */
static int compile_text(struct compiled_write *w, struct parsed_file *p, struct error *e)
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
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = names_extend(w->names, (const char *)taught->data, taught->size, &names, e);
	if (r == 0)
		r = is_same_text(w, made, names, &known, e);
	if (r < 0)
		return r;
	p->parsed.is_unchanged = known && !taught->size;
	if (taught->size && buffer_finish(taught, &p->taught) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	x = extent_of_bytes(TAKE(made));
	return known ? 0 : keep_bytes(w->m, w->handle, &x, w->remarks.small_line, p, e);
}

/* Parse a write to a compiled file. The bytes themselves show which form they have. */
static int parse_compiled(struct compiled_write *w, struct parsed_file *p, struct error *e)
{
	const struct extent *in = &p->parsed.content->bytes;
	int r = 0;

	p->parsed.is_unchanged = bytes_equal(w->shown, w->new) || bytes_equal(w->old, w->new);
	if (p->parsed.is_unchanged)
		return 0;
	switch (compiled_form_of(w->kind, w->ctx.path, w->new->data, w->new->size)) {
	case COMPILED_TEXT:
		return compile_text(w, p, e);
	case COMPILED_BINARY:
		r = compiled_check(w->kind, &w->ctx, w->new->data, w->new->size, e);
		break;
	case COMPILED_XML:
		break;
	}
	return r < 0 ? r : keep_bytes(w->m, w->handle, in, 0, p, e);
}

static int parse_file(
	const struct tl_map *m, uint32_t handle, struct parsed_file *p, struct error *e)
{
	struct compiled_write w = {.m = m, .handle = handle, .kind = tl_file_kind(m, handle)};
	int r;

	if (w.kind == COMPILED_NONE)
		return parse_bytes(m, handle, p, e);
	r = begin_write(&w, &p->parsed.content->bytes, e);
	if (r == 0)
		r = parse_compiled(&w, p, e);
	finish_write(&w);
	return r;
}

static int parse_removed(const struct tl_map *m, struct parsed_file *p, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = extent_load(&p->parsed.content->bytes, TL_INPUT_MAX, &text, e);

	if (r < 0)
		return r;
	p->parsed.is_unchanged = bytes_equal(text, m->removed);
	if (p->parsed.is_unchanged)
		p->text = bytes_ref(m->removed);
	else
		r = removed_parse(text->data, text->size, &p->text, e);
	p->parsed.is_unchanged |= r == 0 && bytes_equal(p->text, m->removed);
	return r;
}

static int parse_kit(const struct tl_map *m, struct parsed_file *p, struct error *e)
{
	int r = extent_load(&p->parsed.content->bytes, TL_INPUT_MAX, &p->text, e);

	if (r == 0)
		r = kit_read(p->text, p->header, e);
	p->parsed.is_unchanged = r == 0 && bytes_equal(m->kit, p->text);
	return r;
}

static int parse_info(const struct tl_map *m, struct parsed_file *p, struct error *e)
{
	int r = tl_info_parse(m, &p->parsed.content->bytes, p->header, &p->is_pak, e);

	if (r < 0)
		return r;
	p->parsed.is_unchanged = m->header ? p->is_pak || tl_info_same(m->header, p->header)
					   : p->is_pak || m->info_dropped;
	return 0;
}

static int parse_entry(const struct tl_map *m, entry_id id, struct parsed_file *p, struct error *e)
{
	if (tl_kind_of(id) == TL_FILE)
		return parse_file(m, tl_index(id), p, e);
	if (tl_is_dir(id))
		return error_set(e, -EISDIR, "is a directory");
	if (tl_index(id) == TL_CONTROL_REMOVED)
		return parse_removed(m, p, e);
	p->header = m->header ? modheader_copy(m->header) : NULL;
	if (m->header && !p->header)
		return error_set(e, -ENOMEM, "out of memory");
	return (tl_index(id) == TL_CONTROL_KIT ? parse_kit : parse_info)(m, p, e);
}

int tl_parse(const struct snapshot *s, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	struct parsed_file *p = parsed_new(sizeof(*p), in, finish_parsed);

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	return parsed_finish(&p->parsed, parse_entry(tl_map_of(s), id, p, e), ret);
}

/* Apply the content of a file. Returns 1 if m changed, like all functions below. A text is shown by
 * the names that it was written with. The names that it taught are used to compile others only. */
static int apply_file(
	struct tl_map *m, uint32_t handle, const struct parsed_file *p, struct error *e)
{
	CLEANUP(names_unref) struct names *names = NULL;
	struct names *known = NULL;
	struct tl_content *c;
	int r = 0;

	if (p->taught)
		r = tl_map_names(m, &known, e);
	if (r == 0 && p->taught)
		r = names_extend(known, (const char *)p->taught->data, p->taught->size, &names, e);
	if (r < 0)
		return r;
	if (p->stored) {
		c = tl_content_with_names(p->stored, names ? names : m->names);
		if (!c || pages_set(&m->files, handle, c) < 0)
			return error_set(e, -ENOMEM, "out of memory");
	}
	if (names) {
		names_unref(m->names);
		m->names = TAKE(names);
	}
	return p->stored || p->taught;
}

static int set_bytes(struct bytes **at, struct bytes *to)
{
	if (bytes_equal(*at, to))
		return 0;
	bytes_unref(*at);
	*at = bytes_ref(to);
	return 1;
}

/* The initial header of a new MOD does not count as written. */
static int apply_info(struct tl_map *m, const struct parsed_file *p)
{
	struct mod_header *fresh = m->shared->fresh;
	bool dropped = m->info_dropped;

	m->info_dropped |= !p->is_pak && !m->header;
	if (p->is_pak || !m->header || tl_info_same(m->header, p->header))
		return m->info_dropped != dropped;
	m->header_written = !fresh || !tl_info_same(fresh, p->header);
	modheader_unref(m->header);
	m->header = modheader_ref(m->header_written ? p->header : fresh);
	return 1;
}

static int apply_entry(struct tl_map *m, entry_id id, const struct parsed_file *p, struct error *e)
{
	if (tl_kind_of(id) == TL_FILE)
		return apply_file(m, tl_index(id), p, e);
	if (tl_index(id) == TL_CONTROL_INFO)
		return apply_info(m, p);
	return set_bytes(tl_index(id) == TL_CONTROL_KIT ? &m->kit : &m->removed, p->text);
}

int tl_apply(struct snapshot **s, entry_id id, const struct parsed *p, const struct build_context *,
	const struct snapshot *, bool *ret_changed, struct error *e)
{
	struct tl_map *m = (struct tl_map *)*s;
	int r;

	*ret_changed = false;
	if (p->is_unchanged)
		return 0;
	if (atomic_load_explicit(&m->snapshot.refs, memory_order_acquire) != 1) {
		m = tl_map_copy(m);
		if (!m)
			return error_set(e, -ENOMEM, "out of memory");
		snapshot_unref(*s);
		*s = &m->snapshot;
	}
	r = apply_entry(m, id, (const struct parsed_file *)p, e);
	*ret_changed = r > 0;
	return r < 0 ? r : 0;
}
