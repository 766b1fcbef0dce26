/* SPDX-License-Identifier: Zlib */
/*
 * The Torchlight codecs as a program, for tests in other languages.
 *
 * - `tool decode PATH [utf16]`: compiled file on stdin, text on stdout; PATH: its name in an
 * archive
 * - `tool encode PATH [OLD]`: text on stdin, compiled file on stdout; OLD: the previous file
 * - `tool damage PATH`: decodes every truncation and many changes of every byte of stdin
 * - `tool list ARCHIVE [MAN]`: the content of the tables
 * - `tool dump ARCHIVE [MAN]`: for each stored entry u64 length and the inflated bytes
 * - `tool tree ARCHIVE [MAN]`: the paths that a mount shows
 * - `tool rewrite ARCHIVE [MAN]`: all tables and blocks encoded again, on stdout
 * - `tool damage-archive ARCHIVE [MAN]`: like damage, for the tables and each file's block
 *
 * The exit code is 0; 1 with the reason on stderr; 3 after decode if the text cannot be written
 * back.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/wire/tree.h"
#include "support/load.h"
#include "support/tool.h"

static int read_stdin(FILE *f, struct buffer *b)
{
	uint8_t chunk[65536];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buffer_append(b, chunk, n);
	return b->error;
}

void emit(const struct buffer *out)
{
	if (out->size)
		fwrite(out->data, 1, out->size, stdout);
}

static int decode(const struct compiled_context *ctx, struct error *e)
{
	CLEANUP_BUFFER struct buffer in = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error readonly = ERROR_INIT;
	int r;

	read_stdin(stdin, &in);
	r = compiled_decode(compiled_kind_of(ctx->path), ctx, in.data, in.size, &out, &readonly, e);
	if (r < 0)
		return r;
	emit(&out);
	if (!readonly.code)
		return 0;
	fprintf(stderr, "read-only: %s\n", error_text(&readonly));
	return 3;
}

static int encode(const struct compiled_context *ctx, const char *old_path, struct error *e)
{
	CLEANUP_BUFFER struct buffer in = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer old = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	FILE *f;
	int r;

	read_stdin(stdin, &in);
	if (old_path) {
		f = fopen(old_path, "rb");
		if (!f)
			return error_errno(e, "%s", old_path);
		read_stdin(f, &old);
		fclose(f);
	}
	r = compiled_encode(compiled_kind_of(ctx->path), ctx, in.data, in.size,
		old_path ? old.data : NULL, old.size, NULL, &out, e);
	if (r == 0)
		emit(&out);
	return r;
}

/* Copy exactly n bytes, so that a sanitizer detects a read past the end. */
static uint8_t *copy_exactly(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (n)
		memcpy(copy, data, n);
	return copy;
}

static void try_decode(
	const struct compiled_context *ctx, const uint8_t *data, size_t n, unsigned counts[2])
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error e = ERROR_INIT, readonly = ERROR_INIT;
	uint8_t *copy = copy_exactly(data, n);
	int r = compiled_decode(compiled_kind_of(ctx->path), ctx, copy, n, &out, &readonly, &e);

	if (r < 0 && !*error_text(&e)) {
		fprintf(stderr, "an error without words\n");
		abort();
	}
	counts[r < 0]++;
	free(copy);
}

static const uint8_t masks[] = {0x01, 0x02, 0x08, 0x80, 0xFF};

static int damage(const struct compiled_context *ctx)
{
	CLEANUP_BUFFER struct buffer in = BUFFER_INIT;
	unsigned counts[2] = {0, 0};

	read_stdin(stdin, &in);
	for (size_t n = 0; n <= in.size; n++)
		try_decode(ctx, in.data, n, counts);
	for (size_t i = 0; i < in.size; i++) {
		for (size_t k = 0; k < sizeof(masks); k++) {
			in.data[i] ^= masks[k];
			try_decode(ctx, in.data, in.size, counts);
			in.data[i] ^= masks[k];
		}
	}
	printf("%u read, %u refused\n", counts[0], counts[1]);
	return 0;
}

static int open_extent(const char *path, struct extent *ret, struct error *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(e, "%s", path);
	*ret = extent_of_file(file_new(fd), 0, (uint64_t)st.st_size);
	return 0;
}

static int open_archive(const struct extent *files, bool pak, struct archive **ret, struct error *e)
{
	return archive_open(&files[0], pak ? &files[1] : NULL, ret, e);
}

static void put_text(const char *key, const struct text *t)
{
	printf("%s\t%s\n", key, t->s);
}

static void list_header(const struct mod_header *h)
{
	static const char *const keys[] = {"title", "author", "descr", "website", "download"};
	struct cursor c = cursor_init(h->requirements.s, h->requirements.n);

	printf("ver\t%u\nmodver\t%u\ngamever\t[%u, %u, %u, %u]\noffdata\t%" PRIu32
	       "\noffman\t%" PRIu32 "\n",
		h->version, h->mod_version, h->game_version[0], h->game_version[1],
		h->game_version[2], h->game_version[3], h->data_offset, h->manifest_offset);
	for (int i = 0; i < MOD_STRINGS; i++)
		put_text(keys[i], &h->strings[i]);
	printf("modid\t%" PRId64 "\nflags\t%" PRIu32 "\nreqhash\t%" PRIu64 "\n", h->id, h->flags,
		h->requirements_hash);
	for (unsigned i = 0; i < h->n_requirements; i++) {
		CLEANUP_BUFFER struct buffer name = BUFFER_INIT;
		int64_t id;

		ss_to_utf8(cursor_ss(&c), &name);
		buffer_byte(&name, 0);
		id = cursor_i64(&c);
		printf("req\t%s\t%" PRId64 "\t%u\n", (char *)name.data, id,
			h->version >= 2 ? cursor_u16(&c) : 0);
	}
	for (struct str rest = {h->removed.s, h->removed.n}; rest.n;) {
		struct str path = str_cut(&rest, '\n');

		printf("del\t%.*s\n", STR_ARGS(path));
	}
}

static void put_str(struct str s)
{
	fwrite(s.s, 1, s.n, stdout);
	putchar('\t');
}

static int list_archive(const struct archive *a, struct error *e)
{
	const struct manifest *m = a->manifest;

	if (a->header)
		list_header(a->header);
	printf("hash_ok\t%d\n", a->hash_ok);
	printf("man\t%u\t%08" PRIx32 "\t%u\t%" PRIu32 "\t%" PRIu32 "\n", m->version, m->mhash,
		m->step, m->total, m->n_records);
	for (uint32_t i = 0; i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];
		struct pak_block b = {0};
		int r = x->offset ? pak_block_read(&a->section, x->offset, &b, e) : 0;

		if (r < 0)
			return r;
		printf("entry\t");
		put_str(manifest_path(m, &m->records[x->record]));
		put_str(manifest_name(m, x));
		printf("%u\t%08" PRIx32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\n",
			x->type, x->crc, x->offset, x->usize, b.csize, x->filetime);
	}
	return 0;
}

static int dump(const struct archive *a, struct error *e)
{
	const struct manifest *m = a->manifest;

	for (uint32_t i = 0; i < m->n_entries; i++) {
		CLEANUP(bytes_unref) struct bytes *b = NULL;
		uint64_t n;
		int r;

		if (!m->entries[i].offset)
			continue;
		r = load_entry(a, &m->entries[i], &b, e);
		if (r < 0)
			return r;
		n = b->size;
		fwrite(&n, 1, 8, stdout);
		fwrite(b->data, 1, b->size, stdout);
	}
	return 0;
}

static void show_dir(const struct tree *t, uint32_t dir, const char *path)
{
	for (uint32_t i = t->dirs[dir].first; i < t->dirs[dir].first + t->dirs[dir].n; i++) {
		const struct tree_child *c = &t->children[i];
		char *inner;

		if (tree_find(t, dir, tree_name(t, c)) != c)
			abort();
		printf("%s%s%s\n", path, tree_name(t, c), c->is_dir ? "/" : "");
		if (!c->is_dir)
			continue;
		if (t->dirs[c->index].parent != dir || t->dirs[c->index].self != i)
			abort();
		if (asprintf(&inner, "%s%s/", path, tree_name(t, c)) < 0)
			abort();
		show_dir(t, c->index, inner);
		free(inner);
	}
}

static int show_tree(const struct archive *a, struct error *e)
{
	CLEANUP(tree_free) struct tree *t = NULL;
	int r;

	/* List all names, also those of entries that are not stored. */
	for (uint32_t i = 0; i < a->manifest->n_entries; i++)
		if (manifest_removed(&a->manifest->entries[i]))
			a->manifest->entries[i].handle = i;
	r = tree_build(a->manifest, NULL, &t, e);
	if (r == 0)
		show_dir(t, 0, "");
	return r;
}

static void try_archive(
	const struct buffer in[2], size_t which, size_t n, bool pak, unsigned counts[2])
{
	struct extent files[2] = {EXTENT_INIT, EXTENT_INIT};
	CLEANUP(archive_free) struct archive *a = NULL;
	CLEANUP(tree_free) struct tree *t = NULL;
	struct error e = ERROR_INIT;
	int r;

	for (size_t i = 0; i < 2; i++)
		files[i] = extent_of_bytes(bytes_copy(in[i].data, i == which ? n : in[i].size));
	r = open_archive(files, pak, &a, &e);
	if (r == 0)
		r = tree_build(a->manifest, NULL, &t, &e);
	for (uint32_t i = 0; r == 0 && i < a->manifest->n_entries; i++) {
		CLEANUP(bytes_unref) struct bytes *b = NULL;

		/* A damaged file does not affect other files. */
		load_entry(a, &a->manifest->entries[i], &b, &e);
	}
	if (r < 0 && !*error_text(&e))
		abort();
	counts[r < 0]++;
	extent_finish(&files[0]);
	extent_finish(&files[1]);
}

static int damage_archive(const struct extent *files, bool pak, struct error *e)
{
	struct buffer in[2] = {BUFFER_INIT, BUFFER_INIT};
	unsigned counts[2] = {0, 0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < (pak ? 2 : 1); i++) {
		r = extent_read(&files[i], 0, buffer_reserve(&in[i], (size_t)files[i].size),
			(size_t)files[i].size, e);
		in[i].size = (size_t)files[i].size;
	}
	for (size_t w = 0; r == 0 && w < (pak ? 2 : 1); w++) {
		for (size_t n = 0; n <= in[w].size; n++)
			try_archive(in, w, n, pak, counts);
		for (size_t i = 0; i < in[w].size; i++) {
			for (size_t k = 0; k < sizeof(masks); k++) {
				in[w].data[i] ^= masks[k];
				try_archive(in, w, in[w].size, pak, counts);
				in[w].data[i] ^= masks[k];
			}
		}
	}
	buffer_finish_free(&in[0]);
	buffer_finish_free(&in[1]);
	printf("%u read, %u refused\n", counts[0], counts[1]);
	return r;
}

static int run_archive(int argc, char **argv, struct error *e)
{
	struct extent files[2] = {EXTENT_INIT, EXTENT_INIT};
	CLEANUP(archive_free) struct archive *a = NULL;
	bool pak = argc > 3;
	int r = open_extent(argv[2], &files[0], e);

	if (r == 0 && pak)
		r = open_extent(argv[3], &files[1], e);
	if (r == 0 && !strcmp(argv[1], "damage-archive"))
		r = damage_archive(files, pak, e);
	else if (r == 0 && (r = open_archive(files, pak, &a, e)) == 0)
		r = !strcmp(argv[1], "list")   ? list_archive(a, e)
		    : !strcmp(argv[1], "dump") ? dump(a, e)
		    : !strcmp(argv[1], "tree") ? show_tree(a, e)
					       : rewrite(a, e);
	extent_finish(&files[0]);
	extent_finish(&files[1]);
	return r;
}

static int run_command(int argc, char **argv, struct error *e)
{
	CLEANUP(names_unref) struct names *names = names_create();
	struct compiled_context ctx = {.path = argv[2], .names = names};

	if (!strcmp(argv[1], "decode")) {
		ctx.form = argc > 3 ? TEXTFORM_UTF16 : TEXTFORM_UTF8;
		return decode(&ctx, e);
	}
	if (!strcmp(argv[1], "encode"))
		return encode(&ctx, argc > 3 ? argv[3] : NULL, e);
	if (!strcmp(argv[1], "damage"))
		return damage(&ctx);
	return run_archive(argc, argv, e);
}

int main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	int r;

	if (argc < 3)
		return 1;
	r = run_command(argc, argv, &e);
	if (r < 0)
		fprintf(stderr, "%s\n", error_text(&e));
	return r < 0 ? 1 : r;
}
