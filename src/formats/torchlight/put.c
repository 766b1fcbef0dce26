/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "formats/torchlight/lens.h"
#include "formats/torchlight/removed.h"
#include "formats/torchlight/structure.h"

/* A text in UTF-16 has twice the bytes. */
enum { INPUT_MAX = 2 * TEXT_MAX + 2 };

static void free_change(struct change *change)
{
	struct tl_change *c = (struct tl_change *)change;

	snapshot_unref(&c->base->snapshot);
	tl_content_unref(c->content);
	buffer_finish_free(&c->new_names);
	modheader_free(c->header);
	bytes_unref(c->removed);
	free(c);
}

static uint8_t type_of(const struct tl_map *m, uint32_t handle)
{
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;

	if (handle < m->shared->manifest->n_entries)
		return m->shared->manifest->entries[handle].type;
	tl_file_name(m->shared, handle, &name);
	return manifest_type((struct str){(const char *)name.data, name.size});
}

static int keep(
	const struct tl_map *m, const struct extent *x, struct tl_change *c, struct error *e)
{
	uint8_t type = type_of(m, tl_index(c->id));

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

static int parse_file(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	bool same;
	int r = holds(m, tl_index(c->id), in, &same, e);

	return r < 0 || same ? r : keep(m, in, c, e);
}

/* The file as it is now, or NULL. */
static int load_old(const struct tl_map *m, uint32_t handle, struct bytes **ret, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_map_content(m, handle, &c, e);

	if (r == 0)
		r = tl_content_load(c, TEXT_MAX, ret, e);
	return r == -EIO || r == -ENODATA || r == -EFBIG ? 0 : r;
}

/* 1: it says what stands there already. */
static int judge_text(
	const struct tl_map *m, uint32_t handle, const struct bytes *in, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct error readonly = ERROR_INIT;
	int r = tl_text_load(m, handle, &text, &readonly, e);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 0;
	if (text->size == in->size && (!in->size || !memcmp(text->data, in->data, in->size)))
		return 1;
	return readonly.code ? error_set(e, -EINVAL, "%s", error_text(&readonly)) : 0;
}

static int compile(
	const struct tl_map *m, const struct bytes *in, struct tl_change *c, struct error *e)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT, out = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *old = NULL, *made = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct compiled_context ctx = {.form = m->shared->form};
	struct names *names = NULL;
	int r = tl_map_names(m, &names, e);

	ctx.names = names;
	if (r == 0)
		r = load_old(m, tl_index(c->id), &old, e);
	if (r == 0 && tl_file_path(m->shared, tl_index(c->id), &path) < 0)
		r = error_set(e, -ENOMEM, "no memory for a text");
	if (r < 0)
		return r;
	ctx.path = (const char *)path.data;
	r = compiled_encode(compiled_kind_of(ctx.path), &ctx, in->data, in->size,
		old ? old->data : NULL, old ? old->size : 0, &c->new_names, &out, e);
	if (r == 0 && (buffer_finish(&out, &made) < 0 || c->new_names.error))
		r = error_set(e, -ENOMEM, "no memory for a compiled file");
	if (r < 0)
		return r;
	if (old && old->size == made->size && !memcmp(old->data, made->data, made->size))
		return 0;
	x = extent_of_bytes(TAKE(made));
	return keep(m, &x, c, e);
}

static int parse_text(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = extent_load(in, INPUT_MAX, &text, e);

	if (r == -EFBIG)
		r = e ? e->code = -EINVAL : -EINVAL;
	if (r == 0)
		r = judge_text(m, tl_index(c->id), text, e);
	if (r == 0)
		r = compile(m, text, c, e);
	return r < 0 ? r : 0;
}

static int parse_removed(
	const struct tl_map *m, const struct extent *in, struct tl_change *c, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL, *parsed = NULL;
	int r = extent_load(in, INPUT_MAX, &text, e);

	if (r < 0)
		return r;
	if (text->size == m->removed->size &&
		(!text->size || !memcmp(text->data, m->removed->data, text->size)))
		return 0;
	r = removed_parse(text->data, text->size, &parsed, e);
	if (r < 0)
		return r;
	if (parsed->size != m->removed->size ||
		(parsed->size && memcmp(parsed->data, m->removed->data, parsed->size) != 0))
		c->removed = TAKE(parsed);
	return 0;
}

uint64_t tl_most(entry_id id)
{
	return tl_kind_of(id) == TL_FILE ? FORMAT_MOST : INPUT_MAX;
}

int tl_parse(const struct snapshot *s, entry_id id, const struct extent *in, struct change **ret,
	struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	struct tl_change *c = calloc(1, sizeof(*c));
	CLEANUP(change_free) struct change *done = c ? &c->change : NULL;
	int r;

	if (!c)
		return error_set(e, -ENOMEM, "no memory for a change");
	done->free = free_change;
	c->base = (struct tl_map *)snapshot_ref(s);
	c->id = id;
	if (tl_kind_of(id) == TL_FILE)
		r = parse_file(m, in, c, e);
	else if (tl_kind_of(id) == TL_TEXT)
		r = parse_text(m, in, c, e);
	else if (id == tl_id(TL_CONTROL, TL_CONTROL_INFO))
		r = tl_info_parse(m, in, c, e);
	else if (id == tl_id(TL_CONTROL, TL_CONTROL_REMOVED))
		r = parse_removed(m, in, c, e);
	else
		r = error_set(e, -EISDIR, "a directory");
	if (r < 0)
		return r;
	if (tl_kind_of(id) == TL_TEXT)
		tl_note_written(m->shared, tl_index(id));
	if (c->content || c->header || c->removed || c->info_dropped || c->new_names.size)
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
	return now->base != base->base ||
	       tl_map_file(now, tl_index(c->id)) != tl_map_file(base, tl_index(c->id));
}

static int learn(struct tl_map *m, const struct tl_change *c, struct touched *t, struct error *e)
{
	struct names *names = NULL, *more = NULL;
	int r;

	if (!c->new_names.size)
		return 0;
	r = tl_map_names(m, &names, e);
	if (r == 0)
		r = names_extend(
			names, (const char *)c->new_names.data, c->new_names.size, &more, e);
	if (r < 0)
		return r;
	if (more == names) {
		names_unref(more);
		return 0;
	}
	names_unref(m->names);
	m->names = more;
	if (t)
		t->all = true;
	return 0;
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
		r = learn(m, c, t, e);
	if (r == 0 && c->header) {
		struct mod_header *h = tl_header_copy(c->header);

		tl_header_unref(m->header);
		m->header = tl_header_new(h);
		r = m->header ? 0 : -ENOMEM;
	}
	if (r < 0)
		return e && e->code ? r : error_set(e, r, "no memory for a change");
	if (c->removed) {
		bytes_unref(m->removed);
		m->removed = bytes_ref(c->removed);
	}
	m->info_dropped |= c->info_dropped;
	touched_add(t, c->id);
	if (tl_kind_of(c->id) == TL_FILE)
		touched_add(t, tl_id(TL_TEXT, tl_index(c->id)));
	else if (tl_kind_of(c->id) == TL_TEXT)
		touched_add(t, tl_id(TL_FILE, tl_index(c->id)));
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
