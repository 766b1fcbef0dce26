/* SPDX-License-Identifier: Zlib */
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
/* Time for which a mount waits for a running save, and after which it reports that. */
enum { SAVE_WAIT_MS = 10000, SAVE_NOTE_MS = 1000, SAVE_POLL_MS = 20 };

struct worker {
	struct session session; /* first */
	const struct mount_request *request;
	struct vfs_options options; /* for the maps of a folder */
	struct volume *vol;         /* of a single map; owned by session.tree */
	bool was_served;            /* programs may have written files */
};

static void send_note(void *arg, const char *line)
{
	struct worker *w = arg;

	/* Dropped if the launcher does not read. */
	(void)control_send_text(w->session.launcher_fd, CONTROL_NOTE, 0, line);
}

/* Missing features of the kernel are reported with -d only. */
static void send_debug_note(void *arg, const char *line)
{
	const struct worker *w = arg;

	if (w->request->debug)
		send_note(arg, line);
}

static void send_host_note(struct vfs_host *h, const char *line)
{
	send_note(h, line);
}

static bool mount_shows(const struct mount_entry *entry, const char *map)
{
	size_t n = strlen(entry->source);

	return strncmp(entry->source, map, n) == 0 && (!map[n] || map[n] == '/');
}

/* Find where a map, or a folder that it is in, is mounted for writing. Returns NULL if nowhere; the
 * caller frees the path. Call it outside the sandbox. */
static char *find_mount_point(const char *map)
{
	FILE *table = fopen(MOUNTINFO, "re");
	struct mount_entry entry;
	char *point = NULL;

	while (table && !point && mountinfo_next(table, &entry))
		if (entry.is_mapfs && !entry.is_read_only && mount_shows(&entry, map))
			point = strdup(entry.point);
	if (table)
		fclose(table);
	return point;
}

/* Is the error a full disk or a limit of this process, and no property of the map? */
static bool is_shortage(int r)
{
	return io_is_full(r) || r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EAGAIN;
}

static enum outcome outcome_of_error(int r)
{
	return r == VOLUME_LOCKED ? OUTCOME_BUSY : is_shortage(r) ? OUTCOME_MOUNT : OUTCOME_REFUSED;
}

static int report_failure(struct worker *w, enum outcome code, int r, const struct error *e)
{
	const char *text = e->code ? error_text(e) : strerror(-r);
	CLEANUP(free) char *point = r == VOLUME_LOCKED ? find_mount_point(w->request->path) : NULL;
	char line[CONTROL_TEXT_MAX];

	snprintf(line, sizeof(line), "%s%s%s", text, point ? ", mounted on " : "",
		point ? point : "");
	(void)control_send_text(w->session.launcher_fd, CONTROL_FAILED, (int)code, line);
	return (int)code;
}

/* Report metadata that a save does not keep. Call it outside the sandbox, which hides them. */
static void note_lost_metadata(struct worker *w)
{
	CLEANUP(close_fd)
	int fd = open(w->request->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CLEANUP(free) char *names = NULL;
	char line[CONTROL_TEXT_MAX];

	if (fd < 0 || metadata_list_not_kept(fd, &names, NULL) < 0 || !names)
		return;
	snprintf(line, sizeof(line), "a save does not keep these attributes: %s", names);
	send_note(w, line);
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
		return error_errno(e, "cannot open its directory");
	return rq->create ? volume_create(dirfd, name, rq->format, &rq->vfs_options, ret, e)
			  : volume_open(dirfd, name, &rq->vfs_options, ret, e);
}

/* Open the volume. A map that is locked and not mounted is being saved, after fusermount3 -u or by
 * a command: wait until the save ends. */
static int open_after_save(struct worker *w, struct volume **ret, struct error *e)
{
	int64_t start = clock_ms(), waited = 0;
	bool reported = false;
	int r;

	while ((r = open_volume(w->request, ret, e)) == VOLUME_LOCKED && waited < SAVE_WAIT_MS) {
		CLEANUP(free) char *point = find_mount_point(w->request->path);

		if (point)
			break;
		if (!reported && waited >= SAVE_NOTE_MS) {
			send_note(w, "the map is being saved; the mount starts after the save");
			reported = true;
		}
		usleep(SAVE_POLL_MS * 1000);
		waited = clock_ms() - start;
	}
	return r;
}

static int open_map(struct worker *w, struct volume **ret, struct error *e)
{
	const struct mount_request *rq = w->request;
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	struct sandbox_rule rules[VOLUME_RULES_MAX];
	int r = open_after_save(w, &vol, e);

	if (r == 0 && !rq->create && vol->access != VOLUME_READ_ONLY)
		note_lost_metadata(w);
	if (r == 0)
		r = sandbox_enter(rules, volume_rules(vol, rules),
			volume_is_own(vol) ? 0 : SANDBOX_KEEP_OWNERS, send_debug_note, w, e);
	if (r == 0)
		r = volume_load(vol, send_note, w, e);
	if (r < 0 && vol && rq->create)
		volume_discard(vol);
	if (r == 0)
		*ret = TAKE(vol);
	return r;
}

/* Wait for the descriptors of the mount and of the control socket. */
static int receive_mount(struct session *s, int *ret_fd)
{
	struct control_msg m;
	int fds[CONTROL_FDS];
	int r = control_recv_fds(s->launcher_fd, &m, fds);

	if (r <= 0)
		return r < 0 ? r : -EPIPE;
	*ret_fd = fds[0];
	s->owns_mountpoint = m.code;
	return control_socket_adopt(&s->control, fds[1]);
}

/* Print a line of the trace of -d. If standard error has no room, the line is dropped: a reader
 * that stopped must not stop the mount. */
PRINTF_LIKE(2, 0) static void log_fuse(enum fuse_log_level, const char *fmt, va_list ap)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&p, 1, 0) == 1)
		vfprintf(stderr, fmt, ap);
}

static int create_fuse_session(struct worker *w, int fd)
{
	struct session *s = &w->session;
	char debug[] = "-d", name[] = "mapfs", mountpoint[32];
	char *argv[] = {name, debug, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(w->request->debug ? 2 : 1, argv);

	fuse_set_log_func(log_fuse);
	s->fuse = fuse_session_new(&args, &session_ops, sizeof(session_ops), s);
	fuse_opt_free_args(&args);
	if (!s->fuse) {
		close(fd);
		return -ENOMEM;
	}
	snprintf(mountpoint, sizeof(mountpoint), "/dev/fd/%d", fd);
	return fuse_session_mount(s->fuse, mountpoint) < 0 ? -EIO : 0;
}

static int start_session(struct worker *w, struct error *e)
{
	int fd, r = receive_mount(&w->session, &fd);

	if (r == 0)
		r = create_fuse_session(w, fd);
	if (r < 0)
		return error_set(e, r, "cannot serve the mount: %s", strerror(-r));
	r = notifiers_start(&w->session);
	return r < 0 ? error_set(e, r, "cannot start a thread: %s", strerror(-r)) : 0;
}

/* Remove the file that --new made, unless the mount was served: then it may hold a change. */
static void discard_new_file(struct worker *w)
{
	if (w->vol && w->request->create && !w->was_served)
		volume_discard(TAKE(w->vol));
}

static int serve_session(struct worker *w, int signal_fd)
{
	struct session *s = &w->session;
	struct error e = ERROR_INIT;
	int r = start_session(w, &e);

	/* First discard: on a FAILED message the launcher may kill this process. */
	if (r < 0) {
		discard_new_file(w);
		return report_failure(w, OUTCOME_MOUNT, r, &e);
	}
	w->was_served = true;
	session_run(s, signal_fd);
	notifiers_stop(s);
	return session_end(s);
}

/* Return memory to the system at once when the budget drops decoded blobs, which are megabytes
 * large. By default it would stay in the arena of the thread that decoded them. */
static void limit_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
}

/* Load a map. *ret_why is set to the reason if it is read-only without a request. */
static int start_map(struct worker *w, const char **ret_why, struct error *e)
{
	struct session *s = &w->session;
	struct volume *vol = NULL;
	int r = open_map(w, &vol, e);

	if (r < 0)
		return r;
	s->pool = pool_create(WORKER_THREADS);
	r = s->pool ? vfs_create(vol, s->pool, &s->host, &s->tree.map, e)
		    : error_errno(e, "cannot start a thread");
	if (r < 0) {
		if (w->request->create)
			volume_discard(vol);
		volume_destroy(vol);
		return r;
	}
	w->vol = vol;
	if (w->request->create)
		r = vfs_create_map(s->tree.map, e);
	if (r == 0 && vol->access == VOLUME_READ_ONLY && !w->request->vfs_options.read_only)
		*ret_why = vol->unsound.code ? error_text(&vol->unsound)
			   : vol->format->edit
				   ? "the map or its directory is not writable: mounted read-only"
				   : "maps of this format cannot be changed: mounted read-only";
	return r;
}

/* Open a folder. Its maps are opened on the first access to them, inside the sandbox. */
static int start_folder(struct worker *w, struct error *e)
{
	const struct mount_request *rq = w->request;
	CLEANUP(close_fd) int dirfd = open(rq->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_rule rules[VOLUME_RULES_MAX];
	size_t n;
	int r;

	if (dirfd < 0)
		return error_errno(e, "cannot open");
	w->options = rq->vfs_options;
	w->options.budget = budget_create(rq->vfs_options.cache);
	if (!w->options.budget)
		return error_set(e, -ENOMEM, "out of memory");
	r = volume_names_file(rq->vfs_options.options, &w->options.names_file, e);
	if (r == 0)
		r = volume_images(rq->vfs_options.options, &w->options.images, e);
	rules[0] = (struct sandbox_rule){dirfd, rq->vfs_options.read_only ? 0 : SANDBOX_WRITABLE};
	n = 1 + images_rules(w->options.images, rules + 1);
	if (r == 0)
		r = sandbox_enter(rules, n, SANDBOX_KEEP_OWNERS, send_debug_note, w, e);
	if (r < 0)
		return r;
	w->session.pool = pool_create(WORKER_THREADS);
	if (!w->session.pool)
		return error_errno(e, "cannot start a thread");
	return folder_create(take_fd(&dirfd), rq->path, &w->options, w->session.pool,
		&w->session.host, &w->session.tree.folder, e);
}

static void finish_worker(struct worker *w)
{
	struct session *s = &w->session;

	/* End the threads first: jobs that answer requests need the session. */
	notifiers_stop(s);
	pool_destroy(s->pool);
	if (s->fuse)
		fuse_session_destroy(s->fuse);
	mounted_destroy(&s->tree);
	budget_destroy(w->options.budget);
	file_unref(w->options.names_file);
	images_unref(w->options.images);
	/* Close these last: a peer that waits for that must find the map unlocked. */
	control_socket_finish(&s->control);
	close(s->launcher_fd);
}

int worker_main(const struct mount_request *rq, int launcher_fd, int signal_fd)
{
	struct worker w = {.request = rq,
		.session = {.host = {session_invalidate, session_forget_name, send_host_note,
				    session_progress},
			.launcher_fd = launcher_fd,
			.owner = pthread_self(),
			.lock = PTHREAD_MUTEX_INITIALIZER}};
	struct error e = ERROR_INIT;
	const char *why = "";
	int code, r;

	control_socket_init(&w.session.control);
	limit_memory();
	file_raise_limit();
	/* The name identifies the holder of a map's lock (vfs/volume/lock.c). */
	prctl(PR_SET_NAME, "mapfs");
	/* A write beyond the file size limit must fail with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	r = rq->is_folder ? start_folder(&w, &e) : start_map(&w, &why, &e);
	if (r < 0)
		code = report_failure(&w, outcome_of_error(r), r, &e);
	else if (control_send_text(launcher_fd, CONTROL_LOADED, *why != '\0', why) < 0)
		code = OUTCOME_MOUNT;
	else
		code = serve_session(&w, signal_fd);
	discard_new_file(&w);
	finish_worker(&w);
	close(signal_fd);
	return code;
}
