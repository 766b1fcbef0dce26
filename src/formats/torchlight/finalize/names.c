/* SPDX-License-Identifier: Zlib */
/* Report names that a text taught and no dictionary has. A misspelled name becomes a hash like any
 * other, and so does a number in digits that was meant as a name. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/finalize/plan.h"

enum { REPORTED_MAX = 20, FILE_MAX = 64 << 20 };

void tl_say(const struct finalizer *st, enum format_line_kind kind, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	if (line)
		st->say(st->arg, kind, line);
}

void tl_tally_add(struct tl_tally *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!t->n++)
		vsnprintf(t->first, sizeof(t->first), fmt, ap);
	va_end(ap);
}

void tl_tally_say(const struct finalizer *st, enum format_line_kind kind, const struct tl_tally *t,
	const char *one, const char *many)
{
	if (t->n)
		tl_say(st, kind, "%zu %s (%s)", t->n, t->n == 1 ? one : many, t->first);
}

/* A taught name. is_reported: a file that has it was found. */
struct taught_name {
	uint32_t hash;
	bool is_reported;
	struct str name;
};

struct name_reporter {
	const struct finalizer *st;
	struct taught_name *all; /* by hash */
	size_t n, room, n_reported;
	const char *path;
	struct tl_tally numbers; /* names that are hashes in digits */
};

static int by_hash(const void *x, const void *y)
{
	const struct taught_name *a = x, *b = y;

	return array_compare(a->hash, b->hash);
}

/* Collect the names of all versions above the mount's, without lines of layout tables. */
static int find_taught(struct name_reporter *t, const struct names *known)
{
	for (const struct names *n = t->st->m->names; n && n != known; n = names_base(n))
		for (struct str rest = names_text(n); rest.n;) {
			struct str line = str_cut(&rest, '\n');

			if (memchr(line.s, '\t', line.n))
				continue;
			if (!array_reserve(t->all, t->n, t->room))
				return -ENOMEM;
			t->all[t->n++] = (struct taught_name){name_value(line), false, line};
		}
	if (t->n)
		qsort(t->all, t->n, sizeof(*t->all), by_hash);
	return 0;
}

static void report_name(struct name_reporter *t, uint32_t hash)
{
	size_t at = array_bisect(i, t->n, t->all[i].hash >= hash);
	struct taught_name *x = &t->all[at];

	if (at == t->n || x->hash != hash || x->is_reported)
		return;
	x->is_reported = true;
	if (name_is_number(x->name, &hash))
		tl_tally_add(&t->numbers, "%s: %.*s", t->path, STR_ARGS(x->name));
	else if (t->n_reported++ < REPORTED_MAX)
		tl_say(t->st, FORMAT_NOTE, "%s: the name %.*s is in no table (check its spelling)",
			t->path, STR_SHORT(x->name, 100));
}

static void report_file(struct name_reporter *t, struct tl_content *c)
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
		if (item.kind != BINDAT_CLOSE)
			report_name(t, item.name);
}

void tl_finalize_say_names(const struct finalizer *st)
{
	struct name_reporter t = {.st = st};
	const struct manifest *m = st->table->manifest;
	const struct names *known;
	int r;

	pthread_mutex_lock(&st->sh->names_lock);
	known = st->sh->names;
	pthread_mutex_unlock(&st->sh->names_lock);
	r = find_taught(&t, known);
	for (uint32_t i = 0; r == 0 && t.n && i < m->n_entries; i++) {
		uint32_t handle = m->entries[i].handle;
		struct tl_content *c = tl_map_file(st->m, handle);
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

		if (!c || tl_file_path(st->m, handle, &path) < 0)
			continue;
		t.path = (const char *)path.data;
		if (compiled_kind_of(t.path) == COMPILED_DAT)
			report_file(&t, c);
	}
	if (t.n_reported > REPORTED_MAX)
		tl_say(st, FORMAT_NOTE, "%zu more %s in no table", t.n_reported - REPORTED_MAX,
			t.n_reported - REPORTED_MAX == 1 ? "name is" : "names are");
	tl_tally_say(st, FORMAT_NOTE, &t.numbers, "name in digits is read as a hash",
		"names in digits are read as hashes");
	free(t.all);
}
