/* SPDX-License-Identifier: Zlib */
/*
 * Journals. The input is records: each a type, a length of 16 bits and a payload. Their checksums
 * are added here, so that the code that reads payloads is reached. If the first byte is 255, the
 * rest is the file as it is.
 *
 * The target `journal` reads, lists and extracts it. `replay` mounts the map beside it, saves, and
 * checks that a readable map exists.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../vfs/support/box.h"
#include "support/fuzz.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/recover.h"

enum { RAW_FILE = 255, RECORDS_MAX = 64 };

static struct box box;
static struct bytes *map;
static char identity[IDENTITY_SIZE];

static void create_dir(void)
{
	CLEANUP(file_unref) struct file *f = NULL;

	box_make(&box);
	if (!map)
		map = map_build("alice");
	f = file_new(openat(box.room.fd, MAP_NAME, O_RDONLY | O_CLOEXEC));
	if (!f || identity_of(f, identity, NULL) < 0)
		abort();
}

static void append_record(struct reclog *l, uint32_t type, const void *data, size_t n)
{
	CLEANUP_EXTENT struct extent x = extent_of_bytes(bytes_copy(data, n));
	struct error e = ERROR_INIT;

	if (reclog_append(l, type, &x, 1, NULL, &e) < 0)
		abort_broken("append", error_text(&e));
}

static void write_records(const char *name, const uint8_t *data, size_t size)
{
	CLEANUP(reclog_close) struct reclog *l = NULL;
	char header[300];
	struct error e = ERROR_INIT;

	/* NAME NUL ID NUL PREVIOUS NUL KIND */
	int n = snprintf(header, sizeof(header), "%s%c%s%c%c", MAP_NAME, 0, identity, 0, 0);

	if (reclog_create(box.room.fd, name, &l, &e) < 0)
		abort_broken("a log cannot be made", error_text(&e));
	append_record(l, JOURNAL_HEADER, header, (size_t)n);
	for (unsigned i = 0; i < RECORDS_MAX && size >= 3; i++) {
		size_t part = (size_t)(data[1] | data[2] << 8);

		if (part > size - 3)
			part = size - 3;
		append_record(l, data[0] ? data[0] : 1, data + 3, part);
		data += 3 + part;
		size -= 3 + part;
	}
}

static void write_journal(const uint8_t *data, size_t size, char name[NAME_MAX + 1])
{
	snprintf(name, NAME_MAX + 1, "%s.mapfs-journal-%s", MAP_NAME, identity);
	unlinkat(box.room.fd, name, 0);
	if (size && data[0] == RAW_FILE)
		put_file(box.room.fd, name, data + 1, size - 1);
	else
		write_records(name, data, size);
}

static int take_op(void *arg, const struct journal_op *op)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;

	*(size_t *)arg += strlen(op->path) + (op->to ? strlen(op->to) : 0) +
			  (op->reason ? strlen(op->reason) : 0);
	return op->content ? extent_load(op->content, 1 << 20, &b, NULL) : 0;
}

static void take_line(void *arg, const char *path, const char *what)
{
	*(size_t *)arg += strlen(path) + strlen(what);
}

static void take_info(void *arg, const struct journal_info *i)
{
	*(size_t *)arg += strlen(i->file);
}

static void take_note(void *arg, const char *line)
{
	*(size_t *)arg += strlen(line);
}

TARGET(fuzz_journal)
{
	struct error e = ERROR_INIT;
	struct journal_gaps gaps;
	char name[NAME_MAX + 1];
	struct journal j;
	struct trust trust;
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *sidecars = NULL;
	size_t n = 0;
	int out;

	create_dir();
	write_journal(data, size, name);
	sidecars = sidecar_cache_create(box.room.fd);
	check_error(journal_list(box.room.fd, MAP_NAME, take_info, &n, &e), &e);
	mkdirat(box.room.fd, "out", 0700);
	out = openat(box.room.fd, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	e = (struct error)ERROR_INIT;
	check_error(recover_extract(box.room.fd, name, out, take_line, &n, &e), &e);
	close(out);
	e = (struct error)ERROR_INIT;
	trust = own_files(box.room.fd);
	if (journal_init(&j, &trust, MAP_NAME, identity, NULL, &e) == 0) {
		if (check_error(journal_open(&j, sidecars, take_note, &n, &e), &e) == 0 &&
			journal_exists(&j))
			check_error(journal_walk(&j, take_op, &n, &gaps, &e), &e);
		journal_finish(&j);
	}
	box_remove(&box);
}

TARGET(fuzz_replay)
{
	CLEANUP(bytes_unref) struct bytes *now = NULL;
	struct error e = ERROR_INIT;
	char name[NAME_MAX + 1];

	create_dir();
	write_journal(data, size, name);
	if (check_error(box_mount(&box, &e), &e) == 0) {
		box_settle(&box);
		box_save(&box, NULL);
		box_end(&box, NULL);
	}
	now = box_map(&box);
	if (!now || !map_is_sound(now))
		abort_broken("replay", "the map is no map any more");
	box_remove(&box);
}
