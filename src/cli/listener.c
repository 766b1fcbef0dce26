/* SPDX-License-Identifier: Zlib */
#include "cli/listener.h"

#include <stdio.h>
#include <unistd.h>

#include "base/say.h"

/* Saving is shown once it has taken this long. */
enum { PROGRESS_AFTER_MS = 1000 };

void listener_init(struct listener *l, const char *mountpoint, bool verbose)
{
	*l = (struct listener){
		.mountpoint = mountpoint, .wanted = verbose || isatty(STDERR_FILENO)};
	clock_gettime(CLOCK_MONOTONIC, &l->start);
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
	lines_clear(&l->printed);
}

static void show_progress(struct listener *l, uint64_t done, uint64_t total)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(now.tv_sec - l->start.tv_sec) * 1000 +
	     (now.tv_nsec - l->start.tv_nsec) / 1000000;
	if (!l->wanted || ms < PROGRESS_AFTER_MS || !total)
		return;
	fprintf(stderr, "\rmapfs: %s: saving, %3.0f %%", l->mountpoint,
		100.0 * (double)(done < total ? done : total) / (double)total);
	l->shown = true;
}

static void print_line(struct listener *l, struct control_msg *m)
{
	printable(m->text);
	if (lines_has(&l->printed, m->text))
		return;
	lines_add(&l->printed, m->text);
	clear_progress(l);
	puts(m->text);
	fflush(stdout);
}

int listener_next(struct listener *l, int sock, struct control_msg *ret)
{
	int r;

	while ((r = control_recv(sock, ret)) == 1) {
		l->heard = true;
		if (ret->fd >= 0)
			close(ret->fd);
		if (ret->type == CONTROL_PROGRESS)
			show_progress(l, ret->done, ret->total);
		else if (ret->type == CONTROL_REPORT)
			print_line(l, ret);
		else
			break;
	}
	clear_progress(l);
	return r;
}

void listener_say(const struct listener *l, const char *text)
{
	say(stderr, "mapfs: %s: %s", l->mountpoint, text);
}
