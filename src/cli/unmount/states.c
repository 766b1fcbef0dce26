/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/states.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/print.h"
#include "base/threads/clock.h"
#include "cli/child.h"
#include "cli/journals.h"
#include "cli/unmount/attempt.h"
#include "fuse/control_socket.h"
#include "fuse/lifecycle/utab.h"

enum {
	TICK_MS = 50,
	CONNECT_MS = 1000, /* a launcher that has just mounted is about to open the socket */
	VISITS_MAX = 50,
	IN_USE_MS = 2000, /* daemons of a desktop look into each new mount for an instant */
	NAMES_MS = 500,   /* time to find users; some are hidden from this process */
	CHILD_MS = 4000,
	SILENCE_MS = 4000,
	STANDSTILL_MS = 20000,
	WARN_MS = 8000,
};

bool unmount_is_lazy(const struct unmount *u)
{
	return u->options->force || u->worker > WORKER_OUT_OF_REACH;
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t unmount_limit(const struct unmount *u)
{
	bool force = u->options->force;

	switch (u->state) {
	case STATE_CONNECT:
		return u->since + CONNECT_MS;
	case STATE_SAVE:
	case STATE_END:
		return force ? min_time(u->since + SILENCE_MS, u->progressed + STANDSTILL_MS)
			     : INT64_MAX;
	case STATE_SYNC:
		return force || u->options->discard ? u->since + CHILD_MS : INT64_MAX;
	case STATE_UNMOUNT:
		return u->since + CHILD_MS + (unmount_is_lazy(u) ? 0 : IN_USE_MS);
	default:
		return force ? u->since + CHILD_MS : INT64_MAX;
	}
}

/* Wait for a descriptor (-1: none), for TICK_MS at most. Returns false when the limit of the state
 * has passed. The machine waits nowhere else. */
static bool wait_once(void *unmount, int fd)
{
	struct unmount *u = unmount;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t before = u->now, until = min_time(before + TICK_MS, unmount_limit(u));

	(void)poll(&p, 1, until > before ? (int)(until - before) : 0);
	u->now = clock_ms();
	if (u->state == STATE_SAVE || u->state == STATE_END) {
		if (!u->options->force && before <= u->since + WARN_MS &&
			u->now > u->since + WARN_MS)
			console_say(&u->console, "the worker of the mount does not answer; use "
						 "mapfs -u --force to unmount anyway");
		console_progress(&u->console, u->has_message ? "saving" : "no answer yet",
			&u->progress, u->now - u->started);
	}
	return u->now < unmount_limit(u) ||
	       (u->state == STATE_UNMOUNT && !unmount_is_lazy(u) && !target_is_mounted(u->entry));
}

static enum unmount_state finish_unmount(struct unmount *u, int code)
{
	u->code = code;
	return STATE_DONE;
}

/* Report that the worker does not answer, and continue without it. */
static enum unmount_state lose_worker(struct unmount *u, enum unmount_worker worker)
{
	static const char *const why[] = {
		[WORKER_OUT_OF_REACH] = "cannot reach the worker of the mount (perhaps in another "
					"namespace): saved through the mount",
		[WORKER_SILENT] = "the processes of the mount do not answer (stopped, or blocked "
				  "by the disk)",
		[WORKER_DIED] = "the worker died",
		[WORKER_DEAD] = "the processes of the mount ended or were killed",
	};

	console_say(&u->console, "%s", why[worker]);
	u->worker = worker;
	if (worker != WORKER_OUT_OF_REACH)
		u->code = worker == WORKER_DIED ? OUTCOME_SAVE_FAILED : -1;
	return STATE_UNMOUNT;
}

static enum unmount_state not_mounted(struct unmount *u, const char *why)
{
	console_say(&u->console, "%s", why);
	u->entry->is_mapfs = false;
	u->code = OUTCOME_USAGE;
	return STATE_JOURNAL;
}

static enum unmount_state do_connect(struct unmount *u)
{
	struct mount_entry entry;

	do {
		if (mountinfo_find_point(MOUNTINFO, u->entry->point, &entry) < 0 || !entry.is_mapfs)
			return not_mounted(u, "is not a mount of mapfs any more");
		*u->entry = entry;
		if (geteuid() != 0 && geteuid() != entry.owner) {
			console_say(&u->console, "was mounted by another user");
			return finish_unmount(u, OUTCOME_MOUNT);
		}
		u->sock = control_socket_connect(entry.dev, entry.owner);
		/* If the mount is not there any more, this is the worker of a later mount. */
		if (u->sock >= 0 && target_is_mounted(u->entry))
			return STATE_SAVE;
		if (u->sock >= 0)
			close(take_fd(&u->sock));
	} while (wait_once(u, -1));
	return STATE_SYNC;
}

/* Keep the progress of a save. A message without text only shows that the worker is alive. */
static void take_progress(struct unmount *u, struct control_msg *m)
{
	if (!*replace_unprintable(m->text))
		return;
	if (m->done != u->progress.done || m->total != u->progress.total ||
		strcmp(m->text, u->progress.text) != 0)
		u->progressed = u->now;
	u->progress = *m;
}

enum unmount_worker unmount_receive(struct unmount *u, struct control_msg *ret)
{
	while (wait_once(u, u->sock)) {
		int r = control_recv(u->sock, ret);

		if (r == -EAGAIN)
			continue;
		if (r != 1)
			return WORKER_DIED;
		u->has_message = true;
		u->since = u->now;
		if (ret->type == CONTROL_PROGRESS)
			take_progress(u, ret);
		else if (ret->type == CONTROL_REPORT)
			console_report(&u->console, "%s", ret->text);
		else if (ret->type == CONTROL_SAVED)
			return WORKER_LISTENS;
	}
	return WORKER_SILENT;
}

/* Bytes that a save needs at most, beyond the free room on the disk of the map. A new file is at
 * most as large as map and journal together. *ret_dir is the directory; the caller frees it.
 * Returns 0 if the disk has room, or if this cannot be determined. */
static uint64_t lacking_bytes(const char *map, char **ret_dir)
{
	CLEANUP(free) char *dir = strndup(map, (size_t)(strrchr(map, '/') - map) + 1);
	struct journal_found journal = {0};
	struct statvfs disk;
	struct stat st = {0}, j = {0};
	uint64_t needed, room;

	if (!dir || statvfs(dir, &disk) < 0 || stat(map, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	if (journals_find(map, &journal, NULL) > 0) {
		CLEANUP(free) char *path = text_printf("%s%s", dir, journal.file);

		if (path)
			(void)stat(path, &j);
	}
	needed = (uint64_t)st.st_size + (uint64_t)j.st_size;
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	*ret_dir = TAKE(dir);
	return room < needed ? needed - room : 0;
}

static void report_unsaved(struct unmount *u)
{
	CLEANUP(free) char *dir = NULL;
	uint64_t lacking = lacking_bytes(u->entry->source, &dir);

	if (lacking)
		console_say(&u->console,
			"cannot save all changes; still mounted: free at least %ju MB in %s and "
			"run "
			"mapfs -u again, or drop the rest with mapfs -u --discard",
			(uintmax_t)(lacking >> 20) + 1, dir);
	else
		console_say(&u->console,
			"cannot save all changes; still mounted (use mapfs -u --discard to drop "
			"the rest)");
}

static enum unmount_state do_save(struct unmount *u)
{
	/* Root removes no mount point: another user may control the path. */
	int cleans = geteuid() == u->entry->owner ? CONTROL_REMOVES_MOUNTPOINT : 0;
	enum unmount_worker worker;
	struct control_msg m;

	/* Errors are found below, when a message is received. */
	(void)control_send_text(u->sock, CONTROL_SAVE,
		(u->options->force ? 0 : CONTROL_MAY_STAY) |
			(u->options->discard ? CONTROL_DISCARD : 0) | cleans,
		NULL);
	/* Loading libmount takes time; meanwhile the worker saves. */
	if (geteuid() == 0)
		utab_load();
	u->has_message = false;
	worker = unmount_receive(u, &m);
	if (worker == WORKER_DIED && !u->has_message) {
		close(take_fd(&u->sock));
		(void)wait_once(u, -1);
		return u->stale_connections++ < VISITS_MAX ? STATE_CONNECT : STATE_SYNC;
	}
	if (worker != WORKER_LISTENS)
		return lose_worker(u, worker);
	u->owns_mountpoint = cleans && m.flags & CONTROL_MADE_MOUNTPOINT;
	u->code = (int)control_outcome(m.code);
	if (u->options->force ||
		(u->code != OUTCOME_SAVE_FAILED && !(m.flags & CONTROL_NOT_RESCUED)))
		return STATE_UNMOUNT;
	report_unsaved(u);
	return STATE_DONE;
}

static enum unmount_state do_sync(struct unmount *u)
{
	int r = child_run(u, wait_once, attempt_save);

	if (r == ENOTCONN)
		return lose_worker(u, WORKER_DEAD);
	if (u->options->discard) {
		console_say(
			&u->console, "cannot reach the worker of the mount: nothing is discarded");
		return finish_unmount(u, OUTCOME_BUSY);
	}
	if (r == ETIMEDOUT)
		return lose_worker(u, WORKER_SILENT);
	u->code = r == EEXIST ? OUTCOME_PARTIAL : r ? OUTCOME_SAVE_FAILED : OUTCOME_DONE;
	if (u->code != OUTCOME_SAVE_FAILED)
		return lose_worker(u, WORKER_OUT_OF_REACH);
	console_say(&u->console, "cannot reach the worker of the mount, and cannot save: %s%s",
		child_error(r), u->options->force ? "" : "; still mounted");
	u->worker = WORKER_OUT_OF_REACH;
	return u->options->force ? STATE_UNMOUNT : STATE_DONE;
}

static enum unmount_state leave_mount(struct unmount *u)
{
	struct mount_entry other;

	if (u->worker != WORKER_LISTENS)
		return u->worker == WORKER_OUT_OF_REACH ? STATE_DONE : STATE_JOURNAL;
	if (mountinfo_find_mapfs(MOUNTINFO, u->entry->dev, u->entry->source, &other) < 0)
		return STATE_END;
	console_say(&u->console, "unmounted, but still mounted on %s", other.point);
	return STATE_DONE;
}

static enum unmount_state do_unmount(struct unmount *u)
{
	int64_t names_from = u->since + IN_USE_MS;
	int r;

	do {
		u->names_users = u->now >= names_from;
		r = child_run(u, wait_once, attempt_unmount);
	} while (r == EBUSY && u->now < names_from + NAMES_MS && wait_once(u, -1));
	if (!r || (r == ETIMEDOUT && !target_is_mounted(u->entry)))
		return leave_mount(u);
	/* attempt_unmount printed the rest. */
	if (r < 0 || r == EBUSY || r == ETIMEDOUT)
		console_say(&u->console, "%scannot unmount: %s",
			u->console.has_saved ? "saved, but " : "", child_error(r));
	if (u->worker == WORKER_DIED)
		return STATE_JOURNAL;
	return finish_unmount(u, r == EBUSY || r == ETXTBSY ? OUTCOME_BUSY : OUTCOME_MOUNT);
}

static enum unmount_state do_end(struct unmount *u)
{
	enum unmount_worker worker;
	struct control_msg m;
	bool has_ended = false;

	(void)control_send_text(u->sock, CONTROL_QUIT, 0, NULL);
	/* The map is unlocked once the socket is closed. */
	while ((worker = unmount_receive(u, &m)) == WORKER_LISTENS) {
		u->code = (int)control_outcome(m.code);
		has_ended = true;
	}
	return worker == WORKER_DIED && has_ended ? STATE_DONE : lose_worker(u, worker);
}

static void print_discarded(void *arg, const char *path, const char *what)
{
	console_report(arg, "discarded: %s: %s", path, what);
}

static void print_unlisted(struct unmount *u, int code)
{
	console_say(&u->console, "cannot list the journals of %s: %s", u->entry->source,
		child_error(code));
}

/* Discard the journals of the map, or of the maps in the folder. Returns the exit code. */
static int discard_journals(struct unmount *u)
{
	CLEANUP_NAMES struct names maps = {0};
	struct console *c = &u->console;
	int failure = journals_add_maps(u->entry->source, true, &maps);
	int code = failure < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;

	if (failure < 0)
		print_unlisted(u, -failure);
	else if (!maps.n)
		console_say(c, "no journal fits the map: nothing to discard");
	for (size_t i = 0; i < maps.n; i++) {
		struct error e = ERROR_INIT;
		int r;

		if (strcmp(maps.items[i], u->entry->source) != 0) {
			c->name = maps.items[i];
			c->is_one_of_many = true;
		}
		r = journals_discard(maps.items[i], print_discarded, c, &e);
		if (r < 0)
			console_say(c, "%s", error_text(&e));
		if (r < 0 && code != OUTCOME_BUSY)
			code = r == -EBUSY ? OUTCOME_BUSY : OUTCOME_REFUSED;
	}
	return code;
}

static enum unmount_state do_journal(struct unmount *u)
{
	int r;

	if (u->options->discard && u->worker == WORKER_DEAD)
		return finish_unmount(u, discard_journals(u));
	r = child_run(u, wait_once, attempt_print_journals);
	if (r && r != EEXIST)
		print_unlisted(u, r);
	return finish_unmount(u, u->code >= 0 ? u->code : r ? OUTCOME_SAVE_FAILED : OUTCOME_DONE);
}

static enum unmount_state (*const states[])(struct unmount *u) = {
	[STATE_CONNECT] = do_connect,
	[STATE_SAVE] = do_save,
	[STATE_SYNC] = do_sync,
	[STATE_UNMOUNT] = do_unmount,
	[STATE_END] = do_end,
	[STATE_JOURNAL] = do_journal,
};

int unmount_target(struct target *t, const struct unmount_options *how, bool is_one_of_many)
{
	struct unmount u = {.options = how,
		.entry = &t->entry,
		.console = {.name = t->argument,
			.is_one_of_many = is_one_of_many,
			.shows_progress = how->verbose || isatty(STDERR_FILENO)},
		.code = -1,
		.sock = -1,
		.started = clock_ms()};

	if (!t->entry.is_mapfs)
		u.state = how->discard ? finish_unmount(&u, discard_journals(&u))
				       : not_mounted(&u, "is not mounted");
	while (u.state != STATE_DONE) {
		u.since = u.progressed = u.now = clock_ms();
		u.state = states[u.state](&u);
	}
	if (u.sock >= 0)
		close(u.sock);
	console_finish(&u.console);
	return u.code;
}
