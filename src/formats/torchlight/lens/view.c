/* SPDX-License-Identifier: Zlib */
/* The texts of compiled files, and the dictionaries for them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/lens/view.h"

enum { NAMES_FILE_MAX = 16 << 20 };

int tl_names_add(struct names **names, const void *list, size_t size, struct error *e)
{
	struct names *more;
	int r = names_extend(*names, list, size, &more, e);

	if (r < 0)
		return r;
	names_unref(*names);
	*names = more;
	return 0;
}

static int add_names_file(const struct tl_shared *sh, struct names **names, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *list = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct stat st;
	int r;

	if (!sh->names_file)
		return 0;
	if (fstat(sh->names_file->fd, &st) < 0)
		return error_errno(e, "the list of names");
	x = extent_of_file(file_ref(sh->names_file), 0, (uint64_t)st.st_size);
	r = extent_load(&x, NAMES_FILE_MAX, &list, e);
	if (r == 0)
		r = tl_names_add(names, list->data, list->size, e);
	if (r < 0)
		error_context(e, "the list of names");
	return r;
}

/* Add the game's own dictionary if the archive has it. An unreadable one gives no names. */
static int add_tags(struct tl_shared *sh, struct names **names, struct error *e)
{
	const struct tree_child *c = tree_find(sh->tree, 0, "MEDIA");
	CLEANUP(tl_content_unref) struct tl_content *content = NULL;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	CLEANUP_BUFFER struct buffer list = BUFFER_INIT;

	c = c && c->is_dir ? tree_find(sh->tree, c->index, "TAGS.DAT") : NULL;
	if (!c || c->is_dir || tl_stored(sh, c->index, &content, NULL) < 0 ||
		tl_content_load(content, TEXT_MAX, &raw, NULL) < 0 ||
		names_of_tags(raw->data, raw->size, &list, NULL) < 0)
		return 0;
	return tl_names_add(names, list.data, list.size, e);
}

static int make_names(struct tl_shared *sh, struct names **ret, struct error *e)
{
	CLEANUP(names_unref) struct names *names = names_create();
	int r;

	if (!names)
		return error_set(e, -ENOMEM, "out of memory");
	r = add_names_file(sh, &names, e);
	if (r == 0)
		r = add_tags(sh, &names, e);
	if (r == 0)
		*ret = TAKE(names);
	return r;
}

int tl_mount_names(const struct tl_map *m, struct names **ret, struct error *e)
{
	struct tl_shared *sh = m->shared;
	int r = 0;

	pthread_mutex_lock(&sh->names_lock);
	if (!sh->names)
		r = make_names(sh, &sh->names, e);
	if (r == 0)
		*ret = sh->names;
	pthread_mutex_unlock(&sh->names_lock);
	return r;
}

int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e)
{
	if (!m->names)
		return tl_mount_names(m, ret, e);
	*ret = m->names;
	return 0;
}

struct view_maker {
	const struct tl_map *m;
	struct tl_content *content;
	struct buffer path;
	enum compiled_kind kind;
	struct names *names;  /* borrowed */
	struct error *reason; /* see show_bytes; may be NULL */
};

static int begin_view(struct view_maker *s, uint32_t handle, struct error *e)
{
	int r = tl_file_path(s->m, handle, &s->path);

	if (r < 0)
		return error_set(e, r, "out of memory");
	s->kind = compiled_kind_of((const char *)s->path.data);
	s->names = s->content->names;
	return s->names ? 0 : tl_mount_names(s->m, &s->names, e);
}

/* Append a text that the archive has instead of a compiled file. Fails if it is not valid. */
static int show_stored_text(
	const struct view_maker *s, const struct bytes *raw, struct buffer *out, struct error *e)
{
	const struct compiled_context ctx = {.path = (const char *)s->path.data};
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT, made = BUFFER_INIT;
	enum textform form = s->kind == COMPILED_RAW ? TEXTFORM_UTF8 : s->m->shared->form;
	int r = compiled_read_text(s->kind, raw->data, raw->size, &utf8, e);

	if (r == 0 && s->kind != COMPILED_RAW)
		r = dattext_parse((const char *)utf8.data, utf8.size, &tree, e);
	else if (r == 0)
		r = compiled_encode(s->kind, &ctx, utf8.data, utf8.size, NULL, 0, NULL, &made, e);
	return r < 0 ? r : textform_write(utf8.data, utf8.size, form, out, e);
}

/*
 * Append the text of raw. s->reason, if not NULL, receives the reason why the text cannot be
 * written back; or, with code 0, a remark about it.
 */
static int show_bytes(
	const struct view_maker *s, const struct bytes *raw, struct buffer *out, struct error *e)
{
	struct compiled_context ctx = {
		.path = (const char *)s->path.data, .names = s->names, .form = s->m->shared->form};
	int r;

	switch (compiled_form_of(s->kind, ctx.path, raw->data, raw->size)) {
	case COMPILED_XML:
		return error_set(e, -EINVAL, "XML is shown and stored unchanged");
	case COMPILED_TEXT:
		r = show_stored_text(s, raw, out, e);
		if (r == 0 && s->reason)
			strcpy(s->reason->text, "stored as text, compiled when changed");
		return r;
	default:
		return compiled_decode(s->kind, &ctx, raw->data, raw->size, out, s->reason, e);
	}
}

static int load_text(void *arg, struct bytes **ret, struct error *e)
{
	const struct view_maker *s = arg;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = tl_content_load(s->content, TEXT_MAX, &raw, e);

	if (r == 0)
		r = show_bytes(s, raw, &out, e);
	if (r == 0 && buffer_finish(&out, ret) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	return r == -EINVAL || r == -EFBIG ? -EIO : r;
}

/* Get the text, and cache it: a program that asks for the size usually reads the text next. */
static int find_text(struct view_maker *s, struct bytes **ret, struct error *e)
{
	struct tl_content *c = s->content;

	return c->budget ? budget_get(c->budget, &c->slot, load_text, s, ret, e)
			 : load_text(s, ret, e);
}

static int find_view(struct view_maker *s, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct error why = ERROR_INIT, broken = ERROR_INIT;
	struct tl_content *c = s->content;
	bool shown;
	int r;

	s->reason = &why;
	r = find_text(s, &text, &broken);
	s->reason = NULL;
	if (r == -ENOMEM)
		return error_set(e, r, "out of memory");
	if (r == 0 && !why.code && text->size > TEXT_MAX)
		error_set(&why, -EFBIG, "the text is longer than %d bytes", TEXT_MAX);
	shown = r == 0 && !why.code;
	if (r < 0)
		why = broken;
	c->note = why.text[0] ? strdup(why.text) : NULL;
	c->size = shown ? text->size : c->blob->size;
	c->view = shown ? TL_TEXT : TL_BYTES;
	return 0;
}

int tl_view_find(const struct tl_map *m, uint32_t handle, struct tl_content **ret,
	struct bytes **ret_text, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	struct view_maker s = {.m = m};
	int r = tl_map_content(m, handle, &c, e);

	if (r < 0)
		return r;
	s.content = c;
	r = begin_view(&s, handle, e);
	/* Several threads may ask at once; only the first determines the view. */
	pthread_mutex_lock(&c->view_lock);
	if (r == 0 && c->view == TL_UNSEEN)
		r = find_view(&s, e);
	pthread_mutex_unlock(&c->view_lock);
	if (r == 0 && ret_text && c->view == TL_TEXT)
		r = find_text(&s, ret_text, e);
	buffer_finish_free(&s.path);
	if (r == 0)
		*ret = TAKE(c);
	return r;
}

bool tl_view_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size)
{
	CLEANUP(tl_content_unref) struct tl_content *c = tl_map_peek(m, handle);

	if (!c || c->view == TL_UNSEEN)
		return false;
	*ret_size = c->size;
	return true;
}
