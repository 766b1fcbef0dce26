/* SPDX-License-Identifier: Zlib */
/* A map in a folder mount: locked at its first change, closed, and opened again. */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "vfs/tree/inode.h"

#define AUTHOR "info/author"

static int setup(void **state)
{
	struct box *b;

	if (box_unmounted(state) < 0)
		return -1;
	b = *state;
	b->options.unlocked = true;
	return box_mount(b, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, box_teardown)

static void append_note(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

/* Mount the same map again for writing. */
static int mount_locked(struct box *b, struct volume **ret)
{
	struct vfs_options o = b->options;
	int r;

	o.unlocked = false;
	r = volume_open(dup(b->room.fd), MAP_NAME, &o, ret, NULL);
	return r == 0 ? volume_load(*ret, append_note, NULL, NULL) : r;
}

static void map_is_locked_at_its_first_change(void **state)
{
	struct box *b = *state;
	struct volume *other = NULL;

	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(mount_locked(b, &other), 0);
	assert_int_equal(vfs_lock(b->v, NULL), -EBUSY);
	volume_destroy(other);
	assert_int_equal(vfs_lock(b->v, NULL), 0);
	assert_int_equal(mount_locked(b, &other), VOLUME_LOCKED);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void map_replaced_meanwhile_is_not_changed(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *map = map_build("eve");
	struct volume *other = NULL;

	put_file(b->room.fd, "theirs", map->data, map->size);
	assert_int_equal(renameat(b->room.fd, "theirs", b->room.fd, MAP_NAME), 0);
	assert_int_equal(vfs_lock(b->v, NULL), -ESTALE);
	assert_int_equal(mount_locked(b, &other), 0);
	volume_destroy(other);
}

static void journal_is_replayed_and_locks_the_map(void **state)
{
	struct box *b = *state;
	struct volume *other = NULL;

	assert_int_equal(vfs_lock(b->v, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_int_equal(mount_locked(b, &other), VOLUME_LOCKED);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(box_count_names(b, "mapfs", NULL), 0);
}

/* The journal belongs to the other mount. */
static void journal_in_use_is_not_changed(void **state)
{
	struct box *b = *state;
	struct box other = {0};

	box_kill(b);
	b->options.unlocked = false;
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	other = *b;
	other.fds = NULL;
	other.v = NULL;
	other.options.unlocked = true;
	assert_int_equal(box_mount(&other, NULL), 0);
	assert_true(box_shows(&other, AUTHOR, "alice\n"));
	assert_int_equal(vfs_lock(other.v, NULL), -EBUSY);
	assert_int_equal(box_end(&other, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, "mapfs-journal", NULL), 1);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void map_is_idle_if_it_is_unused_and_unchanged(void **state)
{
	struct box *b = *state;
	struct stat a;
	struct fd *f;

	assert_true(vfs_idle(b->v));
	assert_int_equal(box_stat(b, AUTHOR, &a), 0);
	assert_true(vfs_idle(b->v));
	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &f), 0);
	assert_false(vfs_idle(b->v));
	assert_int_equal(fd_close(f), 0);
	assert_true(vfs_idle(b->v));
	assert_int_equal(vfs_lock(b->v, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	box_settle(b);
	assert_false(vfs_idle(b->v));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	box_settle(b);
	assert_true(vfs_idle(b->v));
	assert_int_equal(box_set_mtime(b, AUTHOR, 1000000000), 0);
	assert_false(vfs_idle(b->v));
}

/* The inode number of each file, with its path. */
struct inode_seen {
	uint64_t ino;
	char *path;
};

struct listing {
	struct pending p; /* first */
	char names[64][NAME_MAX + 1];
	size_t n;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)a;
	(void)next;
	if (name[0] != '.')
		snprintf(l->names[l->n++], sizeof(l->names[0]), "%s", name);
	return true;
}

static void collect_inodes(struct box *b, const char *dir, struct inode_seen *all, size_t *n)
{
	struct listing *l = calloc(1, sizeof(*l));
	struct inode *n_dir;
	struct stat a;

	assert_non_null(l);
	assert_int_equal(box_stat(b, dir, &a), 0);
	if (*dir)
		all[(*n)++] = (struct inode_seen){a.st_ino, strdup(dir)};
	if (S_ISDIR(a.st_mode)) {
		if (!inode_find(b->v, a.st_ino))
			assert_int_equal(inode_recall(b->v, a.st_ino, &n_dir), 0);
		l->p.call.ino = a.st_ino;
		l->p.call.emit = emit;
		box_submit(b, &l->p, vfs_readdir);
		assert_int_equal(box_wait(&l->p), 0);
	}
	for (size_t i = 0; i < l->n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "", l->names[i]);
		collect_inodes(b, path, all, n);
	}
	free(l);
}

static void inode_numbers_are_found_again_in_a_new_mount(void **state)
{
	struct box *b = *state;
	struct inode_seen all[1000];
	struct inode *n;
	size_t count = 0;

	collect_inodes(b, "", all, &count);
	assert_true(count > 30);
	box_remount(b);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(free) char *path = NULL;

		assert_null(inode_find(b->v, all[i].ino));
		if (inode_recall(b->v, all[i].ino, &n) < 0)
			fail_msg("%s is not found", all[i].path);
		path = inode_path(n);
		assert_string_equal(path, all[i].path);
		vfs_forget(b->v, all[i].ino, 1);
		assert_null(inode_find(b->v, all[i].ino));
		free(all[i].path);
	}
	assert_int_equal(inode_recall(b->v, VFS_ROOT_INO + 0xfffffff, &n), -ESTALE);
	assert_int_equal(inode_recall(b->v, (uint64_t)1 << 63 | 5, &n), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(map_is_locked_at_its_first_change),
		TEST(map_replaced_meanwhile_is_not_changed),
		TEST(journal_is_replayed_and_locks_the_map),
		TEST(journal_in_use_is_not_changed),
		TEST(map_is_idle_if_it_is_unused_and_unchanged),
		TEST(inode_numbers_are_found_again_in_a_new_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
