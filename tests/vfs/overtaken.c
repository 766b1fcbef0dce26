/* SPDX-License-Identifier: Zlib */
/*
 * Changes during a save, or during another change of names, must have the right path after a kill:
 * the journal must store the path that the file has when the record is written, not the one it had
 * when the call came.
 */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/inode.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)

/* A save renames these to 1_a and 2_b. */
#define A       "images/5_sun.json"
#define B       "images/7_moon.json"
#define SAVED_A "images/1_sun.json"
#define SAVED_B "images/2_moon.json"
#define TEXT(w) "{\n  \"external\": true,\n  \"width\": " w ",\n  \"height\": 8\n}\n"
#define GROUP   "{\"x_offset\": 3}\n"

static void saved(void *arg, struct report *report)
{
	bool *done = arg;

	*done = true;
	report_finish(report);
}

static void put_text(struct box *b, const char *path, const char *text)
{
	assert_int_equal(box_put(b, path, text), 0);
}

static void put_a_and_b(struct box *b)
{
	put_text(b, A, TEXT("1"));
	put_text(b, B, TEXT("2"));
}

static atomic_bool writing, go_on;

static void wait_in_save(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	(void)h, (void)what, (void)done, (void)total;
	atomic_store(&writing, true);
	while (!atomic_load(&go_on))
		(void)poll(NULL, 0, 1);
}

/*
 * Run `act` when the save starts to write the new map. The save ends only when the first of its
 * calls waits.
 */
static void while_saving(struct box *b, void (*act)(struct box *b))
{
	struct pollfd p = {.fd = pool_fd(b->pool), .events = POLLIN};
	bool done = false;

	b->host.progress = wait_in_save;
	writing = go_on = false;
	vfs_save(b->v, saved, &done);
	while (!atomic_load(&writing)) {
		(void)poll(&p, 1, 1);
		pool_complete(b->pool);
	}
	atomic_store(&go_on, true);
	act(b);
	box_settle(b);
	assert_true(done);
}

/* Check that these images, and only these, follow the first one. */
static void assert_images(struct box *b, const char *one, const char *two)
{
	static const char *const all[] = {"5_sun.json", "7_moon.json", "1_sun.json", "2_moon.json",
		"1_snow.json", "2_snow.json", "1_moon.json", "5_snow.json"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool there = (one && strcmp(all[i], one) == 0) || (two && strcmp(all[i], two) == 0);

		if (box_lists(b, "images", all[i]) != there)
			fail_msg("%s is %s", all[i], there ? "not there" : "there");
	}
}

/* Kill and mount again: the changes come back with one note, and the next save has them. */
static void assert_after_kill(struct box *b, const char *one, const char *two)
{
	box_remount(b);
	assert_null(strstr(b->notes, "cannot"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_images(b, one, two);
}

static void remove_a(struct box *b)
{
	assert_int_equal(box_unlink(b, A), 0);
}

static void removal_during_a_save_survives_a_kill(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	while_saving(b, remove_a);
	assert_after_kill(b, "1_moon.json", NULL);
	assert_true(box_shows(b, "images/1_moon.json", TEXT("2")));
}

static void rename_a(struct box *b)
{
	assert_int_equal(box_rename(b, A, "images/5_snow.json"), 0);
}

static void rename_during_a_save_survives_a_kill(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	while_saving(b, rename_a);
	assert_after_kill(b, "1_snow.json", "2_moon.json");
	assert_true(box_shows(b, "images/1_snow.json", TEXT("1")));
}

static void write_a(struct box *b)
{
	put_text(b, A, TEXT("9"));
}

static void write_during_a_save_survives_a_kill_in_its_file(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	while_saving(b, write_a);
	assert_after_kill(b, "1_sun.json", "2_moon.json");
	assert_true(box_shows(b, SAVED_A, TEXT("9")));
}

static void spoil_a(struct box *b)
{
	assert_int_equal(box_put(b, A, "{"), -EINVAL);
}

static void draft_during_a_save_survives_a_kill_in_its_file(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	while_saving(b, spoil_a);
	box_remount(b);
	assert_images(b, "5_sun.json", "7_moon.json");
	assert_true(box_is_draft(b, A));
	assert_true(box_shows(b, A, "{"));
}

/* A shell's `> f`, followed by a kill. */
static void cut_a(struct box *b)
{
	struct fd *f;

	assert_int_equal(box_open(b, A, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_flush(f), 0);
}

static void truncation_during_a_save_survives_a_kill_in_its_file(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	while_saving(b, cut_a);
	box_remount(b);
	assert_images(b, "5_sun.json", "7_moon.json");
	assert_true(box_shows(b, A, ""));
}

static void dismiss_a(struct box *b)
{
	assert_int_equal(box_removexattr(b, A, "user.mapfs.error"), 0);
}

static void draft_dropped_during_a_save_is_gone_after_a_kill(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	spoil_a(b);
	while_saving(b, dismiss_a);
	box_remount(b);
	assert_images(b, "5_sun.json", "7_moon.json");
	assert_true(box_shows(b, A, TEXT("1")));
}

static void replace_a(struct box *b)
{
	assert_int_equal(box_rename(b, "images/.t", A), 0);
}

static void rename_over_a_file_during_a_save_survives_a_kill(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	put_text(b, "images/.t", TEXT("9"));
	while_saving(b, replace_a);
	assert_after_kill(b, "1_sun.json", "2_moon.json");
	assert_true(box_shows(b, SAVED_A, TEXT("9")));
}

static void make_layer(struct box *b)
{
	assert_int_equal(box_mkdir(b, "groups/5_n/layers/3_l"), 0);
}

static void file_created_during_a_save_is_in_its_directory_after_a_kill(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_mkdir(b, "groups/5_n"), 0);
	put_text(b, "groups/5_n/group.json", GROUP);
	while_saving(b, make_layer);
	put_text(b, "groups/5_n/layers/3_l/layer.json", "{\"type\": 3}\n");
	box_remount(b);
	assert_true(box_lists(b, "groups", "5_n"));
	assert_false(box_lists(b, "groups", "1_n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_lists(b, "groups/1_n/layers", "0_l"));
}

/* ---- a save between a change and its validation */

static uint64_t find_inode_number(struct box *b, const char *path)
{
	struct stat a;

	assert_int_equal(box_stat(b, path, &a), 0);
	return a.st_ino;
}

/* Write new content to A; *flush will close it. */
static void write_9(struct pending *flush, struct box *b)
{
	struct fd *f;

	assert_int_equal(box_open(b, A, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, TEXT("9")), 0);
	*flush = (struct pending){.call = {.handle = f->handle}};
}

/* Rename dir/old to dir/new without waiting for the answer. */
static void begin_rename(
	struct pending *p, struct box *b, uint64_t dir, const char *old, const char *new)
{
	*p = (struct pending){.call = {.ino = dir, .name = old, .to_ino = dir, .to_name = new}};
	box_submit(b, p, vfs_rename);
}

static void save_and_wait(struct box *b, struct pending *p)
{
	bool done = false;

	assert_false(atomic_load(&p->done));
	vfs_save(b->v, saved, &done);
	assert_int_equal(box_wait(p), 0);
	box_settle(b);
	assert_true(done);
}

static void save_between_a_close_and_its_validation_gives_the_file_its_new_path(void **state)
{
	struct box *b = *state;
	struct pending flush;

	put_a_and_b(b);
	write_9(&flush, b);
	box_submit(b, &flush, vfs_flush);
	save_and_wait(b, &flush);
	assert_after_kill(b, "1_sun.json", "2_moon.json");
	assert_true(box_shows(b, SAVED_A, TEXT("9")));
}

static void save_between_a_rename_to_a_and_its_verdict(struct box *b)
{
	struct pending rename;

	put_text(b, "images/.t", TEXT("9"));
	begin_rename(&rename, b, find_inode_number(b, "images"), ".t", "5_sun.json");
	save_and_wait(b, &rename);
	assert_after_kill(b, "1_sun.json", "2_moon.json");
	assert_true(box_shows(b, SAVED_A, TEXT("9")));
}

static void save_between_a_rename_over_a_file_and_its_validation_gives_it_its_new_path(void **state)
{
	struct box *b = *state;

	put_a_and_b(b);
	save_between_a_rename_to_a_and_its_verdict(b);
}

static void save_between_a_rename_to_a_new_file_and_its_validation_gives_it_its_path(void **state)
{
	struct box *b = *state;

	put_text(b, B, TEXT("2"));
	save_between_a_rename_to_a_and_its_verdict(b);
}

/* A file that was moved away and edited comes back to another name. */
static void save_between_a_rename_from_scratch_and_its_validation_gives_it_its_path(void **state)
{
	struct box *b = *state;
	struct pending rename;

	put_a_and_b(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_rename(b, A, "images/.t"), 0);
	put_text(b, "images/.t", TEXT("9"));
	put_text(b, "images/3_z.json", TEXT("3"));
	begin_rename(&rename, b, find_inode_number(b, "images"), ".t", "9_snow.json");
	save_and_wait(b, &rename);
	box_remount(b);
	assert_null(strstr(b->notes, "cannot"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, "images/1_z.json", TEXT("3")));
	assert_true(box_shows(b, "images/2_moon.json", TEXT("2")));
	assert_true(box_shows(b, "images/3_snow.json", TEXT("9")));
	assert_false(box_lists(b, "images", "4_snow.json"));
}

/* ---- during another change of names */

/* Look a name up, so that the inode stays, as in the kernel. */
static uint64_t look_up_and_keep(struct box *b, uint64_t dir, const char *name)
{
	struct pending p = {.call = {.ino = dir, .name = name}};

	box_submit(b, &p, vfs_lookup);
	assert_int_equal(box_wait(&p), 0);
	return p.call.attr.st_ino;
}

static void change_in_a_directory_during_its_rename_survives_a_kill(void **state)
{
	struct box *b = *state;
	struct pending group, layer, flush;
	uint64_t groups, layers;
	struct fd *f, *holds;

	assert_int_equal(box_open(b, "groups/0_g/layers/2_deco/layer.json", O_RDONLY, &holds), 0);
	assert_int_equal(box_open(b, "groups/0_g/group.json", O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, GROUP), 0);
	flush = (struct pending){.call = {.handle = f->handle}};
	groups = look_up_and_keep(b, VFS_ROOT_INO, "groups");
	layers = look_up_and_keep(b, look_up_and_keep(b, groups, "0_g"), "layers");
	begin_rename(&group, b, groups, "0_g", "4_g");
	begin_rename(&layer, b, layers, "2_deco", "8_deco");
	box_submit(b, &flush, vfs_flush);
	assert_int_equal(box_wait(&group), 0);
	assert_int_equal(box_wait(&layer), 0);
	assert_int_equal(box_wait(&flush), 0);
	box_remount(b);
	assert_null(strstr(b->notes, "cannot"));
	assert_false(box_lists(b, "groups", "0_g"));
	assert_true(box_lists(b, "groups/4_g/layers", "8_deco"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void file_closed_during_its_rename_exists_once_after_a_kill(void **state)
{
	struct box *b = *state;
	struct pending rename, flush;

	put_a_and_b(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	write_9(&flush, b);
	begin_rename(&rename, b, find_inode_number(b, "images"), "5_sun.json", "5_snow.json");
	box_submit(b, &flush, vfs_flush);
	assert_int_equal(box_wait(&rename), 0);
	assert_int_equal(box_wait(&flush), 0);
	assert_after_kill(b, "1_snow.json", "2_moon.json");
	assert_true(box_shows(b, "images/1_snow.json", TEXT("9")));
}

static void file_closed_during_its_removal_is_gone_after_a_kill(void **state)
{
	struct box *b = *state;
	struct pending remove, flush;

	put_a_and_b(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	write_9(&flush, b);
	remove = (struct pending){
		.call = {.ino = find_inode_number(b, "images"), .name = "5_sun.json"}};
	box_submit(b, &remove, vfs_unlink);
	box_submit(b, &flush, vfs_flush);
	assert_int_equal(box_wait(&remove), 0);
	assert_int_equal(box_wait(&flush), 0);
	assert_after_kill(b, "1_moon.json", NULL);
}

static void draft_dropped_during_its_removal_is_gone(void **state)
{
	struct box *b = *state;
	struct pending remove, dismiss;

	assert_int_equal(box_put(b, A, "{"), -EINVAL);
	remove = (struct pending){
		.call = {.ino = find_inode_number(b, "images"), .name = "5_sun.json"}};
	dismiss = (struct pending){
		.call = {.ino = find_inode_number(b, A), .name = "user.mapfs.error"}};
	box_submit(b, &remove, vfs_unlink);
	box_submit(b, &dismiss, vfs_removexattr);
	assert_int_equal(box_wait(&remove), 0);
	(void)box_wait(&dismiss);
	assert_after_kill(b, NULL, NULL);
}

/*
 * During a save, the call of p waits for its end, and the last reader closes the file before that
 * call runs.
 */
static int read_and_close(struct box *b, const char *path, struct pending *p, vfs_op op)
{
	struct pollfd ready = {.fd = pool_fd(b->pool), .events = POLLIN};
	bool done = false;
	struct fd *f;
	int r;

	put_text(b, "info/author", "bob\n");
	assert_int_equal(box_open(b, path, O_RDONLY, &f), 0);
	b->host.progress = wait_in_save;
	writing = go_on = false;
	vfs_save(b->v, saved, &done);
	while (!atomic_load(&writing)) {
		(void)poll(&ready, 1, 1);
		pool_complete(b->pool);
	}
	box_submit(b, p, op);
	assert_int_equal(fd_close(f), 0);
	atomic_store(&go_on, true);
	r = box_wait(p);
	box_settle(b);
	assert_true(done);
	return r;
}

static void reader_that_closes_during_a_rename_does_not_disturb_it(void **state)
{
	struct box *b = *state;
	struct pending p;

	put_a_and_b(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	p = (struct pending){.call = {.ino = find_inode_number(b, "images"),
				     .name = "5_sun.json",
				     .to_ino = find_inode_number(b, "images"),
				     .to_name = "7_moon.json"}};
	assert_int_equal(read_and_close(b, A, &p, vfs_rename), 0);
	assert_images(b, "7_moon.json", NULL);
	assert_after_kill(b, "1_moon.json", NULL);
	assert_true(box_shows(b, "images/1_moon.json", TEXT("1")));
}

static void reader_that_closes_during_a_rename_over_its_file_does_not_disturb_it(void **state)
{
	struct box *b = *state;
	struct pending p, end = {0};

	put_a_and_b(b);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_rename(b, SAVED_A, "images/5_snow.json"), 0);
	p = (struct pending){.call = {.ino = find_inode_number(b, "images"),
				     .name = "1_sun.json",
				     .flags = O_WRONLY,
				     .set = {.st_mode = 0644}}};
	assert_int_equal(read_and_close(b, "images/5_snow.json", &p, vfs_create_file), 0);
	end.call.handle = p.call.opened;
	box_submit(b, &end, vfs_release);
	(void)box_wait(&end);
	vfs_forget(b->v, p.call.attr.st_ino, 1);
	put_text(b, SAVED_A, TEXT("9"));
	assert_true(box_shows(b, "images/5_snow.json", TEXT("1")));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, SAVED_A, TEXT("9")));
	assert_true(box_shows(b, "images/3_snow.json", TEXT("1")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(removal_during_a_save_survives_a_kill),
		TEST(rename_during_a_save_survives_a_kill),
		TEST(write_during_a_save_survives_a_kill_in_its_file),
		TEST(draft_during_a_save_survives_a_kill_in_its_file),
		TEST(truncation_during_a_save_survives_a_kill_in_its_file),
		TEST(draft_dropped_during_a_save_is_gone_after_a_kill),
		TEST(rename_over_a_file_during_a_save_survives_a_kill),
		TEST(file_created_during_a_save_is_in_its_directory_after_a_kill),
		TEST(save_between_a_close_and_its_validation_gives_the_file_its_new_path),
		TEST(save_between_a_rename_over_a_file_and_its_validation_gives_it_its_new_path),
		TEST(save_between_a_rename_to_a_new_file_and_its_validation_gives_it_its_path),
		TEST(save_between_a_rename_from_scratch_and_its_validation_gives_it_its_path),
		TEST(change_in_a_directory_during_its_rename_survives_a_kill),
		TEST(file_closed_during_its_rename_exists_once_after_a_kill),
		TEST(file_closed_during_its_removal_is_gone_after_a_kill),
		TEST(draft_dropped_during_its_removal_is_gone),
		TEST(reader_that_closes_during_a_rename_does_not_disturb_it),
		TEST(reader_that_closes_during_a_rename_over_its_file_does_not_disturb_it),
	};

	return cmocka_run_group_tests_name("vfs: overtaken", tests, NULL, NULL);
}
