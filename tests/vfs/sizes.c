/* SPDX-License-Identifier: Zlib */
/* The reported size of a file is the length of its content, because the kernel cuts reads to it. */
#include "support/box.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAT  "MEDIA/U.DAT"
#define TEXT "[UNIT]\n\t<INTEGER>LEVEL:%u\n[/UNIT]\n"

static void saved(void *arg, struct report *report)
{
	bool *done = arg;

	*done = true;
	report_finish(report);
}

/*
 * Save after a change, and ask for DAT's size after the owner has run `times` times. Returns false
 * if the save was over by then.
 */
static bool size_during_save(struct box *b, unsigned times)
{
	struct pending p = {0};
	bool done = false, asked;
	struct stat a;
	char text[64];

	snprintf(text, sizeof(text), TEXT, times);
	assert_int_equal(box_stat(b, DAT, &a), 0);
	assert_int_equal(box_put(b, DAT, text), 0);
	vfs_save(b->v, saved, &done);
	while (!done && times) {
		pool_complete(b->pool);
		times--;
	}
	asked = !done;
	p.call.ino = a.st_ino;
	box_submit(b, &p, vfs_getattr);
	assert_int_equal(box_wait(&p), 0);
	box_settle(b);
	assert_true(done);
	assert_int_equal(p.call.attr.st_size, strlen(text));
	assert_true(box_shows(b, DAT, text));
	return asked;
}

static void a_size_is_right_at_any_time_during_a_save(void **state)
{
	struct box b = {0};
	struct error e = ERROR_INIT;
	unsigned times = 0;

	(void)state;
	assert_int_equal(box_new(&b, "x.mod", &e), 0);
	assert_int_equal(box_put(&b, DAT, "[UNIT]\n[/UNIT]\n"), 0);
	while (size_during_save(&b, times))
		times++;
	assert_true(times > 0);
	box_remove(&b);
}

enum { ENVELOPES = 300, POINTS = 300, TEXT_SIZE = 64 };

/* An envelope with too many points to write its text only for its size. */
static char *long_envelope(void)
{
	char *text = calloc(POINTS + 1, TEXT_SIZE), *end = text;

	assert_non_null(text);
	end += sprintf(end, "{\"channels\": 3, \"points\": [");
	for (unsigned i = 0; i < POINTS; i++)
		end += sprintf(end, "%s{\"time\": %u, \"curve_type\": 1, \"values\": [0,0,0,0]}",
			i ? "," : "", i);
	strcpy(end, "]}");
	return text;
}

struct listing {
	struct pending p; /* first */
	struct stat entries[ENVELOPES + 2];
	unsigned n;
};

static bool record_size(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)name, (void)next;
	assert_in_range(l->n, 0, ENVELOPES + 1);
	l->entries[l->n++] = *a;
	return true;
}

/* Number of bytes that a reader gets if it ignores the reported size. */
static size_t length_of(struct box *b, const char *path)
{
	enum { MOST = POINTS * TEXT_SIZE * 2 };
	struct fd *f;
	void *to = malloc(MOST);
	int n;

	assert_non_null(to);
	assert_int_equal(box_open(b, path, O_RDONLY, &f), 0);
	n = fd_read(f, 0, to, MOST);
	assert_in_range(n, 1, MOST - 1);
	assert_int_equal(fd_close(f), 0);
	free(to);
	return (size_t)n;
}

/* One by one, and in a listing of more files than are sized at a time. */
static void files_that_take_long_to_write_have_their_size(void **state)
{
	struct pending lookup = {.call = {.ino = VFS_ROOT_INO, .name = "envelopes"}};
	struct listing l = {.p = {.call = {.emit = record_size, .with_attributes = true}}};
	char *text = long_envelope(), path[32];
	struct box b = {0};
	struct stat a;
	size_t size;

	(void)state;
	box_make(&b);
	assert_int_equal(box_mount(&b, NULL), 0);
	for (unsigned i = 0; i < ENVELOPES; i++) {
		snprintf(path, sizeof(path), "envelopes/%03u_e.json", i);
		assert_int_equal(box_put(&b, path, text), 0);
	}
	free(text);
	assert_int_equal(box_end(&b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(&b, NULL), 0);
	assert_int_equal(box_stat(&b, path, &a), 0);
	size = length_of(&b, path); /* all have the same size */
	assert_int_equal(a.st_size, size);
	box_submit(&b, &lookup, vfs_lookup);
	assert_int_equal(box_wait(&lookup), 0);
	l.p.call.ino = lookup.call.attr.st_ino;
	box_submit(&b, &l.p, vfs_readdir);
	assert_int_equal(box_wait(&l.p), 0);
	assert_int_equal(l.n, ENVELOPES + 2);
	for (unsigned i = 0; i < l.n; i++)
		if (S_ISREG(l.entries[i].st_mode) && l.entries[i].st_nlink)
			assert_int_equal(l.entries[i].st_size, size);
	box_remove(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_is_right_at_any_time_during_a_save),
		cmocka_unit_test(files_that_take_long_to_write_have_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
