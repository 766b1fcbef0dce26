/* SPDX-License-Identifier: Zlib */
/* What a person should know of an archive before the game tells them nothing. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/finalize/plan.h"
#include "formats/torchlight/model/kit.h"

/* Files that were found to be broken, and are copied so. */
static void say_damaged(const struct finalizing *st)
{
	for (uint32_t i = 0; i < st->old->n_entries; i++) {
		CLEANUP(tl_content_unref) struct tl_content *c = tl_stored_peek(st->sh, i);
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

		if (c && !tl_map_file(st->m, i) && atomic_load(&c->state) == TL_DAMAGED &&
			tl_file_path(st->m, i, &path) == 0)
			tl_say(st, "%s is damaged (its CRC-32 is wrong) and stays so",
				(const char *)path.data);
	}
}

/* Of many files the number and one that is meant. */
struct tally {
	size_t n;
	char first[401];
};

static void count(struct tally *t, struct str path, struct str name)
{
	if (!t->n++)
		snprintf(t->first, sizeof(t->first), "%.*s%.*s", STR_ARGS(path), STR_ARGS(name));
}

static void say_tally(
	const struct finalizing *st, const struct tally *t, const char *one, const char *many)
{
	if (t->n)
		tl_say(st, "%zu %s (%s)", t->n, t->n == 1 ? one : many, t->first);
}

/* Is it the name that the text of a compiled file had in other tools? */
static bool is_text_beside(const char *name)
{
	const char *ending;
	enum compiled_kind kind = tl_kind_beside(name, &ending);

	return kind != COMPILED_NONE && !strcasecmp(ending, kind == COMPILED_RAW ? ".TSV" : ".TXT");
}

static void say_beside(const struct finalizing *st)
{
	struct tally t = {0};

	for (size_t i = 0; i < st->n_homes; i++) {
		const struct tl_home *h = &st->homes[i];

		if (h->handle != MANIFEST_NO_FILE && h->handle >= st->old->n_entries &&
			is_text_beside(h->name))
			count(&t, str_of(h->path), str_of(h->name));
	}
	say_tally(st, &t, "new file is none that the game reads: the text of X.DAT is X.DAT itself",
		"new files are none that the game reads: the text of X.DAT is X.DAT itself");
}

/* New content that is a text where the game expects a compiled file. */
static bool is_plain_text(const struct finalizing *st, const struct manifest_entry *x)
{
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	const char *name = manifest_name(st->table->manifest, x).s;
	struct tl_content *c = tl_map_file(st->m, x->handle);
	enum compiled_kind kind = compiled_kind_of(name);

	return c && kind != COMPILED_NONE && tl_content_load(c, TEXT_MAX, &raw, NULL) == 0 &&
	       compiled_form_of(kind, name, raw->data, raw->size) == COMPILED_TEXT;
}

/* Stored as they were written: text=off. */
static void say_plain(const struct finalizing *st)
{
	const struct manifest *m = st->table->manifest;
	struct tally t = {0};

	for (uint32_t i = 0; i < m->n_entries; i++)
		if (is_plain_text(st, &m->entries[i]))
			count(&t, manifest_path(m, &m->records[m->entries[i].record]),
				manifest_name(m, &m->entries[i]));
	say_tally(st, &t, "file is stored as text, not compiled (text=off)",
		"files are stored as text, not compiled (text=off)");
}

static void say_kit(const struct finalizing *st)
{
	CLEANUP_BUFFER struct buffer keys = BUFFER_INIT;

	if (!st->kit)
		return;
	kit_differences(st->m->header, st->kit, &keys);
	if (keys.size)
		tl_say(st, ".mod/info.json decides; MOD.DAT says otherwise: %.*s",
			STR_ARGS(str_of_buffer(&keys)));
	else
		tl_say(st, "the header, .mod/info.json, is as MOD.DAT says");
}

void tl_finalize_say(const struct finalizing *st)
{
	say_damaged(st);
	tl_finalize_say_names(st);
	if (st->m->info_dropped && !st->m->header)
		tl_say(st, "a PAK has no header: title, author and the rest of .mod/info.json "
			   "are left out");
	if (st->info_removed)
		tl_say(st, ".mod/info.json was removed, and is always there: it stays");
	say_kit(st);
	say_beside(st);
	if (st->n_provided)
		tl_say(st,
			".mod/removed.txt: %zu of its files %s in the archive itself, and not "
			"hidden",
			st->n_provided, st->n_provided == 1 ? "is" : "are");
	if (st->sh->plain)
		say_plain(st);
	if (st->sh->advise)
		st->sh->advise(&st->m->snapshot, st->say, st->arg);
}
