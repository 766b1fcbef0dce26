/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/check/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/array.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/number.h"

struct checker {
	const struct tl_map *m, *before;
	void (*report)(void *arg, const struct format_fault *f);
	void *arg;
	bool is_unit_changed; /* at least one */
	struct unit {
		int64_t guid;
		const struct manifest_entry *entry;
	} * units;
	size_t n, room;
};

/* NUL-ended. */
static int put_path(const struct checker *k, const struct manifest_entry *x, struct buffer *ret)
{
	manifest_put_path(tl_manifest(k->m), x, ret);
	buffer_byte(ret, 0);
	return ret->error;
}

/* Has the file other bytes than before, or another path? */
static bool is_changed(const struct checker *k, const struct manifest_entry *x)
{
	const struct manifest *t = tl_manifest(k->m), *old;
	const struct manifest_entry *was;

	if (!k->before || tl_map_file(k->m, x->handle) != tl_map_file(k->before, x->handle))
		return true;
	old = tl_manifest(k->before);
	was = manifest_file(old, x->handle);
	return !was || !str_equal(manifest_name(t, x), manifest_name(old, was)) ||
	       !str_equal(manifest_path(t, &t->records[x->record]),
		       manifest_path(old, &old->records[was->record]));
}

/* Check that the game can read a file that is shown as its bytes. Skips an unreadable file. */
static int check_bytes(
	const struct checker *k, const char *path, enum compiled_kind kind, struct tl_content *c)
{
	const struct compiled_context ctx = {.path = path};
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	struct format_fault f = {true, path, "", "", "", NULL, NULL, NULL};
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
	k->report(k->arg, &f);
	return 0;
}

/* The fields that identify a unit. */
struct identity {
	int64_t guid;
	uint32_t is_base; /* not 0: it is only the base of other units */
	bool has_guid;
};

static void take_field(struct identity *u, bool is_guid, struct str value)
{
	if (is_guid)
		u->has_guid = number_get_i64(value, &u->guid);
	else
		(void)number_get_bool(value, &u->is_base);
}

static int identify_binary(const struct bytes *raw, struct identity *u)
{
	const uint32_t guid = name_hash(STR("UNIT_GUID")), base = name_hash(STR("DONTCREATE"));
	CLEANUP_BINDAT struct bindat_file f = {0};
	CLEANUP_BUFFER struct buffer value = BUFFER_INIT;
	struct bindat_reader reader;
	struct bindat_item item;
	int r = bindat_file_open(raw->data, raw->size, &f, NULL);

	if (r < 0)
		return r;
	bindat_begin(&f, &reader);
	while (bindat_next(&reader, &item, NULL) > 0 && !value.error) {
		if (item.kind != BINDAT_FIELD || item.depth != 0 ||
			(item.name != guid && item.name != base))
			continue;
		value.size = 0;
		if (bindat_is_string(item.type))
			ss_to_utf8(item.s, &value);
		else
			number_put(&value, bindat_types[item.type].number, item.value);
		if (!value.error)
			take_field(u, item.name == guid, str_of_buffer(&value));
	}
	return value.error;
}

static int identify_text(const struct bytes *raw, struct identity *u)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	const struct dat_field *guid, *base;
	int r = textform_read(raw->data, raw->size, &text, NULL);

	if (r == 0)
		r = dattext_parse((const char *)text.data, text.size, &tree, NULL);
	if (r < 0)
		return r;
	guid = dat_find_field(tree->root, STR("UNIT_GUID"));
	base = dat_find_field(tree->root, STR("DONTCREATE"));
	if (guid)
		take_field(u, true, guid->value);
	if (base)
		take_field(u, false, base->value);
	return 0;
}

static int take_unit(struct checker *k, const struct manifest_entry *x, const char *path)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	struct identity u = {0};
	enum compiled_form form;
	int r = tl_map_content(k->m, x->handle, &c, NULL);

	if (r == 0)
		r = tl_content_load(c, TEXT_MAX, &raw, NULL);
	if (r < 0)
		return r;
	form = compiled_form_of(COMPILED_DAT, path, raw->data, raw->size);
	if (form == COMPILED_BINARY)
		r = identify_binary(raw, &u);
	else if (form == COMPILED_TEXT)
		r = identify_text(raw, &u);
	if (r < 0 || !u.has_guid || u.is_base)
		return r;
	if (!array_reserve(k->units, k->n, k->room))
		return -ENOMEM;
	k->units[k->n++] = (struct unit){u.guid, x};
	return 0;
}

static bool is_unit(const char *path)
{
	return compiled_kind_of(path) == COMPILED_DAT && !strncasecmp(path, "MEDIA/UNITS/", 12);
}

typedef int (*file_fn)(struct checker *k, const struct manifest_entry *x, const char *path);

/* Call fn for each file until it returns -ENOMEM. */
static int each_file(struct checker *k, file_fn fn)
{
	const struct manifest *t = tl_manifest(k->m);
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
	int r = 0;

	for (uint32_t i = 0; r != -ENOMEM && i < t->n_entries; i++) {
		if (t->entries[i].handle == MANIFEST_NO_FILE)
			continue;
		path.size = 0;
		r = put_path(k, &t->entries[i], &path);
		if (r == 0)
			r = fn(k, &t->entries[i], (const char *)path.data);
	}
	return r == -ENOMEM ? r : 0;
}

static int check_compiled(struct checker *k, const struct manifest_entry *x, const char *path)
{
	enum compiled_kind kind = compiled_kind_of(path);
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = kind == COMPILED_NONE ? 0 : tl_view_find(k->m, x->handle, &c, &text, NULL);

	return r == 0 && c && !text ? check_bytes(k, path, kind, c) : r;
}

static int find_changed_unit(struct checker *k, const struct manifest_entry *x, const char *path)
{
	k->is_unit_changed |= is_unit(path) && is_changed(k, x);
	return 0;
}

static int check_unit(struct checker *k, const struct manifest_entry *x, const char *path)
{
	return is_unit(path) ? take_unit(k, x, path) : 0;
}

static int by_guid(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return array_compare(x->guid, y->guid) ?: array_compare(x->entry->handle, y->entry->handle);
}

/* Warn of a unit with the GUID of another. Files with the same path are one: the game reads only
 * the first of them. */
static int warn_twins(const struct checker *k, const struct unit *first, const struct unit *u)
{
	CLEANUP_BUFFER struct buffer a = BUFFER_INIT, b = BUFFER_INIT;
	char value[24], bound[800], text[900], line[1800];
	struct format_fault f = {true, NULL, "UNIT_GUID", value, bound, text, line, NULL};

	if (put_path(k, first->entry, &a) < 0 || put_path(k, u->entry, &b) < 0)
		return -ENOMEM;
	f.path = (const char *)b.data;
	if (!strcasecmp((const char *)a.data, f.path))
		return 0;
	snprintf(value, sizeof(value), "%" PRId64, u->guid);
	snprintf(bound, sizeof(bound), "also in %s", a.data);
	snprintf(text, sizeof(text), "UNIT_GUID is %s (%s)", value, bound);
	snprintf(line, sizeof(line), "%s: %s", f.path, text);
	k->report(k->arg, &f);
	return 0;
}

static int check_units(struct checker *k)
{
	const struct unit *first, *end;
	int r = each_file(k, check_unit);

	if (k->n)
		qsort(k->units, k->n, sizeof(*k->units), by_guid);
	first = k->units;
	end = k->n ? first + k->n : first;
	for (const struct unit *u = first; r == 0 && u < end; u++) {
		if (u->guid != first->guid)
			first = u;
		if (u != first && (is_changed(k, u->entry) || is_changed(k, first->entry)))
			r = warn_twins(k, first, u);
	}
	free(k->units);
	return r;
}

int tl_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct checker k = {.m = tl_map_of(s),
		.before = before ? tl_map_of(before) : NULL,
		.report = why,
		.arg = arg};
	/* At a save every written file was validated at its close. */
	int r = before ? 0 : each_file(&k, check_compiled);

	if (r == 0)
		r = each_file(&k, find_changed_unit);
	if (r == 0 && k.is_unit_changed)
		r = check_units(&k);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
