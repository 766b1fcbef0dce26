/* SPDX-License-Identifier: Zlib */
/*
 * Small parts of a mount: the mount table, options for libfuse, messages, the control socket; and
 * how mapfs -u handles the messages.
 */
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

/*
 * Lines as described in proc(5): a plain mount, one with optional fields, a blank in the point, two
 * mounts at one point, and a bind mount.
 */
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

static void maps_are_listed_in_order_with_their_mount_points(void **state)
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

static void other_file_systems_are_not_listed(void **state)
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

	assert_int_equal(mountinfo_find_mapfs(*state, "0:42", NULL, &entry), 0);
	assert_string_equal(entry.point, "/mnt/thr\\ee");
	assert_int_equal(mountinfo_find_mapfs(*state, "0:42", "/m/y\\.map", &entry), 0);
	assert_int_equal(mountinfo_find_mapfs(*state, "0:4", NULL, &entry), -ENOENT);
}

/* The kernel gives the number of a device that has ended to the next one. */
static void a_device_of_another_map_or_file_system_is_not_found(void **state)
{
	struct mount_entry entry;

	assert_int_equal(mountinfo_find_mapfs(*state, "0:42", "/m/x.map", &entry), -ENOENT);
	assert_int_equal(mountinfo_find_point(*state, "/", &entry), 0);
	assert_int_equal(mountinfo_find_mapfs(*state, entry.dev, NULL, &entry), -ENOENT);
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

/* A slow worker gets CONTROL_QUIT but reads no more; its report is already sent. */
static void messages_of_a_closed_worker_are_still_received(void **state)
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

static void invalid_messages_are_refused(void **state)
{
	struct control_msg m = {.type = CONTROL_NOTE}, got;
	int ends[2], fds[CONTROL_FDS];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(send(ends[0], "short", 5, 0), 5);
	assert_int_equal(control_recv(ends[1], &got), -EPROTO);
	/* An unexpected descriptor, and a missing one. */
	assert_int_equal(control_send_fds(ends[0], &m, ends), 0);
	assert_int_equal(control_recv(ends[1], &got), -EPROTO);
	assert_int_equal(control_send_text(ends[0], CONTROL_MOUNTED, 0, NULL), 0);
	assert_int_equal(control_recv_fds(ends[1], &got, fds), -EPROTO);
	close(ends[0]);
	close(ends[1]);
}

static void long_lines_are_cut_to_one_message(void **state)
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

/* A name that no mount has: device numbers are shorter. */
static void make_socket_name(char *dev, size_t room)
{
	snprintf(dev, room, "test-%ld", (long)getpid());
}

struct hearing {
	size_t messages, gone;
	int code;
};

static void record_message(void *arg, const struct control_msg *m)
{
	struct hearing *h = arg;

	h->messages += m != NULL;
	h->gone += !m;
	h->code = m ? m->code : -1;
}

static void open_socket(struct control_socket *d, const char *dev)
{
	control_socket_init(d);
	d->listener = control_socket_open(dev);
	assert_true(d->listener >= 0);
}

static void a_request_to_the_control_socket_is_answered(void **state)
{
	struct control_msg saved = {.type = CONTROL_SAVED, .code = 5}, got;
	struct hearing h = {0};
	struct control_socket d;
	char dev[32];
	int sock;

	(void)state;
	make_socket_name(dev, sizeof(dev));
	open_socket(&d, dev);
	sock = control_socket_connect(dev, geteuid());
	assert_true(sock >= 0);
	control_socket_serve(&d, record_message, &h);
	/* A client without a request gets no message. */
	assert_int_equal(control_socket_send(&d, &saved), 0);
	assert_int_equal(control_send_text(sock, CONTROL_SAVE, CONTROL_DISCARD, NULL), 0);
	control_socket_serve(&d, record_message, &h);
	assert_int_equal(h.messages, 1);
	assert_int_equal(h.code, CONTROL_DISCARD);
	saved.code = 6;
	assert_int_equal(control_socket_send(&d, &saved), 1);
	assert_int_equal(control_recv(sock, &got), 1);
	assert_int_equal(got.code, 6);
	close(sock);
	assert_int_equal(control_socket_send(&d, &saved), 0);
	control_socket_serve(&d, record_message, &h);
	assert_int_equal(h.gone, 1);
	control_socket_finish(&d);
	assert_int_equal(control_socket_connect(dev, geteuid()), -ECONNREFUSED);
}

static void all_clients_receive_the_outcome(void **state)
{
	struct control_msg saved = {.type = CONTROL_SAVED}, got;
	struct hearing h = {0};
	int socks[3];
	struct control_socket d;
	char dev[32];

	(void)state;
	make_socket_name(dev, sizeof(dev));
	open_socket(&d, dev);
	for (size_t i = 0; i < 3; i++) {
		socks[i] = control_socket_connect(dev, geteuid());
		assert_int_equal(control_send_text(socks[i], CONTROL_SAVE, 0, NULL), 0);
		control_socket_serve(&d, record_message, &h);
	}
	assert_int_equal(h.messages, 3);
	assert_int_equal(control_socket_send(&d, &saved), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(control_recv(socks[i], &got), 1);
		close(socks[i]);
	}
	control_socket_finish(&d);
}

static void connecting_to_a_full_queue_does_not_block(void **state)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fill[64], n = 0, listener;
	socklen_t size;
	char dev[32];

	(void)state;
	make_socket_name(dev, sizeof(dev));
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

static bool client_reaches(struct control_socket *d, int sock)
{
	struct hearing h = {0};

	assert_true(sock >= 0);
	assert_int_equal(control_send_text(sock, CONTROL_SAVE, 0, NULL), 0);
	/* Idle clients are accepted too, one at a time. */
	for (int i = 0; i < CONTROL_CLIENTS_MAX && !h.messages; i++)
		control_socket_serve(d, record_message, &h);
	close(sock);
	return h.messages == 1;
}

static void a_second_socket_of_a_device_is_found_after_the_first_closes(void **state)
{
	struct control_socket a, b;
	char dev[32];

	(void)state;
	make_socket_name(dev, sizeof(dev));
	open_socket(&a, dev);
	open_socket(&b, dev);
	assert_true(client_reaches(&a, control_socket_connect(dev, geteuid())));
	assert_true(client_reaches(&a, control_socket_connect(dev, geteuid())));
	control_socket_shut(&a);
	assert_true(client_reaches(&b, control_socket_connect(dev, geteuid())));
	control_socket_finish(&a);
	control_socket_finish(&b);
	assert_int_equal(control_socket_connect(dev, geteuid()), -ECONNREFUSED);
}

static int never_return(void *)
{
	return pause();
}

static int kill_child(void *)
{
	return raise(SIGKILL);
}

static int return_argument(void *arg)
{
	return *(int *)arg;
}

static bool stop_waiting(void *, int)
{
	return false;
}

static void a_call_that_never_returns_is_abandoned(void **state)
{
	int given = ENOTCONN;

	(void)state;
	assert_int_equal(child_run(NULL, stop_waiting, never_return), ETIMEDOUT);
	assert_int_equal(child_run(NULL, child_limit, kill_child), -ECHILD);
	assert_int_equal(child_run(&given, child_limit, return_argument), ENOTCONN);
}

static void send_progress(int sock, const char *text, uint64_t done)
{
	struct control_msg m = {.type = CONTROL_PROGRESS, .done = done, .total = 10};

	snprintf(m.text, sizeof(m.text), "%s", text);
	assert_int_equal(control_send(sock, &m), 0);
}

/* An end was forced a minute ago, and the save made progress until now. */
static void force_waits_for_a_save_that_makes_progress(void **state)
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
	send_progress(ends[0], "writing", 5);
	assert_int_equal(control_send_text(ends[0], CONTROL_SAVED, 0, NULL), 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_LISTENS);
	assert_int_equal(got.type, CONTROL_SAVED);
	assert_true(u.progressed > before);
	/* A heartbeat is not progress, and neither is a repeated value. */
	before = u.progressed -= 5000;
	send_progress(ends[0], "", 0);
	send_progress(ends[0], "writing", 5);
	assert_int_equal(control_send_text(ends[0], CONTROL_SAVED, 0, NULL), 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_LISTENS);
	assert_true(u.progressed == before);
	u.progressed -= 60000;
	send_progress(ends[0], "", 0);
	assert_int_equal(unmount_receive(&u, &got), WORKER_SILENT);
	console_finish(&u.console);
	close(ends[0]);
	close(ends[1]);
}

/*
 * States that wait for a save have no limit; all others have one, for any used time and silent
 * worker.
 */
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
		cmocka_unit_test_setup_teardown(maps_are_listed_in_order_with_their_mount_points,
			write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			other_file_systems_are_not_listed, write_table, remove_table),
		cmocka_unit_test_setup_teardown(
			a_bound_mount_is_found_by_its_device, write_table, remove_table),
		cmocka_unit_test_setup_teardown(a_device_of_another_map_or_file_system_is_not_found,
			write_table, remove_table),
		cmocka_unit_test(commas_and_backslashes_of_a_path_are_quoted),
		cmocka_unit_test(messages_carry_text_and_descriptors),
		cmocka_unit_test(messages_of_a_closed_worker_are_still_received),
		cmocka_unit_test(invalid_messages_are_refused),
		cmocka_unit_test(long_lines_are_cut_to_one_message),
		cmocka_unit_test(a_request_to_the_control_socket_is_answered),
		cmocka_unit_test(all_clients_receive_the_outcome),
		cmocka_unit_test(connecting_to_a_full_queue_does_not_block),
		cmocka_unit_test(a_call_that_never_returns_is_abandoned),
		cmocka_unit_test(force_waits_for_a_save_that_makes_progress),
		cmocka_unit_test(each_state_of_an_unmount_ends),
		cmocka_unit_test(a_second_socket_of_a_device_is_found_after_the_first_closes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
