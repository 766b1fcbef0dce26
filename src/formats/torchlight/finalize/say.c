/* SPDX-License-Identifier: Zlib */
/* Reports about an archive, because the game gives none. */
#include <strings.h>

#include "formats/torchlight/finalize/plan.h"
#include "formats/torchlight/model/kit.h"

/* Files that are known to be damaged, and are copied unchanged. */
static void say_damaged(const struct finalizer *st)
{
	for (uint32_t i = 0; i < st->old->n_entries; i++) {
		CLEANUP(tl_content_unref) struct tl_content *c = tl_stored_peek(st->sh, i);
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

		if (c && !tl_map_file(st->m, i) && atomic_load(&c->state) == TL_DAMAGED &&
			tl_file_path(st->m, i, &path) == 0)
			tl_say(st, FORMAT_NOTE,
				"%s is damaged (wrong CRC-32), and the save copies it unchanged",
				(const char *)path.data);
	}
}

/* Is it the name that other tools give to the text of a compiled file? */
static bool is_tool_text(const char *name)
{
	const char *ending;
	enum compiled_kind kind = tl_kind_of_stem(name, &ending);

	return kind != COMPILED_NONE && !strcasecmp(ending, kind == COMPILED_RAW ? ".TSV" : ".TXT");
}

static void say_tool_texts(const struct finalizer *st)
{
	struct tl_tally t = {0};

	for (size_t i = 0; i < st->n_new_entries; i++) {
		const struct tl_new_entry *h = &st->new_entries[i];

		if (h->handle != MANIFEST_NO_FILE && h->handle >= st->old->n_entries &&
			is_tool_text(h->name))
			tl_tally_add(&t, "%s%s", h->path, h->name);
	}
	tl_tally_say(st, FORMAT_NOTE, &t,
		"new file is not read by the game (edit X.DAT, not X.DAT.TXT)",
		"new files are not read by the game (edit X.DAT, not X.DAT.TXT)");
}

/* Is it text, but the game expects a compiled file? */
static bool is_plain(const char *name, struct tl_content *c)
{
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	enum compiled_kind kind = compiled_kind_of(name);

	return kind != COMPILED_NONE && tl_content_load(c, TEXT_MAX, &raw, NULL) == 0 &&
	       compiled_form_of(kind, name, raw->data, raw->size) == COMPILED_TEXT;
}

/* Report new texts that are stored uncompiled, with text=off; and compiled texts with types in
 * lower case, which may not be intended. */
static void say_texts(const struct finalizer *st)
{
	struct tl_tally plain = {0}, small = {0};

	for (uint32_t i = 0; i < st->table->manifest->n_entries; i++) {
		const struct manifest_entry *x = &st->table->manifest->entries[i];
		struct tl_content *c = tl_map_file(st->m, x->handle);
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

		if (!c || (!st->sh->plain && !c->small_line))
			continue;
		manifest_put_path(st->table->manifest, x, &path);
		buffer_byte(&path, 0);
		if (path.error)
			continue;
		if (c->small_line)
			tl_tally_add(&small, "%s: line %u", path.data, c->small_line);
		else if (is_plain((const char *)path.data, c))
			tl_tally_add(&plain, "%s", path.data);
	}
	tl_tally_say(st, FORMAT_NOTE, &plain, "file is stored as text, not compiled (text=off)",
		"files are stored as text, not compiled (text=off)");
	tl_tally_say(st, FORMAT_NOTE, &small,
		"file has types in lower case, which turn any value into a STRING",
		"files have types in lower case, which turn any value into a STRING");
}

static void say_kit(const struct finalizer *st)
{
	CLEANUP_BUFFER struct buffer keys = BUFFER_INIT;

	if (!st->kit)
		return;
	kit_differences(st->m->header, st->kit, &keys);
	if (keys.size)
		tl_say(st, FORMAT_NOTE, "MOD.DAT differs from .mod/info.json, which is used: %.*s",
			STR_ARGS(str_of_buffer(&keys)));
	else
		tl_say(st, FORMAT_NOTE, "the header (.mod/info.json) was taken from MOD.DAT");
}

void tl_finalize_say(const struct finalizer *st)
{
	say_damaged(st);
	tl_finalize_say_names(st);
	if (st->m->info_dropped && !st->m->header)
		tl_say(st, FORMAT_NOTE,
			"a PAK has no header: title, author and the rest of .mod/info.json are not "
			"saved");
	if (st->info_removed)
		tl_say(st, FORMAT_NOTE, ".mod/info.json was not removed: it is required");
	say_kit(st);
	say_tool_texts(st);
	if (st->n_provided)
		tl_say(st, FORMAT_NOTE,
			".mod/removed.txt: %zu of its files %s in the archive itself and not "
			"hidden",
			st->n_provided, st->n_provided == 1 ? "is" : "are");
	say_texts(st);
	tl_finalize_warn_levels(st);
}
