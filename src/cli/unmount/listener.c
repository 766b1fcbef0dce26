/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/output.h"
#include "base/say.h"
#include "base/threads/clock.h"

/* What a worker may make us remember. */
enum { LINES_MAX = 1 << 12 };
enum {
	TICK_MS = 250,
	PROGRESS_AFTER_MS = 1000, /* a save is shown once it has taken this long */
	PROGRESS_EACH_MS = 500,
	/* A worker that saves gives a sign of life each second. */
	SILENCE_FORCED_MS = 4000,
	/* Or gets no further, as where the disk hangs. */
	STANDSTILL_FORCED_MS = 20000,
	SILENCE_WARN_MS = 8000,
};

void listener_init(struct listener *l, const char *mountpoint, const struct ending *how)
{
	int64_t now = clock_ms();

	*l = (struct listener){.mountpoint = mountpoint,
		.how = how,
		.wanted = how->verbose || isatty(STDERR_FILENO),
		.start_ms = now,
		.heard_ms = now,
		.moved_ms = now};
}

static void clear_progress(struct listener *l)
{
	if (l->shown)
		fputs("\r\033[K", stderr);
	l->shown = false;
}

void listener_finish(struct listener *l)
{
	clear_progress(l);
	names_finish(&l->printed);
}

static void show_progress(struct listener *l)
{
	const struct control_msg *m = &l->last;
	int64_t now = clock_ms();

	if (!l->wanted || now - l->start_ms < PROGRESS_AFTER_MS ||
		now - l->shown_ms < PROGRESS_EACH_MS)
		return;
	fprintf(stderr, "\rmapfs: %s: %s%s%s, ", l->mountpoint, l->heard ? "saving" : "waiting",
		m->text[0] ? ", " : "", m->text);
	if (m->total)
		fprintf(stderr, "%3.0f %%, ",
			100.0 * (double)(m->done < m->total ? m->done : m->total) /
				(double)m->total);
	fprintf(stderr, "%" PRId64 " s\033[K", (now - l->start_ms) / 1000);
	l->shown_ms = now;
	l->shown = true;
}

/* One without a text is but a sign of life. */
static void take_progress(struct listener *l, struct control_msg *m)
{
	printable(m->text);
	if (m->text[0]) {
		if (m->done != l->last.done || m->total != l->last.total ||
			strcmp(m->text, l->last.text) != 0)
			l->moved_ms = l->heard_ms;
		l->last = *m;
	}
	show_progress(l);
}

static void print_line(struct listener *l, struct control_msg *m)
{
	printable(m->text);
	if (names_has(&l->printed, m->text))
		return;
	if (l->printed.n < LINES_MAX)
		(void)names_add(&l->printed, m->text);
	clear_progress(l);
	if (l->how->several)
		output_report("%s: %s", l->mountpoint, m->text);
	else
		output_report("%s", m->text);
}

static bool out_of_patience(struct listener *l)
{
	int64_t now = clock_ms();

	if (!l->how->force && !l->warned && now - l->heard_ms > SILENCE_WARN_MS) {
		l->warned = true;
		listener_say(l, "the process that keeps the mount does not answer; mapfs -u "
				"--force unmounts all the same");
	}
	return l->how->force &&
	       (now - l->heard_ms > SILENCE_FORCED_MS || now - l->moved_ms > STANDSTILL_FORCED_MS);
}

/* 1: something can be read. */
static int wait_for_message(struct listener *l, int sock)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};
	int n = 0;

	while (n == 0 || (n < 0 && errno == EINTR)) {
		if (out_of_patience(l))
			return -ETIMEDOUT;
		n = poll(&p, 1, TICK_MS);
		show_progress(l);
	}
	return n < 0 ? -errno : 1;
}

int listener_next(struct listener *l, int sock, struct control_msg *ret)
{
	int r;

	while ((r = wait_for_message(l, sock)) == 1 && (r = control_recv(sock, ret)) == 1) {
		l->heard = true;
		l->heard_ms = clock_ms();
		if (ret->type == CONTROL_PROGRESS) {
			take_progress(l, ret);
		} else if (ret->type == CONTROL_REPORT) {
			print_line(l, ret);
		} else {
			break;
		}
	}
	clear_progress(l);
	return r;
}

void listener_say(struct listener *l, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	clear_progress(l);
	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	if (line)
		say(stderr, "mapfs: %s: %s", l->mountpoint, line);
	va_end(ap);
}
