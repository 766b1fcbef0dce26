/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_state.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/filter.h"
#include "base/say.h"
#include "fuse/keeper_end.h"
#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"
#include "fuse/keeper_point.h"
#include "fuse/keeper_watch.h"

void keeper_init(struct keeper *k, const struct mount_request *rq, int invoker)
{
	*k = (struct keeper){.rq = rq,
		.invoker = invoker,
		.control = -1,
		.worker = -1,
		.runner = RUNNER_INIT(rq)};
	k->watch = watch_open();
	door_init(&k->door);
}

void keeper_finish(struct keeper *k)
{
	door_finish(&k->door);
	keeper_close_control(k);
	runner_finish(&k->runner);
	lines_clear(&k->reported);
	free(k->point);
	free(k->made_point);
	free(k->note);
	if (k->watch >= 0)
		close(k->watch);
	if (k->invoker >= 0)
		close(k->invoker);
}

static void start_save(struct keeper *k)
{
	k->state = KEEPER_SAVING;
	k->has_saved = false;
	lines_clear(&k->reported);
	control_tell(k->control, CONTROL_SAVE,
		(k->wish == WISH_ASKED ? CONTROL_MAY_STAY : 0) | (k->discard ? CONTROL_DISCARD : 0),
		NULL);
}

static void saved(struct keeper *k, enum outcome code)
{
	k->has_saved = true;
	if (k->state != KEEPER_SAVING)
		return; /* the session's own last one: the exit status tells it again */
	k->saved = code;
	if (code == OUTCOME_SAVE_FAILED && k->wish == WISH_ASKED)
		keeper_refuse_end(k, code,
			"not everything could be saved; still mounted (mapfs -u --discard throws "
			"away what is not)");
	else
		keeper_start_unmount(k);
}

bool keeper_open_doors(struct keeper *k)
{
	struct control_msg m = {.type = CONTROL_DOOR, .code = k->made_point != NULL};

	if (k->door.listener < 0 && door_open(&k->door, k->dev) < 0)
		return false;
	if (k->back_door)
		return true;
	m.fd = door_open_back(k->dev);
	if (m.fd < 0)
		return false;
	k->back_door = true;
	control_send(k->control, &m);
	close(m.fd);
	return true;
}

/* From here on the runner does what takes rights. Root's keeper still looks for journals in other
 * users' directories, and removes the mount point that it made there. */
static void drop_rights(struct keeper *k)
{
	struct error e = ERROR_INIT;
	int r = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		r = error_errno(&e, "cannot give up new privileges");
	if (r == 0)
		r = capability_keep(CAPABILITY(CAP_DAC_OVERRIDE), NULL, &e);
	if (r == 0)
		r = filter_enter_keeper(k->worker, &e);
	/* That there is none here, the worker has told. */
	if (r < 0 && r != -ENOSYS)
		keeper_say(k, LOG_WARNING, "%s", error_text(&e));
}

static void usable(struct keeper *k)
{
	k->state = KEEPER_SERVING;
	/* Unmounted already, what was probed and is watched was another directory; the worker saves
	 * what was written in that time, and ends. */
	k->mounted = keeper_still_mounted(k);
	k->watched = k->mounted && k->watch >= 0;
	if (k->covers)
		keeper_say(k, LOG_NOTICE,
			"the mount point %s is not empty: what is in it is covered", k->point);
	if (k->note)
		keeper_say(k, LOG_NOTICE, "%s", k->note);
	/* Before the invoker returns, so that a `mapfs -u` right after finds them. Else the loop
	 * tries again. */
	if (k->mounted)
		keeper_open_doors(k);
	keeper_tell_invoker(k, OUTCOME_DONE, "");
	if (k->wish)
		start_save(k);
}

static int mount_and_send(struct keeper *k, struct error *e)
{
	struct control_msg m = {.type = CONTROL_MOUNTED, .fd = -1};
	struct mount_entry entry;
	bool made;
	int r;

	r = point_take(k->rq, &k->point, &made, e);
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
	runner_mounted(&k->runner, k->dev);
	if (r == 0)
		r = runner_send(&k->runner, ERRAND_PROBE, k->point, e);
	k->noted = r == 0 && geteuid() == 0;
	/* Now that others have something to do. */
	drop_rights(k);
	return r;
}

static void sound(struct keeper *k, const struct control_msg *m)
{
	struct error e = ERROR_INIT;

	k->read_only = k->rq->how.read_only || m->code;
	if (m->code)
		k->note = strdup(m->text[0] ? m->text : "mounted read-only");
	if (mount_and_send(k, &e) < 0)
		keeper_fail(k, OUTCOME_MOUNT, error_text(&e));
	else
		k->state = KEEPER_PROBING;
}

static void report(struct keeper *k, const struct control_msg *m)
{
	if (lines_has(&k->reported, m->text))
		return;
	lines_add(&k->reported, m->text);
	keeper_say(k, LOG_NOTICE, "%s", m->text);
	door_tell(&k->door, m);
}

static void message_early(struct keeper *k, const struct control_msg *m)
{
	if (m->type == CONTROL_FAILED)
		keeper_set_result(k,
			m->code == OUTCOME_BUSY || m->code == OUTCOME_MOUNT ? (enum outcome)m->code
									    : OUTCOME_REFUSED,
			m->text);
	else if (m->type == CONTROL_SOUND && k->state == KEEPER_OPENING)
		sound(k, m);
}

static void message_late(struct keeper *k, const struct control_msg *m)
{
	switch (m->type) {
	case CONTROL_PROGRESS:
		door_tell(&k->door, m);
		break;
	case CONTROL_REPORT:
		report(k, m);
		break;
	case CONTROL_SAVED:
		saved(k, control_outcome(m->code));
		break;
	default:
		break;
	}
}

void keeper_message(struct keeper *k, struct control_msg *m)
{
	printable(m->text);
	if (m->type == CONTROL_NOTE)
		keeper_say(k, LOG_NOTICE, "%s", m->text);
	else if (m->type == CONTROL_STOPPING)
		keeper_wants_end(k, WISH_SIGNAL, false, NULL);
	else if (k->state < KEEPER_SERVING)
		message_early(k, m);
	else
		message_late(k, m);
}

void keeper_wants_end(struct keeper *k, enum keeper_wish wish, bool discard, const char *where)
{
	bool other = where && strcmp(where, k->point) != 0;
	char *point = other && keeper_mounted_at(k, where) ? strdup(where) : NULL;

	if (point)
		keeper_set_point(k, point);
	if (wish > k->wish)
		k->wish = wish;
	if (k->state == KEEPER_OPENING) {
		keeper_fail(k, OUTCOME_MOUNT, "interrupted");
	} else if (k->state == KEEPER_SERVING) {
		k->discard = discard;
		start_save(k);
	}
}

static void probe_ended(struct keeper *k, int status)
{
	char line[200];

	if (status == 0) {
		usable(k);
		return;
	}
	snprintf(line, sizeof(line), "the mount does not answer: %s", strerror(status));
	keeper_fail(k, OUTCOME_MOUNT, line);
}

void keeper_errand_ended(struct keeper *k, enum errand_kind kind, int status, const char *text)
{
	/* The note goes with the mount. */
	if (kind == ERRAND_UNMOUNT || kind == ERRAND_UNMOUNT_LAZILY)
		k->noted &= status != 0;
	if (k->state == KEEPER_CLEANING) {
		/* One attempt at each place. */
		k->mounted &= kind != ERRAND_UNMOUNT_LAZILY || status == 0;
		keeper_clean(k);
	} else if (kind == ERRAND_PROBE) {
		probe_ended(k, status);
	} else {
		keeper_unmount_ended(k, kind == ERRAND_UNMOUNT_LAZILY, status, text);
	}
}

bool keeper_is_meant(struct keeper *k, const char *where)
{
	bool there = keeper_mounted_at(k, where);

	return !k->gone && (there || strcmp(where, k->point) == 0);
}

void keeper_mounts_changed(struct keeper *k)
{
	/* Unmounted from outside: the device number may soon be another mount's. */
	if (k->state >= KEEPER_SERVING && k->mounted && !keeper_still_mounted(k)) {
		k->mounted = false;
		door_shut(&k->door);
	}
}
