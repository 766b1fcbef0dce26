/* SPDX-License-Identifier: Zlib */
/*
 * laws: the laws of formats/format.h, for every file of every archive that is named.
 *
 *     laws [--identical] [--plain] ARCHIVE...
 *
 * Size, any range is a slice of the whole, GetPut, PutGet, Locality; then the archive with all puts
 * is written, verified and read again. A rewrite of the untouched archive copies its section; with
 * --identical the whole file must be the same, also where every block is decoded and encoded anew.
 * --plain: with text=off. ARCHIVE is a MOD, or a PAK whose manifest is ARCHIVE.MAN. Exit code 1: a
 * law is broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "laws.h"

void broken(struct run *run, const char *path, const char *law, const char *text)
{
	fprintf(stderr, "%s: %s: %s: %s\n", run->name, path, law, text);
	run->broken++;
}

static int keep(struct store *s, const struct extent *data, struct extent *ret, struct error *e)
{
	struct bytes *b = NULL;
	int r = extent_load(data, UINT32_MAX, &b, e);

	(void)s;
	if (r == 0)
		*ret = extent_of_bytes(b);
	return r;
}

int get_all(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e)
{
	uint64_t size = 0;
	uint8_t *data;
	struct bytes *b;
	int r = s->format->size(s, id, &size, e);

	if (r < 0)
		return r;
	b = bytes_new((size_t)size, &data);
	r = s->format->get(s, id, 0, data, (size_t)size, e);
	if (r == 0)
		*ret = b;
	else
		bytes_unref(b);
	return r;
}

/* 1: changed; 0: nothing to change; or the refusal. */
static int put(
	struct snapshot **s, entry_id id, struct bytes *b, struct touched *t, struct error *e)
{
	CLEANUP_EXTENT struct extent in = extent_of_bytes(bytes_ref(b));
	const struct format *f = (*s)->format;
	struct change *c = NULL;
	int r = f->edit->parse(*s, id, &in, &c, e);

	if (r < 0 || !c)
		return r;
	r = f->edit->apply(s, c, t, e);
	change_free(c);
	return r < 0 ? r : 1;
}

static void check_ranges(struct run *run, const char *path, entry_id id, const struct bytes *whole)
{
	const uint64_t size = whole->size, places[] = {0, size / 3, size / 2, size ? size - 1 : 0};
	static uint8_t part[70000];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct error e = ERROR_INIT;
		uint64_t n = size - places[i] < sizeof(part) ? size - places[i] : sizeof(part);

		if (run->f->get(run->s, id, places[i], part, (size_t)n, &e) < 0)
			broken(run, path, "a range cannot be read", error_text(&e));
		else if (n && memcmp(part, whole->data + places[i], (size_t)n) != 0)
			broken(run, path, "determinism", "a range differs from the whole");
	}
}

/* A line more: a field in the root block, another version of a layout, the last row once more. */
static struct bytes *mutate_text(const char *path, const struct bytes *whole)
{
	static const char field[] = "\t<STRING>NAME:of another name\n";
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *s = (const char *)whole->data;
	const char *end = whole->size ? memchr(s, '\n', whole->size) : NULL;
	const char *last = whole->size > 1 ? memrchr(s, '\n', whole->size - 1) : NULL;
	struct bytes *b = NULL;

	if (compiled_kind_of(path) == COMPILED_RAW) {
		if (!last)
			return NULL;
		buffer_append(&out, s, whole->size);
		buffer_append(&out, last + 1, whole->size - (size_t)(last + 1 - s));
	} else {
		const char *version = end ? memmem(s, whole->size, "VERSION:4", 9) : NULL;
		const char *at = strcasestr(path, ".LAYOUT") ? version : end + 1;

		if (!end || !at)
			return NULL;
		buffer_append(&out, s, (size_t)(at - s));
		buffer_text(&out, at == version ? "VERSION:9" : field);
		at += at == version ? 9 : 0;
		buffer_append(&out, at, whole->size - (size_t)(at - s));
	}
	return buffer_finish(&out, &b) == 0 ? b : NULL;
}

/* Something else that the file can say; NULL: nothing comes to mind. */
static struct bytes *mutate(
	const struct run *run, entry_id id, const char *path, const struct bytes *whole)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct bytes *b = NULL;

	if (tl_kind_of(id) != TL_FILE)
		return NULL;
	if (run->shows_text)
		return mutate_text(path, whole);
	buffer_append(&out, whole->data, whole->size);
	buffer_text(&out, "more");
	return buffer_finish(&out, &b) == 0 ? b : NULL;
}

static void check_locality(struct run *run, const char *path, entry_id id,
	const struct snapshot *before, const struct touched *t)
{
	const struct tl_map *a = tl_map_of(before), *b = tl_map_of(run->changed);
	uint32_t n = a->shared->manifest->n_entries;

	for (uint32_t i = 0; i < n; i++)
		if (i != tl_index(id) && tl_map_file(a, i) != tl_map_file(b, i))
			broken(run, path, "Locality", "another file changed");
	if (a->header != b->header || a->removed != b->removed || a->base != b->base)
		broken(run, path, "Locality", "something else changed");
	if (t->all || t->n != 1 || t->ids[0] != id)
		broken(run, path, "Locality", "another file is told to have changed");
}

static void check_put_get(struct run *run, const char *path, entry_id id, const struct bytes *whole)
{
	CLEANUP(snapshot_unref) struct snapshot *before = snapshot_ref(run->changed);
	CLEANUP(bytes_unref) struct bytes *in = mutate(run, id, path, whole), *back = NULL;
	struct touched t = {0};
	struct error e = ERROR_INIT;
	int r = in ? put(&run->changed, id, in, &t, &e) : 0;

	if (!in)
		return;
	if (r == -EINVAL) {
		run->refused++;
		if (before != run->changed)
			broken(run, path, "PutGet", "a refusal changed something");
	} else if (r != 1) {
		broken(run, path, "PutGet", r == 0 ? "a change is none" : error_text(&e));
	} else {
		run->puts++;
		check_locality(run, path, id, before, &t);
		if (get_all(run->changed, id, &back, &e) < 0)
			broken(run, path, "PutGet: get", error_text(&e));
		else if (put(&run->changed, id, back, NULL, &e) != 0)
			broken(run, path, "PutGet", "its canonical form is another change");
		else if (put(&run->changed, id, in, NULL, &e) != 0)
			broken(run, path, "PutGet", "putting it again is a change");
	}
	touched_finish(&t);
	/* The next file starts from what there was: texts show the same names. */
	snapshot_unref(run->changed);
	run->changed = TAKE(before);
}

static bool shows_text(const struct snapshot *s, entry_id id)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;

	if (tl_kind_of(id) == TL_FILE)
		c = tl_map_peek(tl_map_of(s), tl_index(id));
	return c && c->view == TL_TEXT;
}

static void check_file(struct run *run, const char *path, const struct entry *entry)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	CLEANUP(snapshot_unref) struct snapshot *same = snapshot_ref(run->s);
	struct error e = ERROR_INIT;
	struct entry now;
	uint64_t size = 0;
	int r = run->f->size(run->s, entry->id, &size, &e);

	run->files++;
	if (r == 0)
		r = get_all(run->s, entry->id, &whole, &e);
	if (r == -EIO) {
		fprintf(stderr, "%s: %s: unreadable: %s\n", run->name, path, error_text(&e));
		run->unreadable++;
		return;
	}
	if (r < 0) {
		broken(run, path, "get", error_text(&e));
		return;
	}
	run->shows_text = shows_text(run->s, entry->id);
	run->texts += run->shows_text;
	if (size != whole->size || (entry->sized && entry->size != size))
		broken(run, path, "Size", "size, stat and get disagree");
	if (run->f->stat(run->s, entry->id, &now, &e) < 0 || !now.sized || now.size != size)
		broken(run, path, "Size", "it is not remembered");
	check_ranges(run, path, entry->id, whole);
	r = put(&same, entry->id, whole, NULL, &e);
	if (r != 0)
		broken(run, path, "GetPut", r < 0 ? error_text(&e) : "its own content is a change");
	if (now.writable)
		check_put_get(run, path, entry->id, whole);
}

static void walk(struct run *run, entry_id dir, const char *path)
{
	char name[NAME_MAX + 1], inner[PATH_MAX];
	struct entry entry, found;
	struct error e = ERROR_INIT;
	uint64_t cookie = 0;
	int r;

	while ((r = run->f->list(run->s, dir, &cookie, name, &entry, &e)) > 0) {
		snprintf(inner, sizeof(inner), "%s/%s", path, name);
		if (run->f->lookup(run->s, dir, name, &found, &e) < 0 || found.id != entry.id)
			broken(run, inner, "lookup", "its name does not find it");
		if (entry.dir)
			walk(run, entry.id, inner);
		else
			check_file(run, inner, &entry);
	}
	if (r < 0)
		broken(run, path, "list", error_text(&e));
}

/* All files changed at once: each to its own bytes and some more. */
static void change_all(struct run *run)
{
	uint32_t n = tl_map_of(run->s)->shared->manifest->n_entries;
	struct error e = ERROR_INIT;

	for (uint32_t i = 0; i < n; i++) {
		CLEANUP(bytes_unref) struct bytes *whole = NULL, *more = NULL;
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
		int r;

		if (get_all(run->s, tl_id(TL_FILE, i), &whole, NULL) < 0)
			continue;
		tl_file_path(tl_map_of(run->s), i, &path);
		run->shows_text = shows_text(run->s, tl_id(TL_FILE, i));
		more = mutate(run, tl_id(TL_FILE, i), (const char *)path.data, whole);
		r = more ? put(&run->changed, tl_id(TL_FILE, i), more, NULL, &e) : 1;
		/* Bytes that are no file of the kind are refused, and so is an odd root. */
		if (r != 1 && r != -EINVAL)
			broken(run, (const char *)path.data, "put", error_text(&e));
	}
}

static int open_one(struct run *run, const char *path, unsigned i)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENOENT;
	run->source.files[i] = file_new(fd);
	run->source.sizes[i] = (uint64_t)st.st_size;
	run->source.n_files++;
	return 0;
}

static int run_archive(struct run *run, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct error e = ERROR_INIT;
	char man[PATH_MAX];

	run->name = slash ? slash + 1 : path;
	run->pak = strcasestr(run->name, ".pak") != NULL;
	run->f = run->pak ? &format_torchlight_pak : &format_torchlight_mod;
	run->source = (struct source){.name = run->name};
	snprintf(man, sizeof(man), "%s.MAN", path);
	if (open_one(run, path, 0) < 0 || (run->pak && open_one(run, man, 1) < 0)) {
		broken(run, "", "open", "no such file");
		return 0;
	}
	run->ctx = (struct format_context){
		.budget = run->budget, .store = &run->store, .options = run->options};
	if (run->f->open(&run->source, &run->ctx, &run->s, &e) < 0) {
		printf("refused %s: %s\n", run->name, error_text(&e));
	} else {
		run->changed = snapshot_ref(run->s);
		walk(run, ENTRY_ROOT, "");
		change_all(run);
		check_rewrite(run, run->s, false, run->identical);
		check_rewrite(run, run->s, true, run->identical);
		check_rewrite(run, run->changed, false, false);
		snapshot_unref(run->changed);
		snapshot_unref(run->s);
	}
	for (unsigned i = 0; i < run->source.n_files; i++)
		file_unref(run->source.files[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const plain[] = {"text=off", NULL};
	static struct run run;

	strcpy(run.dir, "/tmp/mapfs-laws-XXXXXX");
	if (!mkdtemp(run.dir))
		return 2;
	run.dirfd = open(run.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	run.budget = budget_create(64 << 20);
	run.store = (struct store){.keep = keep, .spool_dirfd = run.dirfd};
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--identical"))
			run.identical = true;
		else if (!strcmp(argv[i], "--plain"))
			run.options = plain;
		else
			run_archive(&run, argv[i]);
	}
	budget_destroy(run.budget);
	rmdir(run.dir);
	printf("%u files, %u of them texts, %u unreadable, %u puts, %u refused, %u broken\n",
		run.files, run.texts, run.unreadable, run.puts, run.refused, run.broken);
	return run.broken ? 1 : 0;
}
