/* SPDX-License-Identifier: Zlib */
/* One target for each structure of the Torchlight files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/support/fuzz.h"
#include "support/load.h"
#include "base/durable/pair.h"
#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/model/kit.h"
#include "formats/torchlight/picture/imageset.h"
#include "formats/torchlight/wire/removed.h"
#include "formats/torchlight/wire/tree.h"

/* Check that each child is found by its name. */
static void check_children(const struct manifest *m, const struct bytes *names)
{
	CLEANUP(tree_free) struct tree *t = NULL;
	struct error e = ERROR_INIT;

	check_error(tree_build(m, names, &t, &e), &e);
	for (uint32_t d = 0; t && d < t->n_dirs; d++)
		for (uint32_t i = t->dirs[d].first; i < t->dirs[d].first + t->dirs[d].n; i++)
			if (tree_find(t, d, tree_name(t, &t->children[i])) != &t->children[i])
				abort();
}

TARGET(fuzz_manifest)
{
	CLEANUP(manifest_free) struct manifest *m = NULL;
	struct error e = ERROR_INIT;
	CLEANUP(bytes_unref) struct bytes *removed = NULL;

	if (check_error(manifest_read(data, size, &m, &e), &e) == 0 &&
		removed_find(m, NULL, &removed, &e) == 0)
		check_children(m, NULL);
}

/* Three files with one name and a fourth; some list gives the names that a mount shows. */
TARGET(fuzz_called)
{
	static const char *const names[] = {"X.DAT", "X.DAT", "X~2.DAT", "X.DAT"};
	CLEANUP(bytes_unref) struct bytes *list = bytes_copy(data, size);
	CLEANUP(manifest_free) struct manifest *m = manifest_new(2, STR("MEDIA/"));

	if (!list || !m)
		abort();
	manifest_add_record(m, STR("MEDIA/"));
	for (uint32_t i = 0; i < 4; i++)
		manifest_add_entry(
			m, &(struct manifest_entry){.offset = 8, .handle = i}, str_of(names[i]));
	check_children(m, list);
}

TARGET(fuzz_modheader)
{
	CLEANUP(modheader_unref) struct mod_header *h = NULL;
	CLEANUP_EXTENT struct extent x = extent_of(data, size);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error e = ERROR_INIT;

	if (check_error(modheader_read(&x, &h, &e), &e) < 0)
		return;
	if (modheader_write(h, h->manifest_offset - h->data_offset, &out, &e) < 0 ||
		out.size > size || memcmp(out.data, data, out.size) != 0)
		abort();
}

TARGET(fuzz_archive)
{
	CLEANUP(archive_free) struct archive *a = NULL;
	CLEANUP_EXTENT struct extent x = extent_of(data, size);
	struct error e = ERROR_INIT;

	if (check_error(archive_open(&x, NULL, &a, &e), &e) < 0)
		return;
	for (uint32_t i = 0; i < a->manifest->n_entries; i++) {
		CLEANUP(bytes_unref) struct bytes *b = NULL;

		e = (struct error)ERROR_INIT;
		check_error(load_entry(a, &a->manifest->entries[i], &b, &e), &e);
	}
}

static const struct names *shipped_names(void)
{
	static struct names *names;

	if (!names)
		names = names_create();
	return names;
}

static void check_compiled(const char *path, const uint8_t *data, size_t size)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT, again = BUFFER_INIT;
	struct error e = ERROR_INIT, readonly = ERROR_INIT;
	struct compiled_context ctx = {.path = path, .names = shipped_names()};

	if (check_error(
		    compiled_decode(compiled_kind_of(path), &ctx, data, size, &text, &readonly, &e),
		    &e) < 0 ||
		readonly.code)
		return;
	if (compiled_encode(compiled_kind_of(path), &ctx, text.data, text.size, data, size, NULL,
		    &again, &e) < 0 ||
		again.size != size || memcmp(again.data, data, size) != 0)
		abort();
}

TARGET(fuzz_bindat)
{
	check_compiled("MEDIA/X.DAT", data, size);
}

TARGET(fuzz_binlayout)
{
	check_compiled("MEDIA/X.LAYOUT", data, size);
}

TARGET(fuzz_raw)
{
	static const char *const kinds[] = {
		"AFFIXES", "MISSILES", "ROOMPIECES", "SKILLS", "TRIGGERABLES", "UI", "UNITDATA"};
	char path[64];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(path, sizeof(path), "MEDIA/%s.RAW", kinds[i]);
		check_compiled(path, data, size);
	}
}

TARGET(fuzz_text)
{
	static const char *const paths[] = {"MEDIA/X.DAT", "MEDIA/X.LAYOUT", "MEDIA/UNITDATA.RAW"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
		struct compiled_context ctx = {.path = paths[i], .names = shipped_names()};
		struct error e = ERROR_INIT;

		compiled_form_of(compiled_kind_of(paths[i]), paths[i], data, size);
		check_error(compiled_encode(compiled_kind_of(paths[i]), &ctx, data, size, NULL, 0,
				    NULL, &out, &e),
			&e);
	}
}

/*
 * The text of a layout over an old file: u16 length of the old file, the file, the text. A
 * dictionary takes the names learnt from the pair.
 */
TARGET(fuzz_learn)
{
	struct compiled_remarks remarks = {.names = BUFFER_INIT};
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(names_unref) struct names *names = NULL;
	CLEANUP(bytes_unref) struct bytes *old = NULL;
	struct compiled_context ctx = {.path = "MEDIA/X.LAYOUT", .names = shipped_names()};
	struct error e = ERROR_INIT;
	size_t n = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);

	if (size < 2 || n > size - 2)
		return;
	old = bytes_copy(data + 2, n);
	if (check_error(compiled_encode(compiled_kind_of(ctx.path), &ctx, data + 2 + n,
				size - 2 - n, old->data, n, &remarks, &out, &e),
		    &e) == 0 &&
		names_extend(
			NULL, (const char *)remarks.names.data, remarks.names.size, &names, &e) < 0)
		abort();
	buffer_finish_free(&remarks.names);
}

TARGET(fuzz_removed)
{
	CLEANUP(bytes_unref) struct bytes *once = NULL, *twice = NULL;
	struct error e = ERROR_INIT;

	if (check_error(removed_parse(data, size, &once, &e), &e) < 0)
		return;
	if (removed_parse(once->data, once->size, &twice, &e) < 0 || once->size != twice->size ||
		(once->size && memcmp(once->data, twice->data, once->size) != 0))
		abort();
}

/* An accepted kit can be stored in a header. */
TARGET(fuzz_kit)
{
	CLEANUP(modheader_unref) struct mod_header *h = calloc(1, sizeof(*h));
	CLEANUP(bytes_unref) struct bytes *written = bytes_copy(data, size);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error e = ERROR_INIT;

	if (!h || !written)
		abort();
	h->version = MOD_VERSION;
	if (check_error(kit_read(written, h, &e), &e) == 0 && modheader_write(h, 0, &out, &e) < 0)
		abort();
}

TARGET(fuzz_imageset)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT, again = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *xml = bytes_copy(data, size);
	struct error e = ERROR_INIT;
	struct imageset_cut cut;

	if (check_error(imageset_find(xml, "b", &file, &cut, &e), &e) == 0 &&
		imageset_find(xml, NULL, &again, NULL, &e) < 0)
		abort();
}

__attribute__((unused)) static enum pair_permission validate(
	void *arg, const char *first, const char *second)
{
	(void)arg, (void)first, (void)second;
	return PAIR_REPLACE;
}

static char marker_dir[200];

static void remove_marker_dir(void)
{
	rmdir(marker_dir);
}

static int open_marker_dir(void)
{
	const char *top = getenv("TMPDIR");

	snprintf(marker_dir, sizeof(marker_dir), "%s/mapfs-fuzz-XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(marker_dir))
		abort();
	atexit(remove_marker_dir);
	return open(marker_dir, O_RDONLY | O_DIRECTORY);
}

/*
 * The marker of a pair: only files that it may name are renamed, so the file in this directory
 * stays.
 */
TARGET(fuzz_marker)
{
	static int dirfd = -1;
	struct error e = ERROR_INIT;
	struct trust trust;
	int fd;

	if (dirfd < 0)
		dirfd = open_marker_dir();
	fd = openat(dirfd, ".X.mapfs-pair", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	trust = (struct trust){dirfd, geteuid(), getegid(), 0644};
	check_error(pair_finish(&trust, "X", validate, NULL, &e), &e);
	unlinkat(dirfd, ".X.mapfs-pair", 0);
}
