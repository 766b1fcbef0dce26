/* SPDX-License-Identifier: Zlib */
/* Rights and attributes that a file takes from the file that it replaces. */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/disk/metadata.h"
#include "base/durable/replace.h"

static void prepare(const struct room *room)
{
	put_file(room->fd, "map", "old", 3);
}

static int save_map(const struct room *room, int like, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	int err = replace_begin(room->fd, "map", like, &r, e);

	if (err < 0)
		return err;
	replace_write(r, "new", 3);
	err = replace_close(r, e);
	return err < 0 ? err : replace_commit(r, true, NULL, e);
}

static void mode_and_attributes_are_kept(void **state)
{
	const struct room *room = *state;
	CLEANUP(close_fd) int like = -1;
	struct error e = ERROR_INIT;
	struct stat st;
	char value[8];
	int fd;

	prepare(room);
	like = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(fchmod(like, 0604), 0);
	if (fsetxattr(like, "user.mapfs-test", "value", 5, 0) < 0 && errno == EOPNOTSUPP) {
		print_message("user.* attributes are not supported in this directory\n");
		skip();
	}
	assert_int_equal(save_map(room, like, &e), 0);
	fd = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	assert_int_equal(fgetxattr(fd, "user.mapfs-test", value, sizeof(value)), 5);
	assert_memory_equal(value, "value", 5);
	close(fd);
}

/* The list names exactly the bits that the new file lacks. */
static void set_id_bits_are_not_kept(void **state)
{
	static const mode_t modes[] = {04755, 02755, 06711, 02644, 01644};
	const struct room *room = *state;
	struct error e = ERROR_INIT;

	prepare(room);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		CLEANUP(close_fd) int like = openat(room->fd, "map", O_RDONLY);
		CLEANUP(free) char *not_kept = NULL;
		struct stat st;

		assert_int_equal(fchmod(like, modes[i]), 0);
		assert_int_equal(metadata_list_not_kept(like, &not_kept, &e), 0);
		assert_int_equal(
			not_kept && strstr(not_kept, "set-user-ID"), (modes[i] & S_ISUID) != 0);
		assert_int_equal(
			not_kept && strstr(not_kept, "set-group-ID"), (modes[i] & S_ISGID) != 0);
		assert_int_equal(save_map(room, like, &e), 0);
		assert_int_equal(fstatat(room->fd, "map", &st, 0), 0);
		assert_int_equal(st.st_mode & 07777, modes[i] & 01777);
	}
}

/* POSIX ACLs as extended attributes: version 2, then tag, permissions and id of each entry. */
static const uint8_t acl[] = "\2\0\0\0"
			     "\1\0\6\0\xff\xff\xff\xff"   /* owner rw */
			     "\2\0\4\0\xd2\x04\0\0"       /* user 1234 r */
			     "\4\0\0\0\xff\xff\xff\xff"   /* group none */
			     "\x10\0\4\0\xff\xff\xff\xff" /* mask r */
			     "\x20\0\0\0\xff\xff\xff\xff" /* others none */;

static void an_acl_is_kept_and_a_default_acl_is_not_inherited(void **state)
{
	const struct room *room = *state;
	CLEANUP(close_fd) int like = -1;
	struct error e = ERROR_INIT;
	struct stat st;
	uint8_t got[100];
	int fd;

	prepare(room);
	like = openat(room->fd, "map", O_RDONLY);
	if (fsetxattr(room->fd, "system.posix_acl_default", acl, sizeof(acl) - 1, 0) < 0 &&
		errno == EOPNOTSUPP) {
		print_message("ACLs are not supported in this directory\n");
		skip();
	}
	assert_int_equal(fchmod(like, 0600), 0);
	assert_int_equal(save_map(room, like, &e), 0);
	fd = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(fgetxattr(fd, "system.posix_acl_access", got, sizeof(got)), -1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);

	assert_int_equal(fremovexattr(room->fd, "system.posix_acl_default"), 0);
	close_fd_cleanup(&like);
	like = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(fsetxattr(like, "system.posix_acl_access", acl, sizeof(acl) - 1, 0), 0);
	assert_int_equal(save_map(room, like, &e), 0);
	fd = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(
		fgetxattr(fd, "system.posix_acl_access", got, sizeof(got)), sizeof(acl) - 1);
	assert_memory_equal(got, acl, sizeof(acl) - 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	close(fd);
}

static void root_keeps_the_owner(void **state)
{
	const struct room *room = *state;
	CLEANUP(close_fd) int like = -1;
	struct error e = ERROR_INIT;
	struct stat st;

	if (geteuid() != 0) {
		print_message("only root can give files away\n");
		skip();
	}
	prepare(room);
	like = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(fchown(like, 1234, 2345), 0);
	assert_int_equal(fchmod(like, 0640), 0);
	assert_int_equal(save_map(room, like, &e), 0);
	assert_int_equal(fstatat(room->fd, "map", &st, 0), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 2345);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/*
 * Save in a child that gives up root for good. The file belongs to a group; uid 1234 is a member
 * only if `member` is set.
 */
static int save_as_other(const struct room *room, bool member)
{
	gid_t groups[] = {2345};
	int like;
	struct stat st;

	if (setgroups(member, groups) < 0 || setresgid(1234, 1234, 1234) < 0 ||
		setresuid(1234, 1234, 1234) < 0)
		return 10;
	like = openat(room->fd, "map", O_RDONLY);
	if (like < 0 || save_map(room, like, NULL) < 0)
		return 11;
	if (fstatat(room->fd, "map", &st, 0) < 0 || st.st_uid != 1234)
		return 12;
	if (member)
		return st.st_gid == 2345 && (st.st_mode & 07777) == 0664 ? 0 : 13;
	return st.st_gid == 1234 && (st.st_mode & 07777) == 0644 ? 0 : 14;
}

static void a_group_that_cannot_be_kept_gives_no_rights(void **state)
{
	const struct room *room = *state;

	if (geteuid() != 0) {
		print_message("only root can make files of other groups\n");
		skip();
	}
	for (int member = 0; member < 2; member++) {
		int status;
		pid_t pid;

		prepare(room);
		assert_int_equal(fchownat(room->fd, "map", 0, 2345, 0), 0);
		assert_int_equal(fchmodat(room->fd, "map", 0664, 0), 0);
		assert_int_equal(fchmod(room->fd, 0777), 0);
		pid = fork();
		if (pid == 0)
			_exit(save_as_other(room, member));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_int_equal(unlinkat(room->fd, "map", 0), 0);
	}
}

static void a_new_file_follows_the_umask(void **state)
{
	const struct room *room = *state;
	mode_t before = umask(027);
	struct error e = ERROR_INIT;
	struct stat st;

	prepare(room);
	assert_int_equal(save_map(room, -1, &e), 0);
	umask(before);
	assert_int_equal(fstatat(room->fd, "map", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(mode_and_attributes_are_kept),
		in_a_room(an_acl_is_kept_and_a_default_acl_is_not_inherited),
		in_a_room(set_id_bits_are_not_kept),
		in_a_room(root_keeps_the_owner),
		in_a_room(a_group_that_cannot_be_kept_gives_no_rights),
		in_a_room(a_new_file_follows_the_umask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
