/* SPDX-License-Identifier: Zlib */
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/reclog.h"
#include "base/replace.h"
#include "base/sandbox.h"
#include "base/spool.h"

/* Everything below happens in a child; the line is how it tells what was not so. */
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #what, strerror(errno));   \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void in_child(void (*fn)(const struct room *room), const struct room *room)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		fn(room);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) > 0;
}

static void no_notes(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "note: %s\n", line);
}

static void enter(const struct room *room, bool writable)
{
	struct error e = ERROR_INIT;

	if (sandbox_enter(room->fd, writable, no_notes, NULL, &e) < 0) {
		fprintf(stderr, "%s\n", error_text(&e));
		_exit(2);
	}
}

static void check_outside(void)
{
	CHECK(open("/", O_RDONLY) < 0 && errno == EACCES);
	CHECK(open("/proc/self/status", O_RDONLY) < 0 && errno == EACCES);
	CHECK(open("/dev/null", O_WRONLY) < 0 && errno == EACCES);
	CHECK(mkdir("/tmp/mapfs-test-outside", 0700) < 0 && errno == EACCES);
	CHECK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && errno == EPERM);
	CHECK(umount2("/", MNT_DETACH) < 0 && errno == EPERM);
	CHECK(kill(getppid(), 0) < 0 || syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) < 6);
}

static void work_inside(const struct room *room)
{
	struct replace *r;
	struct reclog *l;
	struct spool *s;
	int like = openat(room->fd, "map", O_RDONLY);

	CHECK(like >= 0);
	CHECK(replace_begin(room->fd, "map", like, &r, NULL) == 0);
	replace_write(r, "new", 3);
	CHECK(replace_close(r, NULL) == 0);
	CHECK(replace_commit(r, true, NULL, NULL) == 0);
	replace_destroy(r);
	CHECK(replace_begin(room->fd, "map", like, &r, NULL) == 0);
	CHECK(replace_close(r, NULL) == 0);
	CHECK(replace_commit(r, false, NULL, NULL) == 0);
	replace_destroy(r);
	CHECK(reclog_open(room->fd, "log", true, &l, NULL) == 0);
	CHECK(reclog_sync(l, NULL) == 0);
	reclog_close(l);
	s = spool_create(room->fd);
	CHECK(s && spool_truncate(s, SPOOL_MEMORY_MAX + 1, NULL) == 0);
	spool_destroy(s);
	/* Across directories of the tree, too. */
	CHECK(io_mkdir(room->fd, "left", 0700) == 0);
	CHECK(io_rename(room->fd, "log", "left/log") == 0);
	CHECK(io_unlink(room->fd, "left/log") == 0);
	CHECK(unlinkat(room->fd, "left", AT_REMOVEDIR) == 0);
	CHECK(symlinkat("/", room->fd, "link") < 0 && errno == EACCES);
	CHECK(mknodat(room->fd, "fifo", S_IFIFO | 0600, 0) < 0 && errno == EACCES);
}

static void writable_child(const struct room *room)
{
	int before = open("/dev/null", O_WRONLY);

	enter(room, true);
	check_outside();
	work_inside(room);
	CHECK(write(before, "x", 1) == 1);
}

static void the_directory_stays_and_all_else_is_gone(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	if (!has_landlock()) {
		print_message("this kernel has no Landlock\n");
		skip();
	}
	put_file(room->fd, "map", "old", 3);
	in_child(writable_child, room);
	got = get_file(room->fd, "map");
	assert_true(same(got, "new", 3));
	assert_int_equal(count_files(room->fd), 2);
}

static void readonly_child(const struct room *room)
{
	int fd;

	enter(room, false);
	check_outside();
	fd = openat(room->fd, "map", O_RDONLY);
	CHECK(fd >= 0);
	CHECK(openat(room->fd, ".", O_RDONLY | O_DIRECTORY) >= 0);
	CHECK(openat(room->fd, "map", O_WRONLY) < 0 && errno == EACCES);
	CHECK(openat(room->fd, "new", O_WRONLY | O_CREAT, 0600) < 0 && errno == EACCES);
	CHECK(unlinkat(room->fd, "map", 0) < 0 && errno == EACCES);
	CHECK(renameat(room->fd, "map", room->fd, "other") < 0 && errno == EACCES);
	CHECK(io_tmpfile(room->fd) < 0);
}

static void a_readonly_directory_is_only_read(void **state)
{
	const struct room *room = *state;

	if (!has_landlock()) {
		print_message("this kernel has no Landlock\n");
		skip();
	}
	put_file(room->fd, "map", "old", 3);
	in_child(readonly_child, room);
}

static uint64_t capability_set(char which)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct d[2];

	CHECK(syscall(SYS_capget, &header, d) == 0);
	switch (which) {
	case 'p':
		return d[0].permitted | (uint64_t)d[1].permitted << 32;
	case 'e':
		return d[0].effective | (uint64_t)d[1].effective << 32;
	default:
		return d[0].inheritable | (uint64_t)d[1].inheritable << 32;
	}
}

static uint64_t set_by_prctl(int option, int sub)
{
	uint64_t set = 0;

	for (unsigned cap = 0; cap < 64; cap++) {
		int has = sub < 0 ? prctl(option, cap, 0, 0, 0) : prctl(option, sub, cap, 0, 0);

		if (has > 0)
			set |= 1ULL << cap;
	}
	return set;
}

static const uint64_t kept = 1ULL << CAP_CHOWN | 1ULL << CAP_FOWNER | 1ULL << CAP_DAC_OVERRIDE;

static void root_child(const struct room *room)
{
	uint64_t had = capability_set('p');
	int can_bound = prctl(PR_CAPBSET_READ, CAP_SETPCAP, 0, 0, 0) == 1 &&
			(capability_set('e') & 1ULL << CAP_SETPCAP);

	enter(room, true);
	CHECK(capability_set('p') == (had & kept));
	CHECK(capability_set('e') == (had & kept));
	CHECK(capability_set('i') == 0);
	CHECK(!can_bound || (set_by_prctl(PR_CAPBSET_READ, -1) & ~kept) == 0);
	CHECK(set_by_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET) == 0);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	CHECK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && errno == EPERM);
	CHECK(umount2("/", MNT_DETACH) < 0 && errno == EPERM);
	CHECK(setresuid(1234, 1234, 1234) < 0);
}

static void root_keeps_three_capabilities(void **state)
{
	if (geteuid() != 0) {
		print_message("this is not root\n");
		skip();
	}
	in_child(root_child, *state);
}

static void user_child(const struct room *room)
{
	if (geteuid() == 0) {
		/* With capabilities still in hand, as an ambient set would give them. */
		CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
		CHECK(setgroups(0, NULL) == 0);
		CHECK(setresgid(1234, 1234, 1234) == 0);
		CHECK(setresuid(1234, 1234, 1234) == 0);
		CHECK(capability_set('p') != 0);
	}
	enter(room, true);
	CHECK(capability_set('p') == 0);
	CHECK(capability_set('e') == 0);
	CHECK(capability_set('i') == 0);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	CHECK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && errno == EPERM);
}

static void others_keep_none(void **state)
{
	const struct room *room = *state;

	assert_int_equal(fchmod(room->fd, 0755), 0);
	in_child(user_child, room);
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(the_directory_stays_and_all_else_is_gone),
		in_a_room(a_readonly_directory_is_only_read),
		in_a_room(root_keeps_three_capabilities),
		in_a_room(others_keep_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
