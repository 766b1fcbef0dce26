/* SPDX-License-Identifier: Zlib */
/* Many maps as one tree, without FUSE: situations that real mounts cannot produce reliably. */
#include "support/box.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/budget.h"
#include "base/cleanup.h"
#include "base/threads/pool.h"
#include "vfs/folder/folder.h"
#include "vfs/volume/outcome.h"

enum { THREADS = 2, CACHE = 1 << 20 };

static atomic_uint readings;

/* Replaces the library's function. */
DIR *fdopendir(int fd)
{
	DIR *(*real)(int) = (DIR * (*)(int)) dlsym(RTLD_NEXT, "fdopendir");

	readings++;
	return real(fd);
}

struct folder_box {
	struct vfs_host host; /* first */
	struct room room;
	struct vfs_options options;
	struct pool *pool;
	struct folder *f;
	char notes[4096];
	uint64_t invalidated[256];
	unsigned n_invalidated;
};

static void invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct folder_box *b = (struct folder_box *)h;

	for (size_t i = 0; i < n; i++)
		b->invalidated[b->n_invalidated++ % 256] = inos[i];
	pool_submit_done(b->pool, then);
}

static void forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct folder_box *b = (struct folder_box *)h;

	(void)parent, (void)name;
	if (then)
		pool_submit_done(b->pool, then);
}

static void append_note(struct vfs_host *h, const char *line)
{
	struct folder_box *b = (struct folder_box *)h;
	size_t n = strlen(b->notes);

	snprintf(b->notes + n, sizeof(b->notes) - n, "%s\n", line);
}

static void progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	(void)h;
	(void)what;
	(void)done;
	(void)total;
}

static void put_map(struct folder_box *b, const char *name, const char *author)
{
	CLEANUP(bytes_unref) struct bytes *map = map_build(author);

	put_file(b->room.fd, name, map->data, map->size);
}

static void put_maps(struct folder_box *b, int from, int to)
{
	char name[32];

	for (int i = from; i < to; i++) {
		snprintf(name, sizeof(name), "m%03d.map", i);
		put_map(b, name, "alice");
	}
}

static int setup(void **state)
{
	struct folder_box *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	room_make(&b->room);
	b->host = (struct vfs_host){invalidate, forget_name, append_note, progress};
	b->options.budget = budget_create(CACHE);
	b->pool = pool_create(THREADS);
	*state = b;
	return folder_create(
		dup(b->room.fd), b->room.path, &b->options, b->pool, &b->host, &b->f, NULL);
}

static void resolve_identities(struct folder_box *b)
{
	struct pollfd p = {.fd = pool_fd(b->pool), .events = POLLIN};

	while (pool_count_pending(b->pool)) {
		(void)poll(&p, 1, 5);
		pool_complete(b->pool);
	}
}

/* Drop the mount like kill -9. */
static void drop_mount(struct folder_box *b)
{
	resolve_identities(b);
	folder_destroy(b->f);
	b->f = NULL;
}

static void open_again(struct folder_box *b)
{
	drop_mount(b);
	assert_int_equal(folder_create(dup(b->room.fd), b->room.path, &b->options, b->pool,
				 &b->host, &b->f, NULL),
		0);
}

static int teardown(void **state)
{
	struct folder_box *b = *state;

	io_set_hook(NULL, NULL);
	drop_mount(b);
	pool_destroy(b->pool);
	budget_destroy(b->options.budget);
	room_remove(&b->room);
	free(b);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

struct folder_call {
	struct call call; /* first */
	atomic_bool answered;
	int r;
};

static void answered(struct call *c, int r)
{
	struct folder_call *a = (struct folder_call *)c;

	a->r = r;
	atomic_store(&a->answered, true);
}

static int run_call(struct folder_box *b, struct folder_call *a, vfs_op op)
{
	struct pollfd p = {.fd = pool_fd(b->pool), .events = POLLIN};

	a->call.op = op;
	a->call.reply = answered;
	atomic_store(&a->answered, false);
	folder_submit(b->f, &a->call);
	while (!atomic_load(&a->answered)) {
		(void)poll(&p, 1, 1);
		pool_complete(b->pool);
	}
	return a->r;
}

/* Look a path up like the kernel; the inodes are never forgotten. */
static int look_up(struct folder_box *b, const char *path, uint64_t *ret)
{
	uint64_t ino = VFS_ROOT_INO;
	char name[NAME_MAX + 1];

	while (*path) {
		struct folder_call a = {.call = {.ino = ino, .name = name}};
		size_t n = strcspn(path, "/");
		int r;

		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		r = run_call(b, &a, vfs_lookup);
		if (r < 0)
			return r;
		ino = a.call.attr.st_ino;
		path += n + (path[n] == '/');
	}
	*ret = ino;
	return 0;
}

static int text_of(struct folder_box *b, uint64_t ino, char *ret, size_t size)
{
	struct folder_call a = {.call = {.ino = ino}};
	int r = run_call(b, &a, vfs_open);

	ret[0] = '\0';
	if (r < 0)
		return r;
	a.call.handle = a.call.opened;
	a.call.size = size - 1;
	r = run_call(b, &a, vfs_read);
	if (r == 0) {
		memcpy(ret, a.call.out, a.call.out_size);
		ret[a.call.out_size] = '\0';
	}
	free(a.call.out);
	(void)run_call(b, &a, vfs_release);
	resolve_identities(b);
	return r;
}

static bool shows(struct folder_box *b, const char *path, const char *text)
{
	char got[4096];
	uint64_t ino;

	return look_up(b, path, &ino) == 0 && text_of(b, ino, got, sizeof(got)) == 0 &&
	       strcmp(got, text) == 0;
}

static int put_text(struct folder_box *b, const char *path, const char *text)
{
	struct folder_call a = {.call = {.flags = O_WRONLY | O_TRUNC}};
	int r = look_up(b, path, &a.call.ino), flushed;

	if (r == 0)
		r = run_call(b, &a, vfs_open);
	if (r < 0)
		return r;
	a.call.handle = a.call.opened;
	a.call.data = text;
	a.call.size = strlen(text);
	r = run_call(b, &a, vfs_write);
	a.call.data = NULL;
	flushed = run_call(b, &a, vfs_flush);
	(void)run_call(b, &a, vfs_release);
	resolve_identities(b);
	return r < 0 ? r : flushed;
}

static bool map_author_is(const struct folder_box *b, const char *file, const char *author)
{
	CLEANUP(bytes_unref) struct bytes *map = get_file(b->room.fd, file);
	CLEANUP(free) char *text = map && map_is_sound(map) ? map_info(map, 0) : NULL;

	return text && strcmp(text, author) == 0;
}

static unsigned descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* ---- listing */

enum { PART = 3 };

struct listing {
	struct folder_call a; /* first */
	char names[256][32];
	unsigned n, in_part;
	uint64_t next;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)a;
	if (l->in_part == PART)
		return false;
	l->in_part++;
	l->next = next;
	if (name[0] != '.')
		snprintf(l->names[l->n++], sizeof(l->names[0]), "%s", name);
	return true;
}

/* Returns false at the end of the listing. */
static bool list_part(struct folder_box *b, struct listing *l)
{
	l->in_part = 0;
	l->a.call.ino = VFS_ROOT_INO;
	l->a.call.off = l->next;
	l->a.call.emit = emit;
	assert_int_equal(run_call(b, &l->a, vfs_readdir), 0);
	return l->in_part > 0;
}

static unsigned times(const struct listing *l, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += strcmp(l->names[i], name) == 0;
	return n;
}

static void a_listing_is_complete_and_without_duplicates_while_files_change(void **state)
{
	struct folder_box *b = *state;
	struct listing l = {0}, other = {0};
	char name[32];

	put_maps(b, 0, 60);
	for (int part = 0; list_part(b, &l); part++) {
		put_maps(b, 100 + part, 101 + part);
		snprintf(name, sizeof(name), "m%03d.map", 30 + part);
		(void)unlinkat(b->room.fd, name, 0);
		if (part % 4 == 0) { /* another listing starts and reads the folder again */
			other.next = 0;
			other.n = 0;
			(void)list_part(b, &other);
		}
	}
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "m%03d.map", i);
		assert_int_equal(times(&l, name), 1);
	}
	for (unsigned i = 0; i < l.n; i++)
		assert_int_equal(times(&l, l.names[i]), 1);
}

/* ---- opening and closing */

static void unused_maps_are_closed_and_keep_their_inode_numbers(void **state)
{
	struct folder_box *b = *state;
	uint64_t inos[100];
	unsigned before, many;
	char path[64], got[64];

	put_maps(b, 0, 100);
	before = descriptors();
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "m%03d.map/info/author", i);
		assert_int_equal(look_up(b, path, &inos[i]), 0);
		assert_true(i == 0 || inos[i] != inos[i - 1]);
	}
	many = descriptors();
	assert_in_range(many - before, 10, 40);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(text_of(b, inos[i], got, sizeof(got)), 0);
		assert_string_equal(got, "alice\n");
	}
	assert_true(descriptors() <= many + 1);
}

static void open_and_changed_maps_are_not_closed(void **state)
{
	struct folder_box *b = *state;
	struct folder_call a = {0};
	struct report report = REPORT_INIT;
	char path[64];
	uint64_t ino;

	put_maps(b, 0, 100);
	assert_int_equal(put_text(b, "m001.map/info/author", "bob\n"), 0);
	assert_int_equal(look_up(b, "m000.map/info/author", &a.call.ino), 0);
	assert_int_equal(run_call(b, &a, vfs_open), 0);
	for (int i = 2; i < 100; i++) {
		snprintf(path, sizeof(path), "m%03d.map/info", i);
		assert_int_equal(look_up(b, path, &ino), 0);
	}
	a.call.handle = a.call.opened;
	a.call.size = 10;
	assert_int_equal(run_call(b, &a, vfs_read), 0);
	assert_int_equal(a.call.out_size, 6);
	free(a.call.out);
	(void)run_call(b, &a, vfs_release);
	assert_true(shows(b, "m001.map/info/author", "bob\n"));
	folder_end(b->f, &report);
	assert_int_equal(report.code, OUTCOME_DONE);
	assert_int_equal(report.n, 1);
	assert_string_equal(report.lines[0], "m001.map: saved: info/author");
	report_finish(&report);
	assert_true(map_author_is(b, "m001.map", "bob\n"));
}

/*
 * The author is also shown in raw/data: the kernel's copy of that file, from before the map was
 * closed, is invalidated.
 */
static void inodes_from_before_a_map_was_closed_are_invalidated(void **state)
{
	struct folder_box *b = *state;
	char path[64], got[64];
	uint64_t raw, ino;
	bool is_invalidated = false;

	put_maps(b, 0, 50);
	assert_int_equal(look_up(b, "m000.map/raw/data/00000", &raw), 0);
	for (int i = 1; i < 50; i++) {
		snprintf(path, sizeof(path), "m%03d.map/info", i);
		assert_int_equal(look_up(b, path, &ino), 0);
	}
	b->n_invalidated = 0;
	assert_int_equal(put_text(b, "m000.map/info/author", "somebody"), 0);
	for (unsigned i = 0; i < b->n_invalidated; i++)
		is_invalidated |= b->invalidated[i] == raw;
	assert_true(is_invalidated);
	assert_int_equal(text_of(b, raw, got, sizeof(got)), 0);
	assert_string_equal(got, "somebody");
}

static void without_free_descriptors_the_call_fails_and_the_map_stays_usable(void **state)
{
	struct folder_box *b = *state;
	struct folder_call a = {.call = {.name = "info"}};
	struct rlimit limit, less;
	uint64_t ino;
	int none, some, fd;

	put_map(b, "a.map", "alice");
	assert_int_equal(look_up(b, "a.map", &a.call.ino), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	fd = dup(b->room.fd); /* the lowest free descriptor */
	close(fd);
	less = limit;
	less.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	none = look_up(b, "a.map", &ino);
	less.rlim_cur++; /* enough for the directory, and not for the file */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	some = run_call(b, &a, vfs_lookup);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(none, -EMFILE);
	assert_int_equal(some, -EMFILE);
	assert_true(shows(b, "a.map/info/author", "alice\n"));
}

/* The file is replaced before the job opens it. */
static void a_map_replaced_while_it_is_opened_is_looked_up_again(void **state)
{
	struct folder_box *b = *state;
	uint64_t before, now;

	put_map(b, "a.map", "alice");
	assert_int_equal(look_up(b, "a.map", &before), 0);
	put_map(b, "b", "eve");
	assert_int_equal(renameat(b->room.fd, "b", b->room.fd, "a.map"), 0);
	{
		struct folder_call a = {.call = {.ino = before, .name = "info"}};

		assert_int_equal(run_call(b, &a, vfs_lookup), -ESTALE);
	}
	assert_int_equal(look_up(b, "a.map", &now), 0);
	assert_true(now != before);
	assert_true(shows(b, "a.map/info/author", "eve\n"));
}

/* ---- saving */

static int no_rename_over_b(struct io_call *c, void *arg)
{
	atomic_int *saves = arg;

	if (c->op != IO_RENAME)
		return 0;
	atomic_fetch_add(saves, 1);
	return strcmp(c->name, "b.map") == 0 ? -EIO : 0;
}

static void a_disk_error_of_one_map_does_not_affect_others(void **state)
{
	struct folder_box *b = *state;
	struct report report = REPORT_INIT;
	atomic_int renames = 0;
	unsigned refused = 0;

	for (const char *name = "abcd"; *name; name++) {
		char map[] = {*name, '.', 'm', 'a', 'p', '\0'}, path[64];

		put_map(b, map, "alice");
		snprintf(path, sizeof(path), "%s/info/author", map);
		assert_int_equal(put_text(b, path, "bob\n"), 0);
	}
	io_set_hook(no_rename_over_b, &renames);
	folder_end(b->f, &report);
	io_set_hook(NULL, NULL);
	assert_int_equal(report.code, OUTCOME_SAVE_FAILED);
	for (size_t i = 0; i < report.n; i++)
		refused += strncmp(report.lines[i], "b.map: refused: ", 16) == 0;
	assert_int_equal(refused, 1);
	report_finish(&report);
	assert_true(map_author_is(b, "a.map", "bob\n"));
	assert_true(map_author_is(b, "b.map", "alice\n"));
	assert_true(map_author_is(b, "c.map", "bob\n"));
	assert_true(map_author_is(b, "d.map", "bob\n"));
	/* Its changes stay in its journal. */
	open_again(b);
	assert_true(shows(b, "b.map/info/author", "bob\n"));
	folder_end(b->f, &report);
	assert_int_equal(report.code, OUTCOME_DONE);
	report_finish(&report);
	assert_true(map_author_is(b, "b.map", "bob\n"));
	assert_int_equal(count_files(b->room.fd), 4);
}

/* Several calls wait at once for the same map, and for several maps. */
static void journals_are_replayed_by_any_first_call(void **state)
{
	enum { MAPS = 6, ASKING = 3 };
	struct folder_box *b = *state;
	struct folder_call a[MAPS][ASKING] = {0};
	struct report report = REPORT_INIT;
	char path[64];

	put_maps(b, 0, MAPS);
	for (int i = 0; i < MAPS; i++) {
		snprintf(path, sizeof(path), "m%03d.map/info/author", i);
		assert_int_equal(put_text(b, path, "bob\n"), 0);
	}
	open_again(b);
	for (int i = 0; i < MAPS; i++)
		for (int k = 0; k < ASKING; k++) {
			struct call *c = &a[i][k].call;

			snprintf(path, sizeof(path), "m%03d.map", i);
			assert_int_equal(look_up(b, path, &c->ino), 0);
			c->op = vfs_lookup;
			c->name = "info";
			c->reply = answered;
			folder_submit(b->f, c);
		}
	resolve_identities(b);
	for (int i = 0; i < MAPS; i++) {
		for (int k = 0; k < ASKING; k++)
			assert_true(a[i][k].answered && a[i][k].r == 0);
		snprintf(path, sizeof(path), "m%03d.map/info/author", i);
		assert_true(shows(b, path, "bob\n"));
	}
	folder_end(b->f, &report);
	assert_int_equal(report.n, MAPS + 0);
	assert_int_equal(report.code, OUTCOME_DONE);
	report_finish(&report);
}

/* The search for journals reads the folder, which may be large, but not once for each map. */
static void the_first_changes_of_many_maps_read_the_folder_once(void **state)
{
	enum { MAPS = 20 };
	struct folder_box *b = *state;
	char path[64];

	put_maps(b, 0, MAPS);
	readings = 0;
	for (int i = 0; i < MAPS; i++) {
		snprintf(path, sizeof(path), "m%03d.map/info/author", i);
		assert_int_equal(put_text(b, path, "bob\n"), 0);
	}
	/* Once per second, on a slow machine. */
	assert_in_range(readings, 1, MAPS / 2);
}

/* A journal that another mount left since the last reading is still found. */
static void a_journal_newer_than_the_last_reading_is_found(void **state)
{
	struct folder_box *b = *state;
	struct folder *first = b->f;

	put_maps(b, 0, 2);
	assert_int_equal(put_text(b, "m000.map/info/author", "bob\n"), 0);
	assert_int_equal(folder_create(dup(b->room.fd), b->room.path, &b->options, b->pool,
				 &b->host, &b->f, NULL),
		0);
	assert_int_equal(put_text(b, "m001.map/info/author", "carol\n"), 0);
	drop_mount(b);
	b->f = first;
	assert_true(shows(b, "m001.map/info/author", "carol\n"));
}

static void unreadable_folder_gives_an_error_and_not_a_shorter_listing(void **state)
{
	struct folder_box *b = *state;

	put_maps(b, 0, 3);
	for (int at = 0; at <= 5; at++) {
		struct listing l = {.a.call = {.ino = VFS_ROOT_INO, .emit = emit}};

		fail_reads_after(at);
		assert_int_equal(run_call(b, &l.a, vfs_readdir), -EIO);
		assert_int_equal(l.n, 0);
	}
	fail_reads_after(-1);
	for (struct listing l = {0}; list_part(b, &l) || l.n != 3;)
		assert_true(l.n <= 3);
}

static void an_empty_folder_gives_an_empty_listing(void **state)
{
	struct folder_box *b = *state;
	struct listing l = {0};

	while (list_part(b, &l))
		;
	assert_int_equal(l.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_listing_is_complete_and_without_duplicates_while_files_change),
		TEST(unused_maps_are_closed_and_keep_their_inode_numbers),
		TEST(open_and_changed_maps_are_not_closed),
		TEST(inodes_from_before_a_map_was_closed_are_invalidated),
		TEST(without_free_descriptors_the_call_fails_and_the_map_stays_usable),
		TEST(a_map_replaced_while_it_is_opened_is_looked_up_again),
		TEST(a_disk_error_of_one_map_does_not_affect_others),
		TEST(journals_are_replayed_by_any_first_call),
		TEST(the_first_changes_of_many_maps_read_the_folder_once),
		TEST(unreadable_folder_gives_an_error_and_not_a_shorter_listing),
		TEST(an_empty_folder_gives_an_empty_listing),
		TEST(a_journal_newer_than_the_last_reading_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
