/* SPDX-License-Identifier: Zlib */
/*
 * Targets that read maps or change them:
 * - teeworlds, triclon, pak: a whole map (pak: u16 length of the archive, archive, manifest) is
 *   opened and listed, and every file is read and put back
 * - new_triclon, new_mod: content put to files of a new map
 * - rules: rules that a sound map is checked against
 * - view: content put to files of a sound map before a save: for each the file's number in
 *   view_files, a length of 16 bits, and the content
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

/* Larger maps are only read in part, so that a run stays short. */
enum { ENTRIES_MAX = 500, GET_MAX = 16 << 10, DEPTH_MAX = 8, PUTS_MAX = 8 };

struct map_reader {
	struct budget *budget;
	struct store store;
	const struct snapshot *s;
	unsigned entries;
};

static int keep_content(
	struct store *s, const struct extent *data, struct extent *ret, struct error *e)
{
	(void)s;
	(void)e;
	*ret = extent_ref(data);
	return 0;
}

static struct file *make_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return file_new(fd);
}

/* GetPut: putting a file's own content changes nothing. */
static void put_own_content(
	const struct map_reader *l, entry_id id, struct bytes *content, const char *name)
{
	CLEANUP_EXTENT struct extent in = extent_of_bytes(bytes_ref(content));
	CLEANUP(snapshot_unref) struct snapshot *next = NULL;
	struct error e = ERROR_INIT;

	if (check_error(format_put_file(l->s, id, &in, NULL, &next, &e), &e) < 0)
		abort_broken("GetPut refuses", error_text(&e));
	if (next)
		abort_broken("GetPut", name);
}

static void read_file(const struct map_reader *l, const struct file_attr *entry, const char *name)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error e = ERROR_INIT;
	uint64_t size, n;
	uint8_t *dst;

	if (check_error((l->s->format->size ? l->s->format->size : snapshot_size)(
				l->s, entry->id, &size, &e),
		    &e) < 0)
		return;
	if (entry->has_size && size != entry->size)
		abort_broken("Size", name);
	n = size < GET_MAX ? size : GET_MAX;
	b = bytes_new((size_t)n, &dst);
	e = (struct error)ERROR_INIT;
	if (!b || check_error(l->s->format->get(l->s, entry->id, 0, dst, (size_t)n, &e), &e) < 0)
		return;
	e = (struct error)ERROR_INIT;
	if (n < size) {
		/* The last byte, because the checksums cover the whole file. */
		check_error(l->s->format->get(l->s, entry->id, size - 1, dst, 1, &e), &e);
		return;
	}
	if (entry->is_writable)
		put_own_content(l, entry->id, b, name);
}

static void read_directory(struct map_reader *l, entry_id dir, unsigned depth)
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
			abort_broken("lookup", name);
		if (entry.is_dir)
			read_directory(l, entry.id, depth + 1);
		else
			read_file(l, &entry, name);
	}
	check_error(r, &e);
}

/* A warning has a path and a text. */
static void check_fault(void *arg, const struct format_fault *f)
{
	size_t n = strlen(f->line), m = strlen(f->text);

	(void)arg;
	if (!f->is_warning || !m || n < m || strcmp(f->line + n - m, f->text) != 0 ||
		strncmp(f->line, f->path, strlen(f->path)) != 0)
		abort_broken("rules: a warning", f->line);
}

/* Check against the rules in `in`, or without rules if it is NULL. */
static void check_rules(const struct snapshot *s, const struct extent *in)
{
	const struct rules_tool *r = tools_of(s->format)->rules;
	struct error e = ERROR_INIT;
	struct rules *rules = NULL;

	if (!r)
		return;
	if (r->add_named(&rules, "ddnet", &e) < 0)
		abort();
	if (!in || check_error(r->add_file(&rules, in, &e), &e) == 0)
		check_error(r->check(s, rules, check_fault, NULL, &e), &e);
	r->free(rules);
}

static void read_source(const struct format *format, const struct source *source)
{
	static const char *const options[] = {"raw=rw", NULL};
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct map_reader l = {.budget = budget_create(4 << 20)};
	struct format_context ctx = {.budget = l.budget, .store = &l.store, .options = options};
	struct error e = ERROR_INIT;

	l.store = (struct store){.keep = keep_content, .spool_dirfd = AT_FDCWD};
	if (check_error(format->open(source, &ctx, &s, &e), &e) == 0) {
		l.s = s;
		if (format->edit->check_sound)
			check_error(format->edit->check_sound(s, true, &e), &e);
		read_directory(&l, ENTRY_ROOT, 0);
		check_rules(s, NULL);
	}
	snapshot_unref(TAKE(s));
	budget_destroy(l.budget);
}

static void read_map(
	const struct format *format, const char *name, const uint8_t *data, size_t size)
{
	CLEANUP(file_unref) struct file *file = make_file(data, size);
	struct source source = fixture_source(file, name);

	read_source(format, &source);
}

TARGET(fuzz_pak)
{
	CLEANUP(file_unref) struct file *second = NULL;
	CLEANUP(file_unref) struct file *first = NULL;
	size_t n = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);
	struct source source;

	if (size < 2 || n > size - 2)
		return;
	first = make_file(data + 2, n);
	second = make_file(data + 2 + n, size - 2 - n);
	source = fixture_source(first, "X.PAK");
	source.files[1] = second;
	source.sizes[1] = size - 2 - n;
	source.n_files = 2;
	read_source(&format_torchlight_pak, &source);
}

TARGET(fuzz_teeworlds)
{
	read_map(&format_teeworlds, "x.map", data, size);
}

TARGET(fuzz_triclon)
{
	read_map(&format_triclon, "x.tcm", data, size);
}

/* PutGet: accepted content is shown in a form that means the same. */
static void put_get(struct snapshot **s, entry_id id, const uint8_t *data, size_t size)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	struct error e = ERROR_INIT;
	struct file_attr entry;
	int r = entry_put(s, id, data, size, &e);

	if (r == -EAGAIN || check_error(r, &e) <= 0)
		return;
	if ((*s)->format->stat(*s, id, &entry, &e) < 0)
		return; /* the item no longer counts */
	if (check_error(entry_get(*s, &entry, &back, &e), &e) < 0)
		abort_broken("PutGet: get", error_text(&e));
	r = entry_put(s, id, back->data, back->size, &e);
	if (r)
		abort_broken("PutGet", r < 0 ? error_text(&e) : "its own form is a change");
}

/* Collect the files of a map, including those in subdirectories. */
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

/* Put content to the files of a new map: the number of a file, then the content. */
static void put_to_new(
	const struct format *format, const char *name, const uint8_t *data, size_t size)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct map_reader l = {.budget = budget_create(1 << 20),
		.store = {.keep = keep_content, .spool_dirfd = AT_FDCWD}};
	struct format_context ctx = {.budget = l.budget, .store = &l.store};
	entry_id ids[ENTRIES_MAX];
	unsigned n = 0;

	if (format->open(&(struct source){.name = name}, &ctx, &s, NULL) < 0)
		abort();
	collect(s, ENTRY_ROOT, ids, &n);
	if (size && n) {
		put_get(&s, ids[data[0] % n], data + 1, size - 1);
		l.s = s;
		read_directory(&l, ENTRY_ROOT, 0);
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

static void ignore_fault(void *arg, const struct format_fault *f)
{
	(void)arg, (void)f;
}

static void ignore_line(void *arg, enum format_line_kind, const char *line)
{
	*(size_t *)arg += strlen(line);
}

/*
 * Save as a mount does: content that is not refused is written and read back, and the map can be
 * opened.
 */
static void save_and_reopen(const struct view_files *files, const struct snapshot *s, bool force)
{
	CLEANUP(snapshot_unref) struct snapshot *settled = NULL;
	CLEANUP(file_unref) struct file *file = NULL;
	struct error e = ERROR_INIT;
	struct fixture again;
	size_t n = 0;

	if (check_error(s->format->tree->finalize(s, NULL, 0, &settled, ignore_line, &n, &e), &e) <
			0 ||
		check_error(s->format->edit->check(files->map.s, settled, ignore_fault, &n, &e),
			&e) < 0 ||
		check_error(fixture_encode(&files->map, settled, force, &file, NULL, &e), &e) < 0)
		return;
	if (fixture_open_file(&again, TAKE(file), "again.map", "rw", &e) < 0)
		abort_broken("the saved map is refused", error_text(&e));
	fixture_close(&again);
}

TARGET(fuzz_rules)
{
	CLEANUP_EXTENT struct extent in = extent_of(data, size);
	static struct view_files files;

	if (!files.n)
		view_files_open(&files, getenv("FUZZ_MAP") ? getenv("FUZZ_MAP") : FUZZ_MAP);
	check_rules(files.map.s, &in);
}

/* Anything may be put to raw/, and all files must show as much as possible. */
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
		struct map_reader l = {.s = s};

		read_directory(&l, ENTRY_ROOT, 0);
	}
	save_and_reopen(&files, s, force);
}
