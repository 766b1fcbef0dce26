/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"

void keeper_init(struct keeper *k, const struct mount_request *rq, int invoker)
{
	*k = (struct keeper){
		.rq = rq, .invoker = invoker, .control = -1, .worker = -1, .errand = ERRAND_INIT};
	door_init(&k->door);
}

static void close_control(struct keeper *k)
{
	if (k->control >= 0)
		close(k->control);
	k->control = -1;
}

void keeper_finish(struct keeper *k)
{
	door_finish(&k->door);
	close_control(k);
	lines_clear(&k->flush);
	lines_clear(&k->reported);
	free(k->point);
	free(k->made_point);
	if (k->invoker >= 0)
		close(k->invoker);
}

static void tell_invoker(struct keeper *k, enum outcome code, const char *text)
{
	if (k->invoker < 0)
		return;
	/* Nobody would ever unmount what nobody was told of. */
	if (control_tell(k->invoker, CONTROL_DONE, (int)code, text) < 0)
		k->wish = WISH_SIGNAL;
	close(k->invoker);
	k->invoker = -1;
}

static void tell_clients(struct keeper *k, enum outcome code, const char *text)
{
	struct control_msg m = {.type = CONTROL_DONE, .code = (int)code, .fd = -1};

	snprintf(m.text, sizeof(m.text), "%s", text);
	door_tell(&k->door, &m);
}

static bool mounted_at(const struct keeper *k, const char *point)
{
	struct mount_entry entry;

	return mountinfo_find(MOUNTINFO, point, &entry) == 0 && strcmp(entry.dev, k->dev) == 0;
}

static void set_point(struct keeper *k, char *point)
{
	free(k->point);
	k->point = point;
}

/* Whether the mount is in the tree; it may have been moved, or bound to a second place. */
static bool still_mounted(struct keeper *k)
{
	char *elsewhere;

	if (!k->mounted || mounted_at(k, k->point))
		return k->mounted;
	if (mountinfo_find_device(MOUNTINFO, k->dev, &elsewhere) < 0)
		return false;
	set_point(k, elsewhere);
	return true;
}

static void over(struct keeper *k)
{
	k->state = KEEPER_OVER;
	if (k->made_point && rmdir(k->made_point) < 0 && errno != ENOENT)
		keeper_say(k, LOG_WARNING, "cannot remove the mount point %s: %s", k->made_point,
			strerror(errno));
	tell_invoker(k, k->result, k->why);
	tell_clients(k, k->result, k->why);
}

static void unmount_lazily_run(const void *point)
{
	keeper_unmount_and_exit(point, true);
}

static void unmount_run(const void *point)
{
	keeper_unmount_and_exit(point, false);
}

static void clean(struct keeper *k)
{
	struct error e = ERROR_INIT;

	k->state = KEEPER_CLEANING;
	if (k->errand.pid)
		return; /* its end brings us back */
	if (!still_mounted(k)) {
		over(k);
		return;
	}
	if (errand_start(&k->errand, unmount_lazily_run, k->point, &e) < 0)
		over(k);
}

static void set_result(struct keeper *k, enum outcome code, const char *text)
{
	if (k->result)
		return;
	k->result = code;
	snprintf(k->why, sizeof(k->why), "%s", text);
	if (k->invoker < 0)
		keeper_say(k, LOG_ERR, "%s", text);
}

/* The mount does not come to be. Nothing was written that the worker could save. */
static void fail(struct keeper *k, enum outcome code, const char *text)
{
	set_result(k, code, text);
	close_control(k);
	if (k->worker > 0)
		kill(k->worker, SIGKILL);
	else
		clean(k);
}

static void start_save(struct keeper *k)
{
	k->state = KEEPER_SAVING;
	k->has_saved = false;
	lines_clear(&k->reported);
	control_tell(k->control, CONTROL_SAVE, 0, NULL);
}

static void start_ending(struct keeper *k)
{
	k->state = KEEPER_ENDING;
	door_shut(&k->door);
	if (k->wish >= WISH_FORCED)
		control_tell(k->control, CONTROL_QUIT, 0, NULL);
}

static void refuse_end(struct keeper *k, enum outcome code, const char *text)
{
	k->state = KEEPER_SERVING;
	k->wish = WISH_NONE;
	tell_clients(k, code, text);
}

static void start_unmount(struct keeper *k)
{
	bool lazy = k->wish >= WISH_FORCED;
	struct error e = ERROR_INIT;

	k->state = KEEPER_UNMOUNTING;
	if (k->errand.pid)
		return; /* its end brings us back */
	if (!still_mounted(k)) {
		k->mounted = false;
		start_ending(k);
	} else if (errand_start(&k->errand, lazy ? unmount_lazily_run : unmount_run, k->point, &e) <
		   0) {
		refuse_end(k, OUTCOME_MOUNT, e.text);
	}
}

static void unmount_ended(struct keeper *k, bool lazy, int status, const char *text)
{
	char line[1000];

	if (!still_mounted(k)) {
		k->mounted = false;
		start_ending(k);
		return;
	}
	if (status == 0 && k->wish < WISH_SIGNAL) {
		snprintf(line, sizeof(line), "unmounted, and still mounted on %s", k->point);
		refuse_end(k, k->saved, line);
		return;
	}
	if (status == 0) {
		start_unmount(k);
		return;
	}
	if (!lazy && k->wish >= WISH_FORCED) {
		start_unmount(k);
		return;
	}
	if (!text[0])
		text = strerror(status);
	snprintf(line, sizeof(line), "saved, but cannot unmount: %s", text);
	if (k->wish == WISH_SIGNAL) {
		keeper_say(k, LOG_ERR, "%s", line);
		start_ending(k);
		return;
	}
	/* umount(8) and fusermount3 end with a status and words, umount(2) with an errno. */
	refuse_end(k, status == EBUSY || strstr(text, "busy") ? OUTCOME_BUSY : OUTCOME_MOUNT, line);
}

static void saved(struct keeper *k, enum outcome code)
{
	k->has_saved = true;
	if (k->state != KEEPER_SAVING)
		return; /* the session's own last one: the exit status tells it again */
	k->saved = code;
	if (code == OUTCOME_SAVE_FAILED && k->wish == WISH_ASKED)
		refuse_end(k, code, "the save failed; still mounted");
	else
		start_unmount(k);
}

static void flush_ended(struct keeper *k)
{
	lines_clear(&k->flush);
	control_tell(k->control, CONTROL_FLUSHED, 0, NULL);
}

static void start_flush(struct keeper *k)
{
	/* The child has its own copy of all this. */
	struct errand_flush f = {.point = k->point, .dev = k->dev, .paths = k->flush.at};
	struct error e = ERROR_INIT;

	if (!k->flush.n || !still_mounted(k) || k->errand.pid ||
		errand_start(&k->errand, errand_flush_run, &f, &e) < 0)
		flush_ended(k);
}

static void usable(struct keeper *k)
{
	k->state = KEEPER_SERVING;
	/* Open before the invoker returns, so that a `mapfs -u` right after finds it. If the name
	 * is taken, the loop tries again. */
	door_open(&k->door, k->dev);
	tell_invoker(k, OUTCOME_DONE, "");
	if (k->wish)
		start_save(k);
}

static int mount_and_send(struct keeper *k, struct error *e)
{
	struct control_msg m = {.type = CONTROL_MOUNTED, .fd = -1};
	struct mount_entry entry;
	bool made;
	int r;

	r = keeper_mountpoint(k->rq, &k->point, &made, e);
	if (r < 0)
		return r;
	if (made)
		k->made_point = strdup(k->point);
	r = keeper_mount(k->rq, k->point, k->read_only, &m.fd, e);
	if (r < 0)
		return r;
	k->mounted = true;
	r = mountinfo_find(MOUNTINFO, k->point, &entry);
	if (r == 0)
		memcpy(k->dev, entry.dev, sizeof(k->dev));
	else
		error_set(e, r, "the mount does not appear in %s", MOUNTINFO);
	if (r == 0)
		control_send(k->control, &m);
	/* With a copy of it here, a dead worker would leave its callers hanging. */
	close(m.fd);
	return r;
}

static void sound(struct keeper *k, const struct control_msg *m)
{
	struct error e = ERROR_INIT;

	k->read_only = k->rq->read_only || m->code;
	if (m->code)
		keeper_say(k, LOG_NOTICE, "mounted read-only%s%s", m->text[0] ? ": " : "", m->text);
	k->state = KEEPER_STARTING;
	if (mount_and_send(k, &e) < 0)
		fail(k, OUTCOME_MOUNT, error_text(&e));
}

static void report(struct keeper *k, const struct control_msg *m)
{
	if (lines_has(&k->reported, m->text))
		return;
	lines_add(&k->reported, m->text);
	keeper_say(k, LOG_NOTICE, "%s", m->text);
	door_tell(&k->door, m);
}

/* A code from the worker, which may say anything. */
static enum outcome of_save(int code)
{
	switch (code) {
	case OUTCOME_DONE:
	case OUTCOME_LEFT:
	case OUTCOME_CONFLICT:
		return (enum outcome)code;
	default:
		return OUTCOME_SAVE_FAILED;
	}
}

static void message_early(struct keeper *k, const struct control_msg *m)
{
	struct errand_probe probe = {.point = k->point, .source = k->rq->path};
	struct error e = ERROR_INIT;

	if (m->type == CONTROL_FAILED) {
		set_result(k, m->code == OUTCOME_BUSY ? OUTCOME_BUSY : OUTCOME_REFUSED, m->text);
	} else if (m->type == CONTROL_SOUND && k->state == KEEPER_OPENING) {
		sound(k, m);
	} else if (m->type == CONTROL_READY && k->state == KEEPER_STARTING) {
		k->state = KEEPER_PROBING;
		if (errand_start(&k->errand, errand_probe_run, &probe, &e) < 0)
			fail(k, OUTCOME_MOUNT, e.text);
	}
}

static void message_late(struct keeper *k, const struct control_msg *m)
{
	switch (m->type) {
	case CONTROL_FLUSH_PATH:
		lines_add(&k->flush, m->text);
		break;
	case CONTROL_FLUSH:
		start_flush(k);
		break;
	case CONTROL_PROGRESS:
		door_tell(&k->door, m);
		break;
	case CONTROL_REPORT:
		report(k, m);
		break;
	case CONTROL_SAVED:
		saved(k, of_save(m->code));
		break;
	default:
		break;
	}
}

void keeper_message(struct keeper *k, struct control_msg *m)
{
	/* What goes to a terminal or a log holds no control characters. */
	if (m->type != CONTROL_FLUSH_PATH) {
		for (char *c = m->text; *c; c++) {
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				*c = '?';
		}
	}
	if (m->type == CONTROL_NOTE)
		keeper_say(k, LOG_NOTICE, "%s", m->text);
	else if (m->type == CONTROL_STOPPING)
		keeper_wants_end(k, WISH_SIGNAL, NULL);
	else if (k->state < KEEPER_SERVING)
		message_early(k, m);
	else
		message_late(k, m);
}

void keeper_wants_end(struct keeper *k, enum keeper_wish wish, const char *where)
{
	char *point = where && mounted_at(k, where) ? strdup(where) : NULL;

	if (point)
		set_point(k, point);
	if (wish > k->wish)
		k->wish = wish;
	if (k->state == KEEPER_OPENING)
		fail(k, OUTCOME_MOUNT, "interrupted");
	else if (k->state == KEEPER_SERVING)
		start_save(k);
}

static void probe_ended(struct keeper *k, int status)
{
	char line[200];

	if (status == 0) {
		usable(k);
		return;
	}
	snprintf(line, sizeof(line), "the mount does not answer: %s", strerror(status));
	fail(k, OUTCOME_MOUNT, line);
}

void keeper_errand_ended(struct keeper *k, int wait_status)
{
	int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EIO;
	void (*run)(const void *) = k->errand.run;
	char text[400];

	errand_finish(&k->errand, text, sizeof(text));
	if (run == errand_flush_run)
		flush_ended(k);
	if (k->state == KEEPER_CLEANING) {
		/* One attempt at each place. */
		k->mounted &= run != unmount_lazily_run || status == 0;
		clean(k);
	} else if (run == errand_probe_run) {
		probe_ended(k, status);
	} else if (run != errand_flush_run) {
		unmount_ended(k, run == unmount_lazily_run, status, text);
	} else if (k->state == KEEPER_UNMOUNTING) {
		start_unmount(k);
	}
}

static void describe(int wait_status, const char *what, char *line, size_t room)
{
	bool killed = WIFSIGNALED(wait_status);

	snprintf(line, room, "the worker died (%s %d)%s", killed ? "signal" : "status",
		killed ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), what);
}

static void end_of_session(struct keeper *k, int wait_status)
{
	int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	enum outcome last = of_save(status);

	/* What failed and then succeeded is no failure any more; what was left stays left. */
	k->result = k->saved == OUTCOME_SAVE_FAILED ? last : outcome_worse(k->saved, last);
	if (!k->has_saved || (last == OUTCOME_SAVE_FAILED && status != OUTCOME_SAVE_FAILED)) {
		k->result = OUTCOME_SAVE_FAILED;
		describe(wait_status, "; the journal is kept", k->why, sizeof(k->why));
	} else if (k->result == OUTCOME_SAVE_FAILED) {
		snprintf(k->why, sizeof(k->why), "not saved; the old map and the journal are kept");
	}
	if (k->why[0])
		keeper_say(k, LOG_ERR, "%s", k->why);
}

void keeper_worker_ended(struct keeper *k, int wait_status)
{
	char line[200];

	k->worker = -1;
	close_control(k);
	if (k->state >= KEEPER_SERVING) {
		end_of_session(k, wait_status);
		clean(k);
	} else {
		describe(wait_status, " before the mount was usable", line, sizeof(line));
		fail(k, OUTCOME_MOUNT, line);
	}
}

void keeper_mounts_changed(struct keeper *k)
{
	/* Unmounted from outside: the device number may soon be another mount's. */
	if (k->state >= KEEPER_SERVING && k->mounted && !still_mounted(k)) {
		k->mounted = false;
		door_shut(&k->door);
	}
}
