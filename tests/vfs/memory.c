/* SPDX-License-Identifier: Zlib */
/*
 * The N-th allocation fails, for every N of each operation. The operation may fail, with -ENOMEM or
 * another error; the process survives, closed content is saved, and the map is valid.
 */
#include "support/box.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/image/png.h"
#include "support/scarce.h"

enum { N_MAX = 3000, DONE = 78, HIT = 79, CHILD_SECONDS = 60 };

#define AUTHOR "info/author"

static int unlink_image(struct box *b)
{
	return box_unlink(b, IMAGE);
}

static int rename_image(struct box *b)
{
	return box_rename(b, IMAGE, "images/7_other.png");
}

static int rename_to_scratch(struct box *b)
{
	return box_rename(b, IMAGE, "images/picture.bak");
}

static int rename_scratch_over(struct box *b)
{
	return box_rename(b, "info/new~", AUTHOR);
}

static int make_directory(struct box *b)
{
	return box_mkdir(b, "groups/9_new");
}

static int put_author(struct box *b)
{
	return box_put(b, AUTHOR, "rob\n");
}

static int put_draft(struct box *b)
{
	return box_put(b, AUTHOR, BAD_LINES);
}

static int drop_draft(struct box *b)
{
	(void)box_put(b, "info/version", BAD_LINES);
	return box_removexattr(b, "info/version", "user.mapfs.error");
}

/* A PNG of 2x2 pixels. */
static uint8_t image[128];
static uint64_t image_size;

static int put_image(struct box *b)
{
	return box_put_bytes(b, "images/1_new.png", image, image_size);
}

static int save(struct box *b)
{
	return box_save(b, NULL) == OUTCOME_DONE ? 0 : -EIO;
}

static const struct act {
	const char *name;
	int (*act)(struct box *b);
} acts[] = {
	{"unlink", unlink_image},
	{"rename", rename_image},
	{"rename to scratch", rename_to_scratch},
	{"rename over a file", rename_scratch_over},
	{"mkdir", make_directory},
	{"close", put_author},
	{"close of a draft", put_draft},
	{"drop of a draft", drop_draft},
	{"close of an image", put_image},
	{"save", save},
};

static _Noreturn void in_child(const struct act *a, int at)
{
	struct box b;
	int r;

	/* Do not use cmocka's handlers, which would continue the parent's tests in the child. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	alarm(CHILD_SECONDS);
	box_make(&b);
	assert_int_equal(box_mount(&b, NULL), 0);
	assert_int_equal(box_put(&b, "info/license", "kept\n"), 0);
	assert_int_equal(box_put(&b, "info/new~", "mary"), 0);
	scarce_set(at);
	r = a->act(&b);
	scarce_set(-1);
	/* The mount continues: content closed before can be read, and is saved. */
	if (!box_shows(&b, "info/license", "kept\n"))
		_exit(1);
	if (r == 0 && a->act == put_author && !box_shows(&b, AUTHOR, "rob\n"))
		_exit(2);
	if (box_save(&b, NULL) != OUTCOME_DONE)
		_exit(3);
	if (!box_map_info_is(&b, 3, "kept\n"))
		_exit(4);
	(void)box_end(&b, NULL);
	box_remove(&b);
	_exit(scarce_hit() ? HIT : DONE);
}

static void each_failed_allocation_fails_only_its_operation(void **state)
{
	unsigned cases = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		for (int at = 0, code = HIT; code == HIT; at++, cases++) {
			int status = 0;
			pid_t pid = fork();

			assert_true(at < N_MAX);
			if (pid == 0)
				in_child(&acts[i], at);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
			if (code != HIT && code != DONE)
				fail_msg("%s: allocation %d: %d", acts[i].name, at, code);
		}
	}
	print_message("%u allocations failed\n", cases);
}

static int make_image(void **state)
{
	static const uint8_t pixels[16] = {9, 8, 7, 255};
	struct bytes mine = {.data = pixels, .size = sizeof(pixels)};
	struct extent x = {.mem = &mine, .size = sizeof(pixels)};

	(void)state;
	assert_int_equal(png_file_size(2, 2, &image_size), 0);
	assert_in_range(image_size, 1, sizeof(image));
	return png_file_read(2, 2, extent_read_fn, &x, NULL, 0, image, image_size, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failed_allocation_fails_only_its_operation),
	};

	return cmocka_run_group_tests(tests, make_image, NULL);
}
