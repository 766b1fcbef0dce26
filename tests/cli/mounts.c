/* SPDX-License-Identifier: Zlib */
/* Small parts of a mount: the mount table, the options for libfuse, the messages, the door;
 * and what mapfs -u makes of the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/disk/mountinfo.h"
#include "base/threads/clock.h"
#include "cli/child.h"
#include "cli/unmount/states.h"
#include "fuse/control.h"
#include "fuse/control_socket.h"
#include "fuse/lifecycle/mount.h"

/* Lines as proc(5) describes them: a plain mount, one with optional fields, a blank in the point,
 * two mounts over each other, and one that is bound to a second place. */
static const char table[] =
	"22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
	"36 22 0:40 / /mnt/a\\040b rw,nosuid shared:7 master:1 - fuse.mapfs /m/x.map "
	"rw,user_id=1000,group_id=100\n"
	"37 22 0:41 / /mnt/two rw - fuse.sshfs host: rw,user_id=5,group_id=5\n"
	"38 22 0:42 / /mnt/two rw - fuse.mapfs /m/y\\134.map rw,user_id=0,group_id=0\n"
	"39 22 0:42 / /mnt/thr\\134ee ro,nosuid - fuse.mapfs /m/y\\134.map "
	"rw,user_id=0,group_id=0\n"
	"cut off";

static int write_table(void **state)
{
	char *path = strdup("/tmp/mapfs-mountinfo-XXXXXX");
	int fd = path ? mkstemp(path) : -1;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, table, strlen(table));
	close(fd);
	*state = path;
	return n == (ssize_t)strlen(table) ? 0 : -1;
}

static int remove_table(void **state)
{
	unlink(*state);
	free(*state);
	return 0;
}

static void the_topmost_mount_at_a_point_is_found(void **state)
{
	struct mount_entry entry;

	assert_int_equal(mountinfo_find_point(*state, "/mnt/two", &entry), 0);
	assert_string_equal(entry.dev, "0:42");
	assert_true(entry.is_mapfs);
	assert_int_equal(entry.owner, 0);
}

static void blanks_and_owners_are_read(void **state)
{
	struct mount_entry entry;

	assert_int_equal(mountinfo_find_point(*state, "/mnt/a b", &entry), 0);
	assert_string_equal(entry.dev, "0:40");
	assert_true(entry.is_mapfs);
	assert_int_equal(entry.owner, 1000);
}

static void maps_are_listed_with_their_places_in_order(void **state)
{
	FILE *mounts = fopen(*state, "re");
	struct mount_entry entry;
	char text[500] = "";
	size_t n = 0;

	assert_non_null(mounts);
	while (mountinfo_next(mounts, &entry))
		if (entry.is_mapfs)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s%s\n", entry.point,
				entry.source, entry.is_read_only ? " ro" : "");
	fclose(mounts);
	assert_string_equal(text, "/mnt/a b /m/x.map\n/mnt/two /m/y\\.map\n"
				  "/mnt/thr\\ee /m/y\\.map ro\n");
}

static void other_file_systems_are_not_ours(void **state)
{
	struct mount_entry entry;

	assert_int_equal(mountinfo_find_point(*state, "/", &entry), 0);
	assert_false(entry.is_mapfs);
	assert_int_equal(mountinfo_find_point(*state, "/mnt", &entry), -ENOENT);
	assert_int_equal(mountinfo_find_point(*state, "/mnt/tw", &entry), -ENOENT);
	assert_int_equal(mountinfo_find_point("/nonexistent", "/", &entry), -ENOENT);
}

static void a_bound_mount_is_found_by_its_device(void **state)
{
	struct mount_entry entry;

	assert_int_equal(mountinfo_find_device(*state, "0:42", &entry), 0);
	assert_string_equal(entry.point, "/mnt/thr\\ee");
	assert_int_equal(mountinfo_find_device(*state, "0:4", &entry), -ENOENT);
}

static void commas_and_backslashes_of_a_path_are_quoted(void **state)
{
	struct mount_request rq = {.path = "/m/a,b\\c,allow_other.map"};
	char *options = mount_options(&rq, false);

	(void)state;
	assert_string_equal(options,
		"fsname=/m/a\\,b\\\\c\\,allow_other.map,subtype=mapfs,default_permissions");
	free(options);
	rq = (struct mount_request){.path = "/x", .allow_other = true, .noexec = true};
	options = mount_options(&rq, true);
	assert_string_equal(
		options, "fsname=/x,subtype=mapfs,default_permissions,allow_other,noexec,ro");
	free(options);
	rq = (struct mount_request){.path = "/x",
		.security =
			(const char *const[]){"context=\"u:r:t:s0:c1,c2\"", "rootcontext=r", NULL}};
	options = mount_options(&rq, false);
	assert_string_equal(options,
		"fsname=/x,subtype=mapfs,default_permissions,context=\"u:r:t:s0:c1\\,c2\","
		"rootcontext=r");
	free(options);
}

static void messages_carry_text_and_descriptors(void **state)
{
	struct control_msg m = {.type = CONTROL_MOUNTED, .code = -7}, got;
	int ends[2], fds[CONTROL_FDS];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(control_recv(ends[1], &got), -EAGAIN);
	assert_int_equal(control_send_fds(ends[0], &m, ends), 0);
	assert_int_equal(control_send_text(ends[0], CONTROL_NOTE, 3, "a line"), 0);
	assert_int_equal(control_recv_fds(ends[1], &got, fds), 1);
	assert_int_equal(got.code, -7);
	for (int i = 0; i < CONTROL_FDS; i++) {
		assert_true(fds[i] >= 0 && fds[i] != ends[i]);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(fds[i]);
	}
	assert_int_equal(control_recv(ends[1], &got), 1);
	assert_int_equal(got.type, CONTROL_NOTE);
	assert_string_equal(got.text, "a line");
	close(ends[0]);
	assert_int_equal(control_recv(ends[1], &got), 0);
	assert_int_equal(control_send_text(ends[1], CONTROL_NOTE, 0, NULL), -EPIPE);
	close(ends[1]);
}

/* A worker that is slow to end is told to: it reads that no more, and its report is on the way. */
static void last_words_of_who_heard_no_more_arrive(void **state)
{
	struct control_msg got;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(control_send_text(ends[0], CONTROL_QUIT, 0, NULL), 0);
	assert_int_equal(control_send_text(ends[1], CONTROL_REPORT, 0, "left: a"), 0);
	assert_int_equal(control_send_text(ends[1], CONTROL_REPORT, 0, "left: b"), 0);
	close(ends[1]);
	assert_int_equal(control_recv(ends[0], &got), 1);
	assert_string_equal(got.text, "left: a");
	assert_int_equal(control_recv(ends[0], &got), 1);
	assert_string_equal(got.text, "left: b");
	assert_int_equal(control_recv(ends[0], &got), 0);
	close(ends[0]);
}

static void what_is_no_message_is_refused(void **state)
{
	struct control_msg m = {.type = CONTROL_NOTE}, got;
	int ends[2], fds[CONTROL_FDS];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(send(ends[0], "short", 5, 0), 5);
	assert_int_equal(control_recv(ends[1], &got), -EPROTO);
	/* A descriptor where none belongs, and none where one does. */
	assert_int_equal(control_send_fds(ends[0], &m, ends), 0);
	assert_int_equal(control_recv(ends[1], &got), -EPROTO);
	assert_int_equal(control_send_text(ends[0], CONTROL_MOUNTED, 0, NULL), 0);
	assert_int_equal(control_recv_fds(ends[1], &got, fds), -EPROTO);
	close(ends[0]);
	close(ends[1]);
}

static void long_lines_are_cut_and_stay_lines(void **state)
{
	static char line[3 * CONTROL_TEXT_MAX];
	struct control_msg got;
	int ends[2];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(control_send_text(ends[0], CONTROL_REPORT, 0, line), 0);
	assert_int_equal(control_recv(ends[1], &got), 1);
	assert_int_equal(strlen(got.text), CONTROL_TEXT_MAX - 1);
	close(ends[0]);
	close(ends[1]);
}

/* A name that no mount has: device numbers are not this long. */
static void door_name(char *dev, size_t room)
{
	snprintf(dev, room, "test-%ld", (long)getpid());
}

struct hearing {
	size_t messages, gone;
	int code;
};

static void hear(void *arg, const struct control_msg *m)
{
	struct hearing *h = arg;

	h->messages += m != NULL;
	h->gone += !m;
	h->code = m ? m->code : -1;
}

static void open_door(struct control_socket *d, const char *dev)
{
	control_socket_init(d);
	d->listener = control_socket_open(dev);
	assert_true(d->listener >= 0);
}

static void a_knock_reaches_the_door_and_is_answered(void **state)
{
	struct control_msg saved = {.type = CONTROL_SAVED, .code = 5}, got;
	struct hearing h = {0};
	struct control_socket d;
	char dev[32];
	int sock;

	(void)state;
	door_name(dev, sizeof(dev));
	open_door(&d, dev);
	sock = control_socket_connect(dev, geteuid());
	assert_true(sock >= 0);
	control_socket_serve(&d, hear, &h);
	/* Who has asked nothing hears nothing. */
	assert_int_equal(control_socket_send(&d, &saved), 0);
	assert_int_equal(control_send_text(sock, CONTROL_SAVE, CONTROL_DISCARD, NULL), 0);
	control_socket_serve(&d, hear, &h);
	assert_int_equal(h.messages, 1);
	assert_int_equal(h.code, CONTROL_DISCARD);
	saved.code = 6;
	assert_int_equal(control_socket_send(&d, &saved), 1);
	assert_int_equal(control_recv(sock, &got), 1);
	assert_int_equal(got.code, 6);
	close(sock);
	assert_int_equal(control_socket_send(&d, &saved), 0);
	control_socket_serve(&d, hear, &h);
	assert_int_equal(h.gone, 1);
	control_socket_finish(&d);
	assert_int_equal(control_socket_connect(dev, geteuid()), -ECONNREFUSED);
}

static void several_hear_the_same(void **state)
{
	struct control_msg saved = {.type = CONTROL_SAVED}, got;
	struct hearing h = {0};
	int socks[3];
	struct control_socket d;
	char dev[32];

	(void)state;
	door_name(dev, sizeof(dev));
	open_door(&d, dev);
	for (size_t i = 0; i < 3; i++) {
		socks[i] = control_socket_connect(dev, geteuid());
		assert_int_equal(control_send_text(socks[i], CONTROL_SAVE, 0, NULL), 0);
		control_socket_serve(&d, hear, &h);
	}
	assert_int_equal(h.messages, 3);
	assert_int_equal(control_socket_send(&d, &saved), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(control_recv(socks[i], &got), 1);
		close(socks[i]);
	}
	control_socket_finish(&d);
}

static void nobody_waits_at_a_door_whose_queue_is_full(void **state)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fill[64], n = 0, listener;
	socklen_t size;
	char dev[32];

	(void)state;
	door_name(dev, sizeof(dev));
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(
				   a.sun_path + 1, sizeof(a.sun_path) - 1, "mapfs/%s", dev));
	listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&a, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	do {
		fill[n] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	} while (connect(fill[n++], (struct sockaddr *)&a, size) == 0 && n < 64);
	alarm(5);
	assert_int_equal(control_socket_connect(dev, geteuid()), -EAGAIN);
	alarm(0);
	while (n > 0)
		close(fill[--n]);
	close(listener);
}

static bool reaches(struct control_socket *d, int sock)
{
	struct hearing h = {0};

	assert_true(sock >= 0);
	assert_int_equal(control_send_text(sock, CONTROL_SAVE, 0, NULL), 0);
	/* Those who only passed by are let in, too, one at a time. */
	for (int i = 0; i < CONTROL_CLIENTS_MAX && !h.messages; i++)
		control_socket_serve(d, hear, &h);
	close(sock);
	return h.messages == 1;
}

static void the_next_door_of_a_number_is_found_once_the_first_is_shut(void **state)
{
	struct control_socket a, b;
	char dev[32];

	(void)state;
	door_name(dev, sizeof(dev));
	open_door(&a, dev);
	open_door(&b, dev);
	assert_true(reaches(&a, control_socket_connect(dev, geteuid())));
	assert_true(reaches(&a, control_socket_connect(dev, geteuid())));
	control_socket_shut(&a);
	assert_true(reaches(&b, control_socket_connect(dev, geteuid())));
	control_socket_finish(&a);
	control_socket_finish(&b);
	assert_int_equal(control_socket_connect(dev, geteuid()), -ECONNREFUSED);
}

static int never_return(void *)
{
	return pause();
}

static int die(void *)
{
	return raise(SIGKILL);
}

static int return_given(void *arg)
{
	return *(int *)arg;
}

static bool wait_no_more(void *, int)
{
	return false;
}

static void a_call_that_never_returns_is_left_behind(void **state)
{
	int given = ENOTCONN;

	(void)state;
	assert_int_equal(child_run(NULL, wait_no_more, never_return), ETIMEDOUT);
	assert_int_equal(child_run(NULL, child_limit, die), -ECHILD);
	assert_int_equal(child_run(&given, child_limit, return_given), ENOTCONN);
}

static void tell_progress(int sock, const char *text, uint64_t done)
{
	struct control_msg m = {.type = CONTROL_PROGRESS, .done = done, .total = 10};

	snprintf(m.text, sizeof(m.text), "%s", text);
	assert_int_equal(control_send(sock, &m), 0);
}

/* Of a forced end that was asked for a minute ago, while the save went on until now. */
static void force_waits_for_a_save_that_gets_further(void **state)
{
	struct unmount_options force = {.force = true};
	struct unmount u = {.options = &force, .state = STATE_SAVE, .console.name = "m"};
	struct control_msg got;
	int64_t before;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	u.sock = ends[1];
	u.since = u.now = clock_ms();
	u.started = u.now - 60000;
	before = u.progressed = u.now - 5000;
	tell_progress(ends[0], "writing", 5);
	assert_int_equal(control_send_text(ends[0], CONTROL_SAVED, 0, NULL), 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_LISTENS);
	assert_int_equal(got.type, CONTROL_SAVED);
	assert_true(u.progressed > before);
	/* A sign of life is none of progress, and neither is the same once more. */
	before = u.progressed -= 5000;
	tell_progress(ends[0], "", 0);
	tell_progress(ends[0], "writing", 5);
	assert_int_equal(control_send_text(ends[0], CONTROL_SAVED, 0, NULL), 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_LISTENS);
	assert_true(u.progressed == before);
	u.progressed -= 60000;
	tell_progress(ends[0], "", 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_SILENT);
	console_finish(&u.console);
	close(ends[0]);
	close(ends[1]);
}

/* However long it is used, and whoever is silent: what has no limit waits for a save. */
static void each_state_of_an_unmount_ends(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * STATE_DONE; i++) {
		struct unmount_options how = {.force = i >= STATE_DONE};
		struct unmount u = {.options = &how, .state = (enum unmount_state)(i % STATE_DONE)};
		bool waits = u.state == STATE_SAVE || u.state == STATE_END ||
			     u.state == STATE_SYNC || u.state == STATE_JOURNAL;

		assert_true((unmount_limit(&u) == INT64_MAX) == (waits && !how.force));
		assert_true(unmount_limit(&u) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_topmost_mount_at_a_point_is_found, write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			blanks_and_owners_are_read, write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			maps_are_listed_with_their_places_in_order, write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			other_file_systems_are_not_ours, write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			a_bound_mount_is_found_by_its_device, write_table, remove_table),
		cmocka_unit_test(commas_and_backslashes_of_a_path_are_quoted),
		cmocka_unit_test(messages_carry_text_and_descriptors),
		cmocka_unit_test(last_words_of_who_heard_no_more_arrive),
		cmocka_unit_test(what_is_no_message_is_refused),
		cmocka_unit_test(long_lines_are_cut_and_stay_lines),
		cmocka_unit_test(a_knock_reaches_the_door_and_is_answered),
		cmocka_unit_test(several_hear_the_same),
		cmocka_unit_test(nobody_waits_at_a_door_whose_queue_is_full),
		cmocka_unit_test(a_call_that_never_returns_is_left_behind),
		cmocka_unit_test(force_waits_for_a_save_that_gets_further),
		cmocka_unit_test(each_state_of_an_unmount_ends),
		cmocka_unit_test(the_next_door_of_a_number_is_found_once_the_first_is_shut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
