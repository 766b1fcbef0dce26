/* SPDX-License-Identifier: Zlib */
/* Names that a text taught and no table has: a typing error becomes a hash like any other name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/finalize/plan.h"

enum { TOLD_MAX = 20, FILE_MAX = 64 << 20 };

struct telling {
	const struct names *known; /* the lists and the archive's own */
	const struct names *learnt;
	struct buffer unknown; /* hashes, as often as they occur */
	uint32_t told[TOLD_MAX];
	size_t n_told;
	const char *path;
	const struct finalizing *st;
};

static bool is_told(const struct telling *t, uint32_t hash)
{
	for (size_t i = 0; i < t->n_told; i++)
		if (t->told[i] == hash)
			return true;
	return false;
}

static void tell(struct telling *t, uint32_t hash)
{
	char line[512];
	struct str name;

	if (names_find(t->known, hash, &name) || !names_find(t->learnt, hash, &name))
		return;
	buffer_u32(&t->unknown, hash);
	if (t->n_told == TOLD_MAX || is_told(t, hash))
		return;
	t->told[t->n_told++] = hash;
	snprintf(line, sizeof(line), "%s: no table knows the name %.*s; is it spelt right?",
		t->path, STR_SHORT(name, 100));
	t->st->say(t->st->arg, line);
}

static void tell_file(struct telling *t, struct tl_content *c)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	CLEANUP_BINDAT struct bindat_file f = {0};
	struct bindat_reader reader;
	struct bindat_item item;

	if (tl_content_load(c, FILE_MAX, &b, NULL) < 0 ||
		bindat_file_open(b->data, b->size, &f, NULL) < 0)
		return;
	bindat_begin(&f, &reader);
	while (bindat_next(&reader, &item, NULL) > 0)
		if (item.what != BINDAT_CLOSE)
			tell(t, item.name);
}

static int by_bytes(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(uint32_t));
}

/* How many there are, each counted once. */
static size_t count_unknown(struct telling *t)
{
	const uint8_t *all = t->unknown.data;
	size_t size = sizeof(uint32_t), n = t->unknown.size ? 1 : 0;

	if (n)
		qsort(t->unknown.data, t->unknown.size / size, size, by_bytes);
	for (size_t at = size; at < t->unknown.size; at += size)
		n += memcmp(all + at - size, all + at, size) != 0;
	return n;
}

void tl_finalize_say_names(const struct finalizing *st)
{
	struct telling t = {.learnt = st->m->names, .st = st};
	const struct manifest *m = st->table->manifest;
	char line[64];
	size_t n;

	pthread_mutex_lock(&st->sh->names_lock);
	t.known = st->sh->names;
	pthread_mutex_unlock(&st->sh->names_lock);
	if (!t.learnt || t.learnt == t.known)
		return;
	for (uint32_t i = 0; i < m->n_entries; i++) {
		uint32_t handle = m->entries[i].handle;
		struct tl_content *c = tl_map_file(st->m, handle);
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

		if (!c || tl_file_path(st->m, handle, &path) < 0)
			continue;
		t.path = (const char *)path.data;
		if (compiled_kind_of(t.path) == COMPILED_DAT)
			tell_file(&t, c);
	}
	n = count_unknown(&t);
	if (n > TOLD_MAX) {
		snprintf(line, sizeof(line), "no table knows %zu more %s", n - TOLD_MAX,
			n - TOLD_MAX == 1 ? "name" : "names");
		st->say(st->arg, line);
	}
	buffer_finish_free(&t.unknown);
}
