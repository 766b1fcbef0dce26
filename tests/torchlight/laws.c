/* SPDX-License-Identifier: Zlib */
/*
 * laws: checks the laws of formats/format.h for every file of the given archives.
 *
 *     laws [--identical] [--plain] ARCHIVE...
 *
 * Checks Size, ranges, GetPut, PutGet and Locality; then the archive with all puts is written,
 * verified and read again. A rewrite of the unchanged archive copies its section; with --identical
 * the whole file must be the same, also if every block is decoded and encoded again. --plain: with
 * text=off. ARCHIVE is a MOD, or a PAK whose manifest is ARCHIVE.MAN. The exit code is 1 if a law
 * is broken.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../formats/support/fixture.h"
#include "../formats/support/laws.h"
#include "base/buffer.h"
#include "formats/torchlight/format.h"
#include "formats/torchlight/model/map.h"
#include "formats/torchlight/text/compiled.h"

struct run {
	bool identical;
	const char *const *options;
	unsigned broken, files, texts, unreadable, puts, refused;

	/* of the current archive */
	const char *name;
	struct fixture f;
	struct snapshot *changed;
};

static void broken(void *arg, const char *path, const char *law, const char *text)
{
	struct run *run = arg;

	fprintf(stderr, "%s: %s: %s: %s\n", run->name, path, law, text);
	run->broken++;
}

static bool shows_text(const struct snapshot *s, entry_id id)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;

	if (tl_kind_of(id) == TL_FILE)
		c = tl_map_peek(tl_map_of(s), tl_index(id));
	return c && c->view == TL_TEXT;
}

/* Add a line: a field in the root block, another version of a layout, or the last row again. */
static struct bytes *make_other_text(const char *path, const struct bytes *whole)
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

/* Returns other valid content of the file, or NULL. */
static struct bytes *make_other_content(
	const struct snapshot *s, entry_id id, const char *path, const struct bytes *whole)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct bytes *b = NULL;

	if (tl_kind_of(id) != TL_FILE)
		return NULL;
	if (shows_text(s, id))
		return make_other_text(path, whole);
	buffer_append(&out, whole->data, whole->size);
	buffer_text(&out, "more");
	return buffer_finish(&out, &b) == 0 ? b : NULL;
}

static void check_locality(
	struct run *run, const char *path, entry_id id, const struct snapshot *before)
{
	const struct tl_map *a = tl_map_of(before), *b = tl_map_of(run->changed);
	uint32_t n = tl_mounted(a)->n_entries;

	for (uint32_t i = 0; i < n; i++)
		if (i != tl_index(id) && tl_map_file(a, i) != tl_map_file(b, i))
			broken(run, path, "Locality", "another file changed");
	if (a->header != b->header || a->removed != b->removed || a->shared != b->shared)
		broken(run, path, "Locality", "something else changed");
}

static void check_put(
	struct run *run, const char *path, const struct file_attr *entry, const struct bytes *whole)
{
	CLEANUP(snapshot_unref) struct snapshot *before = snapshot_ref(run->changed);
	CLEANUP(bytes_unref)
	struct bytes *in = make_other_content(run->f.s, entry->id, path, whole);
	const struct laws laws = {broken, run};
	struct error e = ERROR_INIT;
	int r;

	if (!in)
		return;
	r = laws_put(&laws, &run->changed, path, entry, in, false, &e);
	run->refused += r == -EINVAL;
	run->puts += r == 1;
	if (r == 1)
		check_locality(run, path, entry->id, before);
	/* The next file starts from the previous snapshot: texts show the same names. */
	snapshot_unref(run->changed);
	run->changed = TAKE(before);
}

static void check_file(void *arg, const char *path, const struct file_attr *entry)
{
	struct run *run = arg;
	const struct laws laws = {broken, run};
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r = laws_read(&laws, run->f.s, path, entry, &whole);

	run->files++;
	run->unreadable += r == -EIO;
	run->texts += r == 0 && shows_text(run->f.s, entry->id);
	if (r == 0 && entry->is_writable)
		check_put(run, path, entry, whole);
}

/* Change all files at once, each to its own bytes and some more. */
static void change_file(void *arg, const char *path, const struct file_attr *entry)
{
	struct run *run = arg;
	CLEANUP(bytes_unref) struct bytes *whole = NULL, *more = NULL;
	struct error e = ERROR_INIT;
	int r;

	if (entry_get(run->f.s, entry, &whole, NULL) < 0)
		return;
	more = make_other_content(run->f.s, entry->id, path, whole);
	r = more ? entry_put(&run->changed, entry->id, more->data, more->size, &e) : 1;
	/* Bytes of another kind and an unknown root are refused. */
	if (r != 1 && r != -EINVAL)
		broken(run, path, "put", error_text(&e));
}

/* Write, verify and read s. `identical`: the result must equal the file's bytes. */
static void check_rewrite(struct run *run, const struct snapshot *s, bool force, bool identical)
{
	const char *law = force ? "forced rewrite" : "rewrite";
	const struct laws laws = {broken, run};
	CLEANUP(plan_free) struct plan *plan = NULL;
	struct error e = ERROR_INIT;
	struct source written;
	struct fixture again;

	if (fixture_write(&run->f, s, force, &written, &plan, &e) < 0) {
		broken(run, "", law, error_text(&e));
		return;
	}
	if (identical && !source_equal(&written, &run->f.source))
		broken(run, "", law, "differs from the file");
	if (fixture_open_source(&again, s->format, &written, run->options, &e) < 0)
		broken(run, "", "the written archive is refused", error_text(&e));
	else
		laws_same(&laws, law, s, again.s);
	fixture_close(&again);
}

static void run_archive(struct run *run, const char *path)
{
	struct source src = {0};
	struct error e = ERROR_INIT;
	char man[PATH_MAX];
	bool pak;
	int r = source_add(&src, path, &e);

	run->name = r == 0 ? src.name : path;
	pak = strcasestr(run->name, ".pak") != NULL;
	snprintf(man, sizeof(man), "%s.MAN", path);
	if (r == 0 && pak)
		r = source_add(&src, man, &e);
	if (r < 0) {
		broken(run, "", "open", error_text(&e));
		source_drop(&src);
		return;
	}
	if (fixture_open_source(&run->f, pak ? &format_torchlight_pak : &format_torchlight_mod,
		    &src, run->options, &e) < 0) {
		printf("refused %s: %s\n", run->name, error_text(&e));
		fixture_close(&run->f);
		return;
	}
	run->changed = snapshot_ref(run->f.s);
	if (entry_walk(run->f.s, ENTRY_ROOT, "", check_file, run, &e) < 0 ||
		entry_walk(run->f.s, ENTRY_ROOT, "", change_file, run, &e) < 0)
		broken(run, "", "walk", error_text(&e));
	check_rewrite(run, run->f.s, false, run->identical);
	check_rewrite(run, run->f.s, true, run->identical);
	check_rewrite(run, run->changed, false, false);
	snapshot_unref(run->changed);
	fixture_close(&run->f);
}

int main(int argc, char **argv)
{
	static const char *const plain[] = {"text=off", NULL};
	static struct run run;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--identical"))
			run.identical = true;
		else if (!strcmp(argv[i], "--plain"))
			run.options = plain;
		else
			run_archive(&run, argv[i]);
	}
	printf("%u files, %u of them texts, %u unreadable, %u puts, %u refused, %u broken\n",
		run.files, run.texts, run.unreadable, run.puts, run.refused, run.broken);
	return run.broken ? 1 : 0;
}
