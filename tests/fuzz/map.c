/* SPDX-License-Identifier: Zlib */
/*
 * A whole map from anywhere (teeworlds, triclon; pak: u16 length of the archive, it, its manifest):
 * opened, listed, and every file read and put back.
 * What somebody writes to a file of a new map (new_triclon, new_mod).
 * A house's rules, to which a sound map is held (rules).
 * And what somebody writes to files of a sound map, before it is saved (view): for each the file's
 * number, as view_files deals it, a length of 16 bits, the content.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../teeworlds/support/fixture.h"
#include "formats/torchlight/format.h"
#include "formats/triclon/format.h"
#include "support/fuzz.h"
#include "tools/rules/rules.h"
#include "tools/tools.h"
#include "support/view.h"

/* Beyond these a map is only looked at in part, so that a run stays short. */
enum { ENTRIES_MAX = 500, GET_MAX = 16 << 10, DEPTH_MAX = 8, PUTS_MAX = 8 };

struct look {
	struct budget *budget;
	struct store store;
	const struct snapshot *s;
	unsigned entries;
};

static int keep(struct store *s, const struct extent *data, struct extent *ret, struct error *e)
{
	(void)s;
	(void)e;
	*ret = extent_ref(data);
	return 0;
}

static struct file *file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return file_new(fd);
}

/* GetPut: what a file shows is no change. */
static void put_back(const struct look *l, entry_id id, struct bytes *content, const char *name)
{
	CLEANUP_EXTENT struct extent in = extent_of_bytes(bytes_ref(content));
	CLEANUP(snapshot_unref) struct snapshot *next = NULL;
	struct error e = ERROR_INIT;

	if (judged(format_put_file(l->s, id, &in, NULL, &next, &e), &e) < 0)
		broken("GetPut refuses", error_text(&e));
	if (next)
		broken("GetPut", name);
}

static void look_at_file(const struct look *l, const struct file_attr *entry, const char *name)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error e = ERROR_INIT;
	uint64_t size, n;
	uint8_t *dst;

	if (judged((l->s->format->size ? l->s->format->size : snapshot_size)(
			   l->s, entry->id, &size, &e),
		    &e) < 0)
		return;
	if (entry->has_size && size != entry->size)
		broken("Size", name);
	n = size < GET_MAX ? size : GET_MAX;
	b = bytes_new((size_t)n, &dst);
	e = (struct error)ERROR_INIT;
	if (!b || judged(l->s->format->get(l->s, entry->id, 0, dst, (size_t)n, &e), &e) < 0)
		return;
	e = (struct error)ERROR_INIT;
	if (n < size) {
		/* The end, whose checksums cover all of it. */
		judged(l->s->format->get(l->s, entry->id, size - 1, dst, 1, &e), &e);
		return;
	}
	if (entry->is_writable)
		put_back(l, entry->id, b, name);
}

static void look_into(struct look *l, entry_id dir, unsigned depth)
{
	struct file_attr entry, found;
	struct error e = ERROR_INIT;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	int r = 0;

	while (l->entries < ENTRIES_MAX && depth < DEPTH_MAX &&
		(r = l->s->format->list(l->s, dir, &cookie, name, &entry, &e)) == 1) {
		l->entries++;
		if (l->s->format->lookup(l->s, dir, name, &found, NULL) < 0 || found.id != entry.id)
			broken("lookup", name);
		if (entry.is_dir)
			look_into(l, entry.id, depth + 1);
		else
			look_at_file(l, &entry, name);
	}
	judged(r, &e);
}

/* A warning says what and where. */
static void told(void *arg, const struct format_fault *f)
{
	size_t n = strlen(f->line), m = strlen(f->text);

	(void)arg;
	if (!f->is_warning || !m || n < m || strcmp(f->line + n - m, f->text) != 0 ||
		strncmp(f->line, f->path, strlen(f->path)) != 0)
		broken("rules: a warning", f->line);
}

/* in: a house's; or NULL. */
static void hold_against(const struct snapshot *s, const struct extent *in)
{
	const struct rules_tool *r = tools_of(s->format)->rules;
	struct error e = ERROR_INIT;
	struct rules *rules = NULL;

	if (!r)
		return;
	if (r->add_named(&rules, "ddnet", &e) < 0)
		abort();
	if (!in || judged(r->add_file(&rules, in, &e), &e) == 0)
		judged(r->check(s, rules, told, NULL, &e), &e);
	r->free(rules);
}

static void look_at_source(const struct format *format, const struct source *source)
{
	static const char *const options[] = {"raw=rw", NULL};
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct look l = {.budget = budget_create(4 << 20)};
	struct format_context ctx = {.budget = l.budget, .store = &l.store, .options = options};
	struct error e = ERROR_INIT;

	l.store = (struct store){.keep = keep, .spool_dirfd = AT_FDCWD};
	if (judged(format->open(source, &ctx, &s, &e), &e) == 0) {
		l.s = s;
		if (format->edit->check_sound)
			judged(format->edit->check_sound(s, true, &e), &e);
		look_into(&l, ENTRY_ROOT, 0);
		hold_against(s, NULL);
	}
	snapshot_unref(TAKE(s));
	budget_destroy(l.budget);
}

static void look_at(const struct format *format, const char *name, const uint8_t *data, size_t size)
{
	CLEANUP(file_unref) struct file *file = file_of(data, size);
	struct source source = fixture_source(file, name);

	look_at_source(format, &source);
}

TARGET(fuzz_pak)
{
	CLEANUP(file_unref) struct file *second = NULL;
	CLEANUP(file_unref) struct file *first = NULL;
	size_t n = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);
	struct source source;

	if (size < 2 || n > size - 2)
		return;
	first = file_of(data + 2, n);
	second = file_of(data + 2 + n, size - 2 - n);
	source = fixture_source(first, "X.PAK");
	source.files[1] = second;
	source.sizes[1] = size - 2 - n;
	source.n_files = 2;
	look_at_source(&format_torchlight_pak, &source);
}

TARGET(fuzz_teeworlds)
{
	look_at(&format_teeworlds, "x.map", data, size);
}

TARGET(fuzz_triclon)
{
	look_at(&format_triclon, "x.tcm", data, size);
}

/* PutGet: what was taken is shown in a form that says the same. */
static void put_get(struct snapshot **s, entry_id id, const uint8_t *data, size_t size)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	struct error e = ERROR_INIT;
	struct file_attr entry;
	int r = entry_put(s, id, data, size, &e);

	if (r == -EAGAIN || judged(r, &e) <= 0)
		return;
	if ((*s)->format->stat(*s, id, &entry, &e) < 0)
		return; /* an item that counts for nothing any more */
	if (judged(entry_get(*s, &entry, &back, &e), &e) < 0)
		broken("PutGet: get", error_text(&e));
	r = entry_put(s, id, back->data, back->size, &e);
	if (r)
		broken("PutGet", r < 0 ? error_text(&e) : "its own form is a change");
}

/* The files of a map, those of directories below it too. */
static void collect(const struct snapshot *s, entry_id dir, entry_id ids[ENTRIES_MAX], unsigned *n)
{
	char name[NAME_MAX + 1];
	struct file_attr entry;
	uint64_t cookie = 0;

	while (*n < ENTRIES_MAX && s->format->list(s, dir, &cookie, name, &entry, NULL) == 1)
		if (entry.is_dir)
			collect(s, entry.id, ids, n);
		else if (entry.is_writable)
			ids[(*n)++] = entry.id;
}

/* What is put to the files that a new map has: a file's number, then the content. */
static void put_to_new(
	const struct format *format, const char *name, const uint8_t *data, size_t size)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct look l = {
		.budget = budget_create(1 << 20), .store = {.keep = keep, .spool_dirfd = AT_FDCWD}};
	struct format_context ctx = {.budget = l.budget, .store = &l.store};
	entry_id ids[ENTRIES_MAX];
	unsigned n = 0;

	if (format->open(&(struct source){.name = name}, &ctx, &s, NULL) < 0)
		abort();
	collect(s, ENTRY_ROOT, ids, &n);
	if (size && n) {
		put_get(&s, ids[data[0] % n], data + 1, size - 1);
		l.s = s;
		look_into(&l, ENTRY_ROOT, 0);
	}
	snapshot_unref(TAKE(s));
	budget_destroy(l.budget);
}

TARGET(fuzz_new_triclon)
{
	put_to_new(&format_triclon, "x.tcm", data, size);
}

TARGET(fuzz_new_mod)
{
	put_to_new(&format_torchlight_mod, "X.MOD", data, size);
}

static void no_fault(void *arg, const struct format_fault *f)
{
	(void)arg, (void)f;
}

static void no_line(void *arg, enum format_line_kind, const char *line)
{
	*(size_t *)arg += strlen(line);
}

/* As a save does it: what is not refused is written, read back, and a map that opens. */
static void save(const struct view_files *files, const struct snapshot *s, bool force)
{
	CLEANUP(snapshot_unref) struct snapshot *settled = NULL;
	CLEANUP(file_unref) struct file *file = NULL;
	struct error e = ERROR_INIT;
	struct fixture again;
	size_t n = 0;

	if (judged(s->format->tree->finalize(s, NULL, 0, &settled, no_line, &n, &e), &e) < 0 ||
		judged(s->format->edit->check(files->map.s, settled, no_fault, &n, &e), &e) < 0 ||
		judged(fixture_encode(&files->map, settled, force, &file, NULL, &e), &e) < 0)
		return;
	if (fixture_open_file(&again, TAKE(file), "again.map", "rw", &e) < 0)
		broken("the saved map is refused", error_text(&e));
	fixture_close(&again);
}

TARGET(fuzz_rules)
{
	CLEANUP_EXTENT struct extent in = extent_of(data, size);
	static struct view_files files;

	if (!files.n)
		view_files_open(&files, getenv("FUZZ_MAP") ? getenv("FUZZ_MAP") : FUZZ_MAP);
	hold_against(files.map.s, &in);
}

/* What was put to raw/ may be anything, and all files show what they can of it. */
TARGET(fuzz_view)
{
	static struct view_files files;
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	bool raw = false, force = size & 1;

	if (!files.n)
		view_files_open(&files, getenv("FUZZ_MAP") ? getenv("FUZZ_MAP") : FUZZ_MAP);
	s = snapshot_ref(files.map.s);
	for (unsigned i = 0; i < PUTS_MAX && size >= VIEW_HEADER; i++) {
		size_t n = (size_t)(data[1] | data[2] << 8), file = data[0] % files.n;

		if (n > size - VIEW_HEADER)
			n = size - VIEW_HEADER;
		raw |= file >= files.n_typed;
		put_get(&s, files.ids[file], data + VIEW_HEADER, n);
		data += VIEW_HEADER + n;
		size -= VIEW_HEADER + n;
	}
	if (s == files.map.s)
		return;
	if (raw) {
		struct look l = {.s = s};

		look_into(&l, ENTRY_ROOT, 0);
	}
	save(&files, s, force);
}
