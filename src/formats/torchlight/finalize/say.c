/* SPDX-License-Identifier: Zlib */
/* What a person should know of an archive before the game tells them nothing. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/finalize/plan.h"
#include "formats/torchlight/index/index.h"
#include "formats/torchlight/model/kit.h"

/* Files that were found to be broken, and are copied so. */
static void say_damaged(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	for (uint32_t i = 0; i < st->m->base->n; i++) {
		CLEANUP(tl_content_unref) struct tl_content *c = tl_base_peek(st->m->base, i);
		CLEANUP_BUFFER struct buffer line = BUFFER_INIT;

		if (!c || tl_map_file(st->m, i) || atomic_load(&c->state) != TL_DAMAGED ||
			tl_file_path(st->m, i, &line) < 0)
			continue;
		line.size--; /* the NUL */
		buffer_text(&line, " is damaged (its CRC-32 is wrong) and stays so");
		buffer_byte(&line, 0);
		if (!line.error)
			say(arg, (const char *)line.data);
	}
}

/* Of many files the number and one that is meant. */
struct tally {
	size_t n;
	struct buffer first;
};

static void count(struct tally *t, struct str path, struct str name)
{
	if (t->n++)
		return;
	buffer_str(&t->first, path);
	buffer_str(&t->first, name);
	buffer_byte(&t->first, 0);
}

static void say_tally(struct tally *t, const char *one, const char *many,
	void (*say)(void *arg, const char *line), void *arg)
{
	char line[600];

	if (t->n) {
		snprintf(line, sizeof(line), "%zu %s (%.400s)", t->n, t->n == 1 ? one : many,
			t->first.error ? "" : (const char *)t->first.data);
		say(arg, line);
	}
	buffer_finish_free(&t->first);
}

/* Is it the name that the text of a compiled file had in other tools? */
static bool is_text_beside(const char *name)
{
	size_t n = strlen(name);
	char source[NAME_MAX + 1];
	enum compiled_kind kind;

	if (n <= 4 || n > NAME_MAX)
		return false;
	memcpy(source, name, n - 4);
	source[n - 4] = 0;
	kind = compiled_kind_of(source);
	return kind != COMPILED_NONE &&
	       !strcasecmp(name + n - 4, kind == COMPILED_RAW ? ".TSV" : ".TXT");
}

static void say_beside(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	struct tally t = {0};

	for (size_t i = 0; i < st->homes.n; i++)
		if (st->homes.all[i].handle != TL_NONE &&
			st->homes.all[i].handle >= st->sh->manifest->n_entries &&
			is_text_beside(st->homes.all[i].name))
			count(&t, str_of(st->homes.all[i].path), str_of(st->homes.all[i].name));
	say_tally(&t, "new file is none that the game reads: the text of X.DAT is X.DAT itself",
		"new files are none that the game reads: the text of X.DAT is X.DAT itself", say,
		arg);
}

/* New content that is a text where the game expects a compiled file. */
static bool is_plain_text(const struct finalizing *st, const struct tl_row *row)
{
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	CLEANUP(free) char *name = str_dup(row->name);
	struct tl_content *c = row->handle == TL_NONE ? NULL : tl_map_file(st->m, row->handle);
	enum compiled_kind kind = name ? compiled_kind_of(name) : COMPILED_NONE;

	return c && kind != COMPILED_NONE && tl_content_load(c, TEXT_MAX, &raw, NULL) == 0 &&
	       compiled_form_of(kind, name, raw->data, raw->size) == COMPILED_TEXT;
}

/* Stored as they were written: text=off. */
static void say_plain(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	struct tally t = {0};

	for (uint32_t i = 0; i < st->table->n_records; i++) {
		const struct tl_record *rec = &st->table->records[i];

		for (uint32_t k = rec->first; k < rec->first + rec->n; k++)
			if (is_plain_text(st, &st->table->rows[k]))
				count(&t, rec->path, st->table->rows[k].name);
	}
	say_tally(&t, "file is stored as text, not compiled (text=off)",
		"files are stored as text, not compiled (text=off)", say, arg);
}

static void say_provided(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	char line[100];

	if (!st->n_provided)
		return;
	snprintf(line, sizeof(line),
		".mod/removed.txt: %zu of its files %s in the archive itself, and not hidden",
		st->n_provided, st->n_provided == 1 ? "is" : "are");
	say(arg, line);
}

static void say_kit(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	CLEANUP_BUFFER struct buffer keys = BUFFER_INIT;
	char line[200];

	if (!st->kit)
		return;
	kit_differences(st->m->header->h, st->kit->h, &keys);
	buffer_byte(&keys, 0);
	snprintf(line, sizeof(line), ".mod/info.json decides; MOD.DAT says otherwise: %s",
		keys.error ? "" : (const char *)keys.data);
	say(arg, keys.size > 1 ? line : "the header, .mod/info.json, is as MOD.DAT says");
}

void tl_finalize_say(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	if (!say)
		return;
	say_damaged(st, say, arg);
	tl_finalize_say_names(st, say, arg);
	if (st->m->info_dropped && !st->m->header)
		say(arg, "a PAK has no header: title, author and the rest of .mod/info.json are "
			 "left "
			 "out");
	if (st->info_removed)
		say(arg, ".mod/info.json was removed, and is always there: it stays");
	say_kit(st, say, arg);
	say_beside(st, say, arg);
	say_provided(st, say, arg);
	if (st->sh->plain)
		say_plain(st, say, arg);
	tl_index_say_missing(st->m, st->table, say, arg);
}
