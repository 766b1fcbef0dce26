/* SPDX-License-Identifier: Zlib */
/*
 * seeds DIR FIXTURE FILE...: writes first inputs for the targets, in a directory for each below
 * DIR: small maps and archives as they are, contents of files of maps, compiled entries of archives
 * and their texts, and a few journals. FIXTURE is the map of fuzz_view.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/format.h"
#include "formats/triclon/format.h"
#include "../torchlight/support/load.h"
#include "support/fuzz.h"
#include "support/view.h"

enum { CONTENT_MAX = 20000, MAP_MAX = 16 << 10, EACH_MAX = 400 };

static int out;

/* Write a seed named after its content; at most EACH_MAX for each target. */
static void write_seed(const char *target, const void *first, size_t n, const void *rest, size_t m)
{
	static struct {
		char name[64];
		unsigned n;
	} seen[64];
	char path[128];
	unsigned i = 0;
	int fd;

	while (seen[i].n && strcmp(seen[i].name, target))
		i++;
	if (seen[i].n++ > EACH_MAX)
		return;
	snprintf(seen[i].name, sizeof(seen[i].name), "%s", target);
	mkdirat(out, target, 0777);
	snprintf(path, sizeof(path), "%s/%08lx", target,
		crc32(crc32(0, first, (unsigned)n), rest, (unsigned)m));
	fd = openat(out, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, first, n) != (ssize_t)n || write(fd, rest, m) != (ssize_t)m) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static bool has_ending(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && !strcasecmp(path + n - m, ending);
}

static void take_file(void *arg, const char *path, const struct file_attr *entry)
{
	const struct snapshot *s = arg;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint8_t shape[2] = {0x33, 0};
	uint64_t size;

	if (entry_size(s, entry, &size, NULL) < 0 || size > CONTENT_MAX ||
		entry_get(s, entry, &b, NULL) < 0)
		return;
	if (has_ending(path, ".png"))
		write_seed("png", "", 0, b->data, b->size);
	else if (has_ending(path, ".json"))
		write_seed("json", "", 0, b->data, b->size);
	else if (has_ending(path, ".csv"))
		write_seed("csv", shape, 1, b->data, b->size);
	else if (!strncmp(path, "info/", 5))
		write_seed("text", "", 0, b->data, b->size);
}

/* For a target that puts the content to the file with this number. */
static void take_numbered(
	const struct snapshot *s, const char *target, entry_id dir, uint8_t *number)
{
	char name[NAME_MAX + 1];
	struct file_attr entry;
	uint64_t cookie = 0;

	while (s->format->list(s, dir, &cookie, name, &entry, NULL) == 1) {
		CLEANUP(bytes_unref) struct bytes *b = NULL;

		if (entry.is_dir) {
			take_numbered(s, target, entry.id, number);
		} else if (entry.is_writable) {
			if (entry.size <= CONTENT_MAX && entry_get(s, &entry, &b, NULL) == 0)
				write_seed(target, number, 1, b->data, b->size);
			++*number;
		}
	}
}

/* Use the files that all new maps of a format have; a real map has more content in them. */
static void take_new(
	const struct format *format, struct file *file, const char *name, const char *target)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct source source = {.files = {file}, .n_files = file != NULL, .name = name};
	struct format_context ctx = {.budget = budget_create(1 << 20)};
	uint8_t number = 0;

	source.sizes[0] = file ? fixture_file_size(file) : 0;
	if (format->open(&source, &ctx, &s, NULL) == 0)
		take_numbered(s, target, ENTRY_ROOT, &number);
	snapshot_unref(TAKE(s));
	budget_destroy(ctx.budget);
}

static void take_map(struct file *file, const char *path)
{
	struct error e = ERROR_INIT;
	struct fixture f;

	if (fixture_open_file(&f, file_ref(file), path, "rw", &e) == 0)
		entry_walk(f.s, ENTRY_ROOT, "", take_file, f.s, &e);
	fixture_close(&f);
}

static void take_entry(const struct archive *a, uint32_t i, const struct names *names)
{
	static const char *const targets[] = {[COMPILED_DAT] = "torchlight-bindat",
		[COMPILED_LAYOUT] = "torchlight-binlayout",
		[COMPILED_RAW] = "torchlight-raw"};
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT, text = BUFFER_INIT, pair = BUFFER_INIT;
	struct compiled_context ctx = {.names = names};
	enum compiled_kind kind;
	uint8_t n[2];

	buffer_str(&name, manifest_name(a->manifest, &a->manifest->entries[i]));
	buffer_byte(&name, 0);
	kind = compiled_kind_of((char *)name.data);
	if (kind == COMPILED_NONE || load_entry(a, &a->manifest->entries[i], &b, NULL) < 0 ||
		b->size > CONTENT_MAX)
		return;
	write_seed(targets[kind], "", 0, b->data, b->size);
	ctx.path = (char *)name.data;
	if (compiled_decode(kind, &ctx, b->data, b->size, &text, NULL, NULL) < 0 ||
		text.size > CONTENT_MAX)
		return;
	write_seed("torchlight-text", "", 0, text.data, text.size);
	n[0] = (uint8_t)b->size;
	n[1] = (uint8_t)(b->size >> 8);
	buffer_append(&pair, n, sizeof(n));
	buffer_append(&pair, b->data, b->size);
	if (kind == COMPILED_LAYOUT)
		write_seed("torchlight-learn", pair.data, pair.size, text.data, text.size);
}

/* A MOD is a PAK and its manifest after a header. */
static void take_pair(const struct archive *a, const struct extent *mod)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	CLEANUP_BUFFER struct buffer pair = BUFFER_INIT;
	uint32_t from = a->header->data_offset, to = a->header->manifest_offset;

	if (extent_load(mod, CONTENT_MAX, &b, NULL) < 0)
		return;
	buffer_u16(&pair, (uint16_t)(to - from));
	buffer_append(&pair, b->data + from, to - from);
	write_seed("pak", pair.data, pair.size, b->data + to, b->size - to);
}

static void take_archive(const struct extent *x)
{
	CLEANUP(archive_free) struct archive *a = NULL;
	CLEANUP(names_unref) struct names *names = names_create();

	if (archive_open(x, NULL, &a, NULL) == 0) {
		take_pair(a, x);
		for (uint32_t i = 0; i < a->manifest->n_entries; i++)
			take_entry(a, i, names);
	}
}

/* The map copied into the fixture, into itself, and the fixture copied into the map; and edited.
 */
static void take_pair_of_maps(const struct bytes *b)
{
	static const char edits[] = "crop 0,0,9,9 extend 1,2,3,4 area 0,0,3,3 other.map 2,2\n";
	CLEANUP_BUFFER struct buffer pair = BUFFER_INIT;

	buffer_u32(&pair, (uint32_t)b->size);
	buffer_append(&pair, b->data, b->size);
	write_seed("command_cp", pair.data, pair.size, "", 0);
	write_seed("command_cp", pair.data, pair.size, b->data, b->size);
	write_seed("command_cp", "\0\0\0", 4, b->data, b->size);
	write_seed("command_edit", edits, strlen(edits), b->data, b->size);
}

static void take_file_of_any_kind(const char *path)
{
	static const char *const commands[] = {"command_check", "command_convert", "command_diff",
		"command_fix", "command_index", "command_pack", "command_preview", "command_text",
		"command_tidy"};
	CLEANUP(file_unref) struct file *file = file_new(open(path, O_RDONLY | O_CLOEXEC));
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (!file)
		return;
	x = extent_of_file(file_ref(file), 0, fixture_file_size(file));
	if (has_ending(path, ".mod"))
		take_archive(&x);
	if (has_ending(path, ".map"))
		take_map(file, path);
	if (has_ending(path, ".tcm"))
		take_new(&format_triclon, file, "x.tcm", "new_triclon");
	if (extent_load(&x, MAP_MAX, &b, NULL) < 0)
		return;
	for (size_t i = 0; !has_ending(path, ".man") && i < sizeof(commands) / sizeof(commands[0]);
		i++)
		write_seed(commands[i], "", 0, b->data, b->size);
	if (has_ending(path, ".map"))
		take_pair_of_maps(b);
	if (has_ending(path, ".map"))
		write_seed("teeworlds", "", 0, b->data, b->size);
	else if (has_ending(path, ".tcm"))
		write_seed("triclon", "", 0, b->data, b->size);
	else if (has_ending(path, ".mod")) {
		write_seed("torchlight-archive", "", 0, b->data, b->size);
		write_seed("torchlight-modheader", "", 0, b->data, b->size);
	} else if (has_ending(path, ".man"))
		write_seed("torchlight-manifest", "", 0, b->data, b->size);
}

static void take_views(const char *fixture)
{
	struct view_files files = {0};

	view_files_open(&files, fixture);
	for (size_t i = 0; i < files.n; i++) {
		CLEANUP(bytes_unref) struct bytes *b = NULL;
		uint8_t header[VIEW_HEADER] = {(uint8_t)i};
		struct file_attr entry;

		if (files.map.s->format->stat(files.map.s, files.ids[i], &entry, NULL) == 0 &&
			entry_get(files.map.s, &entry, &b, NULL) == 0) {
			header[1] = (uint8_t)b->size;
			header[2] = (uint8_t)(b->size >> 8);
			write_seed("view", header, sizeof(header), b->data, b->size);
		}
	}
	fixture_close(&files.map);
}

/* A record in the form that journal.c reads. */
static void put_record(struct buffer *b, uint8_t type, const char *payload, size_t n)
{
	buffer_byte(b, type);
	buffer_u16(b, (uint16_t)n);
	buffer_append(b, payload, n);
}

static void write_journals(void)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

#define PUT(type, payload) put_record(&b, type, payload, sizeof(payload) - 1)
	PUT(2, "info/author\0bob\n");
	PUT(5, "bytes");
	PUT(4, "info/author");
	PUT(3, "info/version\0it has two lines\0one\ntwo\n");
	PUT(8, "images/0_img.png");
	PUT(7, "images/dir");
	PUT(9, "images/0_img.png\0images/3_new.png");
	PUT(10, "a legend");
	write_seed("journal", "", 0, b.data, b.size);
	write_seed("replay", "", 0, b.data, b.size);
	b.size = 0;
	PUT(8, "info/author");
	PUT(7, "info/author");
	PUT(9, "groups/0_g\0groups/2_h");
	PUT(7, "groups/0_new");
	PUT(2, "groups/0_new/group.json\0{}\n");
	write_seed("journal", "", 0, b.data, b.size);
	write_seed("replay", "", 0, b.data, b.size);
#undef PUT
}

int main(int argc, char **argv)
{
	static const char kit[] = "[MOD]\n<STRING>NAME:x\n<INTEGER>VERSION:7\n[/MOD]\n";
	static const char *const rules[] = {
		"{\"size\": 9, \"tiles\": [{\"id\": 1, \"layers\": [\"game\", \"tune\"], "
		"\"min\": 3, \"max\": null}, {\"id\": 0, \"layers\": [\"tele\"]}]}",
		"{\"info\": {\"author\": \"^a+|(b)[c-e]$\", \"license\": \".\"}, "
		"\"settings\": {\"allow\": [\"tune\", \"sv_gametype\"]}}"};

	if (argc < 3) {
		fprintf(stderr, "usage: seeds DIR FIXTURE FILE...\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	out = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (out < 0) {
		perror(argv[1]);
		return 1;
	}
	write_seed("torchlight-kit", "", 0, kit, sizeof(kit) - 1);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		write_seed("rules", "", 0, rules[i], strlen(rules[i]));
	write_journals();
	take_views(argv[2]);
	take_new(&format_triclon, NULL, "x.tcm", "new_triclon");
	take_new(&format_torchlight_mod, NULL, "X.MOD", "new_mod");
	for (int i = 2; i < argc; i++)
		take_file_of_any_kind(argv[i]);
	return 0;
}
