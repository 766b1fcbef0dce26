/* SPDX-License-Identifier: Zlib */
/*
 * The worker: opens the map, gives up every right that it does not need, parses, and only then asks
 * for the mount.
 */
#include "fuse/lifecycle/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/cleanup.h"
#include "base/disk/io.h"
#include "base/disk/metadata.h"
#include "base/disk/mountinfo.h"
#include "base/sandbox/sandbox.h"
#include "base/threads/clock.h"
#include "fuse/control.h"
#include "fuse/session/session.h"
#include "vfs/volume/volume.h"

enum { WORKER_THREADS = 3 };
/* How long a mount waits for a running save, and after how much of that it reports so. */
enum { SAVE_WAIT_MS = 10000, SAVE_NOTE_MS = 1000, SAVE_POLL_MS = 20 };

struct worker {
	struct session session; /* first */
	const struct mount_request *rq;
	struct vfs_options options; /* of a folder's maps */
	struct volume *vol;         /* of a single map; the tree's */
	bool served;                /* somebody may have written */
};

static void note(void *arg, const char *line)
{
	struct worker *w = arg;

	/* One who does not listen can do without. */
	(void)control_tell(w->session.launcher_fd, CONTROL_NOTE, 0, line);
}

/* What the kernel lacks is for those who look closely. */
static void note_debug(void *arg, const char *line)
{
	const struct worker *w = arg;

	if (w->rq->debug)
		note(arg, line);
}

static void host_note(struct vfs_host *h, const char *line)
{
	note(h, line);
}

static bool shows(const struct mount_entry *entry, const char *map)
{
	size_t n = strlen(entry->source);

	return strncmp(entry->source, map, n) == 0 && (!map[n] || map[n] == '/');
}

/* Where a map, or a folder that it is in, is mounted for writing, or NULL. Call it outside the
 * sandbox. */
static char *find_place(const char *map)
{
	FILE *table = fopen(MOUNTINFO, "re");
	struct mount_entry entry;
	char *point = NULL;

	while (table && !point && mountinfo_next(table, &entry))
		if (entry.mapfs && !entry.read_only && shows(&entry, map))
			point = strdup(entry.point);
	if (table)
		fclose(table);
	return point;
}

/* Errors that say nothing about the map: a full disk, or a limit of this process. */
static bool is_shortage(int r)
{
	return io_is_full(r) || r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EAGAIN;
}

static enum outcome outcome_of(int r)
{
	return r == VOLUME_LOCKED ? OUTCOME_BUSY : is_shortage(r) ? OUTCOME_MOUNT : OUTCOME_REFUSED;
}

static int refuse(struct worker *w, enum outcome code, int r, const struct error *e)
{
	const char *text = e->code ? error_text(e) : strerror(-r);
	CLEANUP(free) char *point = r == VOLUME_LOCKED ? find_place(w->rq->path) : NULL;
	char line[CONTROL_TEXT_MAX];

	snprintf(line, sizeof(line), "%s%s%s", text, point ? ": on " : "", point ? point : "");
	(void)control_tell(w->session.launcher_fd, CONTROL_FAILED, (int)code, line);
	return (int)code;
}

/* Once the rights to write them are given up, so is the one to see them. */
static void tell_what_is_not_kept(struct worker *w)
{
	CLEANUP(close_fd) int fd = open(w->rq->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CLEANUP(free) char *names = NULL;
	char line[CONTROL_TEXT_MAX];

	if (fd < 0 || metadata_not_kept(fd, &names, NULL) < 0 || !names)
		return;
	snprintf(line, sizeof(line), "a save does not keep what takes or gives rights: %s", names);
	note(w, line);
}

static int open_volume(const struct mount_request *rq, struct volume **ret, struct error *e)
{
	const char *name = strrchr(rq->path, '/') + 1;
	CLEANUP(free) char *dir = strndup(rq->path, (size_t)(name - rq->path));
	int dirfd;

	if (!dir)
		return error_set(e, -ENOMEM, "out of memory");
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return error_errno(e, "its directory cannot be opened");
	return rq->create ? volume_create(dirfd, name, rq->format, &rq->how, ret, e)
			  : volume_open(dirfd, name, &rq->how, ret, e);
}

/* A map that is locked and not mounted is being saved, after fusermount3 -u or by a command: wait
 * for that. */
static int open_after_save(struct worker *w, struct volume **ret, struct error *e)
{
	int64_t start = clock_ms(), waited = 0;
	bool reported = false;
	int r;

	while ((r = open_volume(w->rq, ret, e)) == VOLUME_LOCKED && waited < SAVE_WAIT_MS) {
		CLEANUP(free) char *point = find_place(w->rq->path);

		if (point)
			break;
		if (!reported && waited >= SAVE_NOTE_MS) {
			note(w, "the map is being saved; waiting for the end of that");
			reported = true;
		}
		usleep(SAVE_POLL_MS * 1000);
		waited = clock_ms() - start;
	}
	return r;
}

static int open_map(struct worker *w, struct volume **ret, struct error *e)
{
	const struct mount_request *rq = w->rq;
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	struct sandbox_rule rules[VOLUME_RULES_MAX];
	int r = open_after_save(w, &vol, e);

	if (r == 0 && !rq->create && vol->access != VOLUME_READ_ONLY)
		tell_what_is_not_kept(w);
	if (r == 0)
		r = sandbox_enter(rules, volume_rules(vol, rules),
			volume_is_own(vol) ? 0 : SANDBOX_RIGHTS, note_debug, w, e);
	if (r == 0)
		r = volume_load(vol, note, w, e);
	if (r < 0 && vol && rq->create)
		volume_discard(vol);
	if (r == 0)
		*ret = TAKE(vol);
	return r;
}

/* Waits for the descriptor of the mount and the door. */
static int receive_mount(struct session *f, int *ret_fd)
{
	struct control_msg m;
	int fds[CONTROL_FDS];
	int r = control_take(f->launcher_fd, &m, fds);

	if (r <= 0)
		return r < 0 ? r : -EPIPE;
	*ret_fd = fds[0];
	f->owns_mountpoint = m.code;
	return control_socket_take(&f->control, fds[1]);
}

/* Print a line of the trace of -d. If standard error has no room, the line is dropped: a reader
 * that stopped must not stop the mount. */
PRINTF_LIKE(2, 0) static void log_fuse(enum fuse_log_level, const char *fmt, va_list ap)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&p, 1, 0) == 1)
		vfprintf(stderr, fmt, ap);
}

static int session_begin(struct worker *w, int fd)
{
	struct session *f = &w->session;
	char debug[] = "-d", name[] = "mapfs", mountpoint[32];
	char *argv[] = {name, debug, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(w->rq->debug ? 2 : 1, argv);

	fuse_set_log_func(log_fuse);
	f->fuse = fuse_session_new(&args, &session_ops, sizeof(session_ops), f);
	fuse_opt_free_args(&args);
	if (!f->fuse) {
		close(fd);
		return -ENOMEM;
	}
	snprintf(mountpoint, sizeof(mountpoint), "/dev/fd/%d", fd);
	return fuse_session_mount(f->fuse, mountpoint) < 0 ? -EIO : 0;
}

static int begin_session(struct worker *w, struct error *e)
{
	int fd, r = receive_mount(&w->session, &fd);

	if (r == 0)
		r = session_begin(w, fd);
	if (r < 0)
		return error_set(e, r, "the mount cannot be served: %s", strerror(-r));
	r = notifiers_start(&w->session);
	return r < 0 ? error_set(e, r, "no thread can be started: %s", strerror(-r)) : 0;
}

/* Remove the file that --new made, unless the mount was served: then it may hold a change. */
static void discard_new(struct worker *w)
{
	if (w->vol && w->rq->create && !w->served)
		volume_discard(TAKE(w->vol));
}

static int serve(struct worker *w, int signal_fd)
{
	struct session *f = &w->session;
	struct error e = ERROR_INIT;
	int r = begin_session(w, &e);

	/* The launcher that hears of it may kill this process. */
	if (r < 0) {
		discard_new(w);
		return refuse(w, OUTCOME_MOUNT, r, &e);
	}
	w->served = true;
	session_run(f, signal_fd);
	notifiers_stop(f);
	return session_end(f);
}

/* Spans come and go by the megabyte: what the budget drops is to go back to the system at once, and
 * not to stay in an arena of the thread that happened to inflate it. */
static void bound_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
}

/* A map, and what is to be said of it with SOUND: "", or why it is read-only. */
static int begin_map(struct worker *w, const char **ret_why, struct error *e)
{
	struct session *f = &w->session;
	struct volume *vol = NULL;
	int r = open_map(w, &vol, e);

	if (r < 0)
		return r;
	f->pool = pool_create(WORKER_THREADS);
	if (!f->pool) {
		r = error_errno(e, "no thread can be started");
		if (w->rq->create)
			volume_discard(vol);
		volume_destroy(vol);
		return r;
	}
	r = vfs_create(vol, f->pool, &f->host, &f->tree.map, e);
	if (r < 0)
		return r;
	w->vol = vol;
	if (w->rq->create)
		r = vfs_create_map(f->tree.map, e);
	if (r == 0 && vol->access == VOLUME_READ_ONLY && !w->rq->how.read_only)
		*ret_why = vol->unsound.code ? error_text(&vol->unsound)
			   : vol->format->edit
				   ? "the map or its directory cannot be written: mounted "
				     "read-only"
				   : "files of its kind can only be read: mounted read-only";
	return r;
}

/* A folder: its maps are opened when somebody looks into them, from within the sandbox. */
static int begin_folder(struct worker *w, struct error *e)
{
	const struct mount_request *rq = w->rq;
	CLEANUP(close_fd) int dirfd = open(rq->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_rule rules[VOLUME_RULES_MAX];
	size_t n;
	int r;

	if (dirfd < 0)
		return error_errno(e, "cannot be opened");
	w->options = rq->how;
	w->options.budget = budget_create(rq->how.cache);
	if (!w->options.budget)
		return error_set(e, -ENOMEM, "out of memory");
	r = volume_names_file(rq->how.options, &w->options.names_file, e);
	if (r == 0)
		r = volume_images(rq->how.options, &w->options.images, e);
	rules[0] = (struct sandbox_rule){dirfd, rq->how.read_only ? 0 : SANDBOX_WRITABLE};
	n = 1 + images_rules(w->options.images, rules + 1);
	if (r == 0)
		r = sandbox_enter(rules, n, SANDBOX_RIGHTS, note_debug, w, e);
	if (r < 0)
		return r;
	w->session.pool = pool_create(WORKER_THREADS);
	if (!w->session.pool)
		return error_errno(e, "no thread can be started");
	return folder_create(take_fd(&dirfd), rq->path, &w->options, w->session.pool,
		&w->session.host, &w->session.tree.folder, e);
}

static void finish(struct worker *w)
{
	struct session *f = &w->session;

	/* Jobs that answer requests need the session; so the threads end first. */
	notifiers_stop(f);
	pool_destroy(f->pool);
	if (f->fuse)
		fuse_session_destroy(f->fuse);
	mounted_destroy(&f->tree);
	budget_destroy(w->options.budget);
	file_unref(w->options.names_file);
	images_unref(w->options.images);
	/* Who waits for our end finds the map unlocked. */
	control_socket_finish(&f->control);
	close(f->launcher_fd);
}

int worker_main(const struct mount_request *rq, int launcher_fd, int signal_fd)
{
	struct worker w = {.rq = rq,
		.session = {.host = {session_invalidate, session_forget_name, host_note,
				    session_progress},
			.launcher_fd = launcher_fd,
			.owner = pthread_self(),
			.lock = PTHREAD_MUTEX_INITIALIZER}};
	struct error e = ERROR_INIT;
	const char *why = "";
	int code, r;

	control_socket_init(&w.session.control);
	bound_memory();
	file_raise_limit();
	/* Whatever we were called as: it tells who holds a map's lock (vfs/volume/lock.c). */
	prctl(PR_SET_NAME, "mapfs");
	/* Beyond a limit of file sizes a write is to fail, not to kill. */
	signal(SIGXFSZ, SIG_IGN);
	r = rq->folder ? begin_folder(&w, &e) : begin_map(&w, &why, &e);
	if (r < 0)
		code = refuse(&w, outcome_of(r), r, &e);
	else if (control_tell(launcher_fd, CONTROL_SOUND, *why != '\0', why) < 0)
		code = OUTCOME_MOUNT;
	else
		code = serve(&w, signal_fd);
	discard_new(&w);
	finish(&w);
	close(signal_fd);
	return code;
}
