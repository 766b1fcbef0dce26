/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/disk/spool.h"
#include "base/durable/reclog.h"
#include "base/durable/replace.h"
#include "base/sandbox/capability.h"
#include "base/sandbox/filter.h"
#include "base/sandbox/sandbox.h"

/* Checks run in a child, which reports the failed line. */
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

static void print_note(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "note: %s\n", line);
}

static void enter_sandbox(const struct room *room, unsigned flags)
{
	const struct sandbox_rule rule = {room->fd, flags & SANDBOX_WRITABLE};
	struct error e = ERROR_INIT;

	if (sandbox_enter(&rule, 1, flags & SANDBOX_KEEP_OWNERS, print_note, NULL, &e) < 0) {
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
	CHECK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0);
	CHECK(umount2("/", MNT_DETACH) < 0);
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
	CHECK(reclog_create(room->fd, "log", &l, NULL) == 0);
	CHECK(reclog_sync(l, NULL) == 0);
	reclog_close(l);
	s = spool_create(room->fd);
	CHECK(s && spool_truncate(s, SPOOL_MEMORY_MAX + 1, NULL) == 0);
	spool_destroy(s);
	/* Renames across directories of the tree work. */
	CHECK(io_mkdir(room->fd, "left", 0700) == 0);
	CHECK(io_rename(room->fd, "log", "left/log") == 0);
	CHECK(io_unlink(room->fd, "left/log") == 0);
	CHECK(unlinkat(room->fd, "left", AT_REMOVEDIR) == 0);
	CHECK(symlinkat("/", room->fd, "link") < 0);
	CHECK(mknodat(room->fd, "fifo", S_IFIFO | 0600, 0) < 0);
}

static void writable_child(const struct room *room)
{
	int before = open("/dev/null", O_WRONLY);

	enter_sandbox(room, SANDBOX_WRITABLE);
	check_outside();
	work_inside(room);
	CHECK(write(before, "x", 1) == 1);
}

static void only_the_directory_is_accessible(void **state)
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
	assert_true(bytes_equal_data(got, "new", 3));
	assert_int_equal(count_files(room->fd), 2);
}

static void readonly_child(const struct room *room)
{
	int fd;

	enter_sandbox(room, 0);
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

static void a_readonly_directory_cannot_be_changed(void **state)
{
	const struct room *room = *state;

	if (!has_landlock()) {
		print_message("this kernel has no Landlock\n");
		skip();
	}
	put_file(room->fd, "map", "old", 3);
	in_child(readonly_child, room);
}

static bool has_filter(void)
{
	struct error e = ERROR_INIT;
	int status;
	pid_t pid;

#ifdef MAPFS_SANITIZED
	return false; /* the filter allows unknown calls */
#endif
	pid = fork();
	if (pid == 0)
		_exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || filter_enter(&e) < 0);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static void several_child(const struct room *room)
{
	struct sandbox_rule rules[3] = {
		{openat(room->fd, "reads", O_PATH | O_DIRECTORY), 0},
		{openat(room->fd, "writes", O_RDONLY | O_DIRECTORY), SANDBOX_WRITABLE},
		{openat(room->fd, "file", O_PATH), 0},
	};
	const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 2}};
	const bool filtered = has_filter();
	struct error e = ERROR_INIT;
	int fd;

	CHECK(sandbox_enter(rules, 3, 0, print_note, NULL, &e) == 0);
	check_outside();
	CHECK(openat(rules[0].fd, "a", O_RDONLY) >= 0);
	CHECK(openat(rules[0].fd, "a", O_WRONLY) < 0 && errno == EACCES);
	CHECK(openat(room->fd, "file", O_RDONLY) >= 0);
	CHECK(openat(room->fd, "file", O_WRONLY) < 0 && errno == EACCES);
	CHECK(openat(room->fd, "other", O_RDONLY) < 0 && errno == EACCES);
	fd = openat(rules[1].fd, "new", O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0);
	/* Only the times of an open file can be changed. */
	CHECK(futimens(fd, times) == 0);
	CHECK(!filtered || utimensat(room->fd, "other", times, 0) < 0);
}

static void each_named_directory_is_accessible(void **state)
{
	const struct room *room = *state;

	if (!has_landlock()) {
		print_message("this kernel has no Landlock\n");
		skip();
	}
	assert_int_equal(mkdirat(room->fd, "reads", 0700), 0);
	assert_int_equal(mkdirat(room->fd, "writes", 0700), 0);
	put_file(room->fd, "reads/a", "a", 1);
	put_file(room->fd, "file", "b", 1);
	put_file(room->fd, "other", "c", 1);
	in_child(several_child, room);
}

/* /proc/self/status of the child, opened before the sandbox hides it. */
static int open_status(void)
{
	int fd = open("/proc/self/status", O_RDONLY);

	CHECK(fd >= 0);
	return fd;
}

static uint64_t status_of(int fd, const char *field, int base)
{
	char text[8192];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	const char *at;

	CHECK(n > 0);
	text[n] = '\0';
	at = strstr(text, field);
	CHECK(at);
	return strtoull(at + strlen(field), NULL, base);
}

#define CAPABILITIES(fd, set) status_of(fd, "Cap" set ":", 16)

static const uint64_t kept =
	CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_FOWNER) | CAPABILITY(CAP_DAC_OVERRIDE);

static void check_capabilities(const struct room *room, unsigned flags, uint64_t most)
{
	int fd = open_status();
	uint64_t had = CAPABILITIES(fd, "Prm");
	bool can_bound =
		CAPABILITIES(fd, "Bnd") & CAPABILITIES(fd, "Eff") & CAPABILITY(CAP_SETPCAP);

	enter_sandbox(room, flags);
	CHECK(CAPABILITIES(fd, "Prm") == (had & most));
	CHECK(CAPABILITIES(fd, "Eff") == (had & most));
	CHECK(CAPABILITIES(fd, "Inh") == 0);
	CHECK(CAPABILITIES(fd, "Amb") == 0);
	CHECK(!can_bound || (CAPABILITIES(fd, "Bnd") & ~most) == 0);
	CHECK(status_of(fd, "NoNewPrivs:", 10) == 1);
	CHECK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0);
	CHECK(umount2("/", MNT_DETACH) < 0);
	CHECK(syscall(SYS_setresuid, 4321, 4321, 4321) < 0);
}

static void root_child(const struct room *room)
{
	check_capabilities(room, SANDBOX_WRITABLE | SANDBOX_KEEP_OWNERS, kept);
}

static void root_of_own_files_child(const struct room *room)
{
	check_capabilities(room, SANDBOX_WRITABLE, 0);
}

static void root_keeps_at_most_three_capabilities(void **state)
{
	if (geteuid() != 0) {
		print_message("this is not root\n");
		skip();
	}
	in_child(root_child, *state);
	in_child(root_of_own_files_child, *state);
}

static void user_child(const struct room *room)
{
	if (geteuid() == 0) {
		/* Keep capabilities across the change of user, as an ambient set does. */
		CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
		CHECK(setgroups(0, NULL) == 0);
		CHECK(setresgid(1234, 1234, 1234) == 0);
		CHECK(setresuid(1234, 1234, 1234) == 0);
		CHECK(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) ==
			0); /* otherwise /proc belongs to root */
	}
	check_capabilities(room, SANDBOX_WRITABLE | SANDBOX_KEEP_OWNERS, 0);
}

static void other_users_keep_no_capabilities(void **state)
{
	const struct room *room = *state;

	assert_int_equal(fchmod(room->fd, 0755), 0);
	in_child(user_child, room);
}

/* Each of these calls kills the child, or fails with an error and the child survives. */
static const struct attempt {
	const char *name;
	long call;
	long args[5];
	int error; /* 0: the call kills the child */
} attempts[] = {
	{"execve", SYS_execve, {(long)"/bin/true", 0, 0}, 0},
	{"execveat", SYS_execveat, {-1, (long)"/bin/true", 0, 0, 0}, 0},
	{"clone of a process", SYS_clone, {SIGCHLD, 0, 0, 0, 0}, 0},
	{"clone3", SYS_clone3, {0, 0}, ENOSYS},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, 0},
	{"process_vm_readv", SYS_process_vm_readv, {1, 0, 0, 0, 0}, 0},
	{"kill of the parent", SYS_kill, {-2, 0}, 0},
	{"kill of the group", SYS_kill, {0, 0}, 0},
	{"tgkill of the parent", SYS_tgkill, {-2, -2, 0}, 0},
	{"kill of itself", SYS_kill, {-3, 0}, -1},
	{"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}, 0},
	{"socketpair", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}, 0},
	{"connect", SYS_connect, {0, 0, 0}, 0},
	{"bind", SYS_bind, {0, 0, 0}, 0},
	{"listen", SYS_listen, {0, 1}, 0},
	{"fchmodat", SYS_fchmodat, {AT_FDCWD, (long)"/tmp", 0777}, 0},
	{"fchmodat2", 452, {AT_FDCWD, (long)"/tmp", 04755, 0}, 0},
	{"fchmod to set-user-ID", SYS_fchmod, {-1, 04755}, EPERM},
	{"fchmod to set-group-ID", SYS_fchmod, {-1, 02755}, EPERM},
	{"fchmod to both", SYS_fchmod, {-1, 06755}, EPERM},
	{"fchmod to neither", SYS_fchmod, {-1, 01755}, EBADF},
	{"set-user-ID at first", SYS_openat, {-1, (long)"x", O_WRONLY | O_CREAT, 04755}, EPERM},
	{"set-group-ID at first", SYS_openat, {-1, (long)"x", O_WRONLY | O_CREAT, 02755}, EPERM},
	{"both at first", SYS_openat, {-1, (long)"x", O_WRONLY | O_CREAT, 06755}, EPERM},
	{"neither at first", SYS_openat, {-1, (long)"x", O_WRONLY | O_CREAT, 0755}, EBADF},
	{"without a name", SYS_openat, {-1, (long)".", O_WRONLY | O_TMPFILE, 04755}, EPERM},
#if LONG_MAX > INT32_MAX
	{"with bits that are none", SYS_openat, {-1, (long)"x", O_CREAT, 1L << 40 | 04755}, EPERM},
#endif
#ifdef SYS_open
	{"open", SYS_open, {(long)"/tmp/x", O_WRONLY | O_CREAT, 04755}, EPERM},
	{"creat", SYS_creat, {(long)"/tmp/x", 04755}, ENOSYS},
	{"mkdir", SYS_mkdir, {(long)"/tmp/x", 02755}, EPERM},
	{"mknod", SYS_mknod, {(long)"/tmp/x", S_IFREG | 04755, 0}, ENOSYS},
#endif
	{"openat2", SYS_openat2, {-1, (long)"x", 0, 0}, ENOSYS},
	{"mkdirat", SYS_mkdirat, {-1, (long)"x", 02755}, EPERM},
	{"mkdirat, set-user-ID", SYS_mkdirat, {-1, (long)"x", 04755}, EPERM},
	{"mkdirat with neither", SYS_mkdirat, {-1, (long)"x", 01755}, EBADF},
	{"mknodat", SYS_mknodat, {-1, (long)"x", S_IFREG | 04755, 0}, ENOSYS},
	{"shared memory", SYS_mmap, {0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1}, ENOSYS},
	{"shared memory, validated", SYS_mmap, {0, 4096, PROT_READ, MAP_SHARED_VALIDATE, 0},
		ENOSYS},
	{"fchownat", SYS_fchownat, {AT_FDCWD, (long)"/tmp", 0, 0, 0}, 0},
	{"setxattr", SYS_setxattr, {(long)"/tmp", (long)"user.x", 0, 0, 0}, 0},
	{"lremovexattr", SYS_lremovexattr, {(long)"/tmp", (long)"user.x"}, 0},
	{"memory that is run", SYS_mprotect, {0, 0, 4}, ENOSYS},
	{"symlinkat", SYS_symlinkat, {(long)"/", AT_FDCWD, (long)"x"}, ENOSYS},
	{"prctl", SYS_prctl, {0, 0, 0, 0, 0}, ENOSYS},
	{"a call of the future", 4000, {0}, ENOSYS},
};

static void attempt_child(const struct room *room, const struct attempt *a)
{
	long args[5], r;

	for (size_t i = 0; i < 5; i++)
		args[i] = a->args[i] == -2 ? getppid() : a->args[i] == -3 ? getpid() : a->args[i];
	enter_sandbox(room, SANDBOX_WRITABLE);
	r = syscall(a->call, args[0], args[1], args[2], args[3], args[4]);
	_exit(a->error < 0 ? r < 0 : r != -1 || errno != a->error);
}

static void attempt_each(const struct room *room, const struct attempt *each, size_t n)
{
	if (!has_filter()) {
		print_message("no filter in this build or kernel\n");
		skip();
	}
	for (size_t i = 0; i < n; i++) {
		const struct attempt *a = &each[i];
		bool killed;
		int status;
		pid_t pid = fork();

		if (pid == 0)
			attempt_child(room, a);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
		if (a->error ? status != 0 : !killed)
			fail_msg("%s: status %x", a->name, (unsigned)status);
	}
}

static void unneeded_calls_are_refused(void **state)
{
	attempt_each(*state, attempts, sizeof(attempts) / sizeof(attempts[0]));
}

static void *print_note_of_thread(void *arg)
{
	*(bool *)arg = true;
	return NULL;
}

static void ordinary_child(const struct room *room)
{
	CLEANUP(free) char *large = NULL;
	pthread_t thread;
	bool said = false;

	enter_sandbox(room, SANDBOX_WRITABLE);
	CHECK(pthread_create(&thread, NULL, print_note_of_thread, &said) == 0);
	CHECK(pthread_join(thread, NULL) == 0 && said);
	large = malloc(8 << 20);
	CHECK(large);
	memset(large, 1, 8 << 20);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) > 0);
	CHECK(usleep(1) == 0);
	CHECK(raise(0) == 0);
	abort();
}

static void threads_memory_and_abort_work(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		ordinary_child(*state);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(only_the_directory_is_accessible),
		in_a_room(a_readonly_directory_cannot_be_changed),
		in_a_room(each_named_directory_is_accessible),
		in_a_room(root_keeps_at_most_three_capabilities),
		in_a_room(other_users_keep_no_capabilities),
		in_a_room(unneeded_calls_are_refused),
		in_a_room(threads_memory_and_abort_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
