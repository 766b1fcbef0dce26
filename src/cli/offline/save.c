/* SPDX-License-Identifier: Zlib */
/* A save that a command asks for: what is looked at before, and what is told after. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/offline/change.h"
#include "vfs/save/status.h"

struct look {
	const struct change_save *how;
	struct buffer refused; /* lines */
	size_t left;
	bool changed, done;
};

static bool is(const char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 && line[n] == ' ';
}

static void look_at(struct look *l, const char *line)
{
	bool left = is(line, "left"), bad = is(line, "draft") || is(line, "kept");

	l->changed |= !left && !bad;
	l->left += left;
	if (bad || left)
		buffer_printf(&l->refused, "%s\n", line);
}

static void found(void *arg, struct buffer *text)
{
	struct look *l = arg;
	char *line, *rest;

	buffer_byte(text, '\0');
	rest = text->error ? NULL : (char *)text->data;
	while ((line = strsep(&rest, "\n")))
		if (line[0])
			look_at(l, line);
	buffer_finish_free(text);
	l->done = true;
}

/* What would not be in the map. false: that is refused. */
static bool look(struct offline *t, const struct change_save *how, struct look *l)
{
	char *line, *rest;
	bool fine;

	*l = (struct look){.how = how};
	if (status_find(t->v, found, l) < 0) {
		offline_say(t, "out of memory");
		return false;
	}
	offline_serve_until(t, &l->done);
	buffer_byte(&l->refused, '\0');
	rest = l->refused.error ? NULL : (char *)l->refused.data;
	fine = rest != NULL && (!rest[0] || (how->left && l->left));
	while ((line = strsep(&rest, "\n"))) {
		if (is(line, "kept"))
			offline_say(t, "%s: cannot leave the map", line + 5);
		else if (line[0])
			offline_say(t, "%s", line);
		fine &= !line[0] || is(line, "left");
	}
	if (fine && how->changed && !l->changed) {
		offline_say(t, "that means nothing in a map");
		fine = false;
	}
	buffer_finish_free(&l->refused);
	return fine;
}

struct saved {
	struct report report;
	bool done;
};

static void saved(void *arg, struct report *report)
{
	struct saved *s = arg;

	s->report = *report;
	s->done = true;
}

static void print(const struct offline *t, const struct report *r, bool verbose)
{
	for (size_t i = 0; i < r->n; i++) {
		bool plain = strncmp(r->lines[i], "saved: ", 7) == 0 ||
			     strncmp(r->lines[i], "removed: ", 9) == 0;

		if (!plain)
			offline_say(t, "%s", r->lines[i]);
		else if (verbose)
			say(stdout, "%s", r->lines[i]);
	}
}

enum outcome change_save(struct offline *t, const struct change_save *how)
{
	struct saved s = {.report = REPORT_INIT};
	sigset_t ends, before;
	enum outcome code;
	struct look l;

	if (!look(t, how, &l))
		return OUTCOME_SAVE_FAILED;
	/* Whoever is impatient waits for the end, so that no file without a use stays. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	vfs_save(t->v, saved, &s);
	offline_serve_until(t, &s.done);
	print(t, &s.report, how->verbose);
	code = s.report.code;
	report_finish(&s.report);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return l.left ? outcome_worse(code, OUTCOME_LEFT) : code;
}
