/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/check/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/array.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/number.h"

struct checking {
	const struct tl_map *m;
	void (*why)(void *arg, const struct format_fault *f);
	void *arg;
	struct unit {
		int64_t guid;
		uint32_t handle;
	} * units;
	size_t n, room;
};

/* A file that is shown as its bytes: does the game read them? What cannot be read at all is told by
 * the caller of check. */
static int check_bytes(
	const struct checking *k, const char *path, enum compiled_kind kind, struct tl_content *c)
{
	const struct compiled_context ctx = {.path = path};
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	struct format_fault f = {true, path, "", "", "", NULL, NULL};
	struct error e = ERROR_INIT;
	char line[2000];
	int r = tl_content_load(c, TEXT_MAX, &raw, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	switch (compiled_form_of(kind, path, raw->data, raw->size)) {
	case COMPILED_XML:
		return 0;
	case COMPILED_BINARY:
		r = compiled_check(kind, &ctx, raw->data, raw->size, &e);
		break;
	case COMPILED_TEXT:
		r = error_set(&e, -EINVAL, "%s", c->note);
		break;
	}
	if (r != -EINVAL)
		return r;
	snprintf(line, sizeof(line), "%s: %s", path, error_text(&e));
	f.text = error_text(&e);
	f.line = line;
	k->why(k->arg, &f);
	return 0;
}

/* Remembers the GUID of a unit that is not only the base of others. */
static int take_unit(struct checking *k, uint32_t handle, const struct bytes *shown)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	const struct dat_field *guid, *base;
	struct unit u = {.handle = handle};
	uint32_t is_base = 0;
	int r = textform_read(shown->data, shown->size, &text, NULL);

	if (r == 0)
		r = dattext_parse((const char *)text.data, text.size, &tree, NULL);
	if (r < 0)
		return r;
	guid = dat_find_field(tree->root, STR("UNIT_GUID"));
	base = dat_find_field(tree->root, STR("DONTCREATE"));
	if (base)
		(void)number_get_bool(base->value, &is_base);
	if (is_base || !guid || !number_get_i64(guid->value, &u.guid))
		return 0;
	if (!array_room(k->units, k->n, k->room))
		return -ENOMEM;
	k->units[k->n++] = u;
	return 0;
}

static int check_file(struct checking *k, uint32_t handle)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = tl_file_path(k->m, handle, &b);
	const char *path = r < 0 ? "" : (const char *)b.data;
	enum compiled_kind kind = compiled_kind_of(path);

	if (r < 0 || kind == COMPILED_NONE)
		return r;
	r = tl_view_find(k->m, handle, &c, &text, NULL);
	if (r == 0 && !text)
		return check_bytes(k, path, kind, c);
	if (r == 0 && kind == COMPILED_DAT && !strncasecmp(path, "MEDIA/UNITS/", 12))
		r = take_unit(k, handle, text);
	return r;
}

static int by_guid(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return array_order(x->guid, y->guid) ?: array_order(x->handle, y->handle);
}

/* Warns of a unit with the GUID of another one. Two files with the same path are one unit: the game
 * reads only the first. */
static int warn_twins(const struct checking *k, const struct unit *first, const struct unit *u)
{
	CLEANUP_BUFFER struct buffer a = BUFFER_INIT, b = BUFFER_INIT;
	char value[24], bound[800], text[900], line[1800];
	struct format_fault f = {true, NULL, "UNIT_GUID", value, bound, text, line};

	if (tl_file_path(k->m, first->handle, &a) < 0 || tl_file_path(k->m, u->handle, &b) < 0)
		return -ENOMEM;
	f.path = (const char *)b.data;
	if (!strcasecmp((const char *)a.data, f.path))
		return 0;
	snprintf(value, sizeof(value), "%" PRId64, u->guid);
	snprintf(bound, sizeof(bound), "which %s has, too", a.data);
	snprintf(text, sizeof(text), "UNIT_GUID is %s (%s)", value, bound);
	snprintf(line, sizeof(line), "%s: %s", f.path, text);
	k->why(k->arg, &f);
	return 0;
}

int tl_check(const struct snapshot *, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct checking k = {.m = tl_map_of(s), .why = why, .arg = arg};
	const struct manifest *t = tl_manifest(k.m);
	const struct unit *first;
	int r = 0;

	for (uint32_t i = 0; all && r != -ENOMEM && i < t->n_entries; i++)
		if (t->entries[i].handle != MANIFEST_NO_FILE)
			r = check_file(&k, t->entries[i].handle);
	if (k.n)
		qsort(k.units, k.n, sizeof(*k.units), by_guid);
	first = k.units;
	for (size_t i = 1; r != -ENOMEM && i < k.n; i++) {
		if (k.units[i].guid != first->guid)
			first = &k.units[i];
		else
			r = warn_twins(&k, first, &k.units[i]);
	}
	free(k.units);
	return r == -ENOMEM ? error_set(e, r, "no memory for a check") : 0;
}
