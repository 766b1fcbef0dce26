/* SPDX-License-Identifier: Zlib */
/* A save that a command asks for: what is looked at before, and what is told after. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/offline/change.h"
#include "cli/offline/output.h"
#include "vfs/save/status.h"

struct look {
	struct buffer records;
	size_t left;
	bool changed, refused, kept, done;
};

static void found(void *arg, struct buffer *records)
{
	struct look *l = arg;

	l->records = *records;
	l->done = true;
}

/* By the file that it was copied from; false: it was not. */
static bool tell_origin(struct offline *t, const struct change_save *how, const char *path,
	const char *what, const char *why)
{
	CLEANUP(free) char *name = how->origin ? how->origin(how->origin_arg, t, path) : NULL;

	if (name)
		say(stderr, "mapfs: %s: %s%s", name, what, why);
	return name;
}

static void look_at(struct offline *t, const struct change_save *how, struct look *l,
	const struct status_entry *e)
{
	bool left = strcmp(e->word, "left") == 0;
	bool kept = strcmp(e->word, "kept") == 0;
	bool bad = kept || strcmp(e->word, "draft") == 0;
	const char *what = left && how->left ? "left out: " : "";

	l->changed |= !left && !bad;
	l->left += left;
	l->refused |= bad;
	l->kept |= kept;
	/* What cannot leave the map under a name that means nothing is one fault. */
	if (kept)
		offline_say(t, "%s: cannot leave the map", e->path);
	else if ((bad || (left && !l->kept)) && !tell_origin(t, how, e->path, what, e->why))
		offline_say(t, "%s: %s%s", e->path, what, e->why);
}

/* What would not be in the map. false: that is refused. */
static bool look(struct offline *t, const struct change_save *how, struct look *l)
{
	struct status_entry e;
	bool fine;

	*l = (struct look){0};
	if (status_find(t->v, found, l) < 0) {
		offline_say(t, "out of memory");
		return false;
	}
	offline_serve_until(t, &l->done);
	for (size_t at = 0; status_next(&l->records, &at, &e);)
		look_at(t, how, l, &e);
	fine = !l->records.error && !l->refused && (!l->left || how->left);
	if (fine && how->changed && !l->changed) {
		offline_say(t, "that means nothing in a map");
		fine = false;
	}
	buffer_finish_free(&l->records);
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

/* "refused: PATH: WHY" */
static bool print_origin(struct offline *t, const struct change_save *how, const char *line)
{
	const char *path = strncmp(line, "refused: ", 9) == 0 ? line + 9 : NULL;
	bool told = false;

	for (const char *at = path; at && !told && (at = strstr(at, ": ")); at++) {
		CLEANUP(free) char *in_map = strndup(path, (size_t)(at - path));

		told = in_map && tell_origin(t, how, in_map, "", at + 2);
	}
	return told;
}

static void print(struct offline *t, const struct report *r, const struct change_save *how)
{
	for (size_t i = 0; i < r->n; i++) {
		/* Where it was saved is plain only if that is the map. */
		bool plain = r->code != OUTCOME_CONFLICT &&
			     (strncmp(r->lines[i], "saved: ", 7) == 0 ||
				     strncmp(r->lines[i], "removed: ", 9) == 0);

		if (!plain && !print_origin(t, how, r->lines[i]))
			offline_say(t, "%s", r->lines[i]);
		else if (plain && how->verbose)
			output_report("%s", r->lines[i]);
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
	code = s.report.code;
	if (how->error && s.report.error)
		*how->error = s.report.error;
	if (!how->silent || (code != OUTCOME_DONE && code != OUTCOME_LEFT))
		print(t, &s.report, how);
	report_finish(&s.report);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return l.left ? outcome_worse(code, OUTCOME_LEFT) : code;
}
