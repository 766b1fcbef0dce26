/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/index/source.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/text/compiled.h"

static int add_source(struct sources *s, const struct manifest *m, const struct manifest_entry *x)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	char *path;

	manifest_put_path(m, x, &b);
	path = b.error ? NULL : str_dup(str_of_buffer(&b));
	if (!path || !array_reserve(s->all, s->n, s->room)) {
		free(path);
		return -ENOMEM;
	}
	for (char *c = path; *c; c++)
		*c = char_upper(*c);
	if (compiled_kind_of(path) != COMPILED_NONE)
		s->all[s->n++] = (struct source_file){str_of(path), x->handle};
	else
		free(path);
	return 0;
}

int sources_compare(struct str a, struct str b)
{
	while (a.n && b.n) {
		struct str x = str_cut(&a, '/'), y = str_cut(&b, '/');
		int r = (a.s != NULL) - (b.s != NULL);

		if (r == 0)
			r = str_compare_nocase(x, y);
		if (r)
			return r;
	}
	return (a.n > b.n) - (a.n < b.n);
}

static int compare_sources(const void *x, const void *y)
{
	const struct source_file *a = x, *b = y;
	int r = sources_compare(a->path, b->path);

	return r ? r : (a->handle > b->handle) - (a->handle < b->handle);
}

static void drop_duplicates(struct sources *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (n && str_equal(s->all[n - 1].path, s->all[i].path))
			free((char *)s->all[i].path.s);
		else
			s->all[n++] = s->all[i];
	}
	s->n = n;
}

int sources_list(const struct tl_map *m, struct sources *ret, struct error *e)
{
	const struct manifest *t = tl_manifest(m);
	struct names *names;
	int r = tl_map_names(m, &names, e);

	if (r < 0)
		return r;
	ret->m = m;
	ret->names = names;
	for (uint32_t i = 0; r == 0 && i < t->n_entries; i++)
		if (t->entries[i].handle != MANIFEST_NO_FILE)
			r = add_source(ret, t, &t->entries[i]);
	if (r < 0)
		return error_set(e, r, "out of memory");
	if (ret->n)
		qsort(ret->all, ret->n, sizeof(*ret->all), compare_sources);
	drop_duplicates(ret);
	return 0;
}

void sources_finish(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((char *)s->all[i].path.s);
	free(s->all);
	*s = (struct sources){0};
}

static int compare_path(const void *key, const void *x)
{
	return sources_compare(*(const struct str *)key, ((const struct source_file *)x)->path);
}

const struct source_file *sources_find(const struct sources *s, struct str path)
{
	return s->n ? bsearch(&path, s->all, s->n, sizeof(*s->all), compare_path) : NULL;
}

int source_load(
	const struct sources *s, const struct source_file *f, struct bytes **ret, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_map_content(s->m, f->handle, &c, e);

	return r < 0 ? r : tl_content_load(c, 2 * TEXT_MAX + 2, ret, e);
}

int source_read(const struct sources *s, const struct source_file *f, struct source_text *ret,
	struct error *e)
{
	const struct compiled_context ctx = {f->path.s, s->names, TEXTFORM_UTF8};
	enum compiled_kind kind = compiled_kind_of(f->path.s);
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	int r = source_load(s, f, &raw, e);

	if (r < 0)
		return r;
	if (compiled_form_of(kind, f->path.s, raw->data, raw->size) == COMPILED_BINARY)
		r = compiled_decode(kind, &ctx, raw->data, raw->size, &ret->utf8, NULL, e);
	else
		r = textform_read(raw->data, raw->size, &ret->utf8, e);
	if (r == 0 && ret->utf8.error)
		r = error_set(e, -ENOMEM, "out of memory");
	return r < 0 ? r
		     : dattext_parse((const char *)ret->utf8.data, ret->utf8.size, &ret->tree, e);
}

void source_text_finish(struct source_text *t)
{
	dattext_free(t->tree);
	buffer_finish_free(&t->utf8);
	t->tree = NULL;
}
