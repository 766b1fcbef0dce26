/* SPDX-License-Identifier: Zlib */
#include "cli/whole/whole.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/offline/many.h"
#include "cli/offline/out.h"
#include "cli/offline/output.h"
#include "cli/offline/streams.h"

void whole_report(struct whole_map *m, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	if (m->whole->in_place)
		buffer_printf(&m->report, "%s: ", m->t->file);
	buffer_text(&m->report, line ? printable(line) : "out of memory");
	buffer_byte(&m->report, '\n');
}

static void note(struct whole *w, enum outcome code)
{
	pthread_mutex_lock(&w->lock);
	w->worst = outcome_worse(w->worst, code);
	pthread_mutex_unlock(&w->lock);
}

static enum outcome outcome_of(int r)
{
	return r == -ENOMEM ? OUTCOME_SAVE_FAILED : command_outcome_of_writing(r);
}

/* What was to be done is done, or nothing is and the report is empty. */
static enum outcome change(struct whole_map *m)
{
	struct whole *w = m->whole;
	const struct change_save how = {.silent = false};
	struct error e = ERROR_INIT;
	int r = w->change(m, &e);
	enum outcome code = outcome_of(r);

	if (r < 0)
		offline_say(m->t, "%s", error_text(&e));
	else if (!w->dry)
		code = change_save(m->t, &how);
	if (code != OUTCOME_DONE && code != OUTCOME_LEFT)
		buffer_finish_free(&m->report);
	return m->left ? outcome_worse(code, OUTCOME_LEFT) : code;
}

static int visit(void *arg, struct offline *t, struct buffer *out)
{
	struct whole_map m = {.whole = arg, .t = t, .beside = t->vol->dirfd, .report = BUFFER_INIT};

	note(arg, change(&m));
	buffer_append(out, m.report.data, m.report.size);
	buffer_finish_free(&m.report);
	return 0;
}

static int refused(void *arg, const char *file, const struct error *why, struct buffer *out)
{
	(void)out;
	say(stderr, "mapfs: %s: %s", file, error_text(why));
	note(arg, command_outcome_of_writing(why->code));
	return 0;
}

static int in_place(struct whole *w, int n)
{
	struct command *c = &w->command;
	struct many m = {.visit = visit,
		.refused = refused,
		.arg = w,
		.how = &c->how,
		.debug = c->debug,
		.writes = !w->dry,
		.progress = w->in_place && isatty(STDERR_FILENO),
		.single = !w->in_place,
		.further = w->further,
		.n_further = w->n_further};
	int r;

	r = many_visit_all(&m, c->names, n);
	return (int)(r < 0 ? outcome_worse(w->worst, OUTCOME_REFUSED) : w->worst);
}

/* A map, and the copy of it that becomes OUT. */
struct copying {
	struct whole *whole;
	struct offline from, copy;
	struct out out;
	const char *name; /* what went wrong is of that one */
};

static int open_all(struct copying *y, struct error *e)
{
	struct whole *w = y->whole;
	struct command *c = &w->command;
	struct vfs_options reads = c->how;
	struct offline *trees[] = {&y->from, &y->copy, NULL};
	int r;

	reads.read_only = true;
	r = offline_open(&y->from, y->name, &reads, e);
	if (r < 0)
		return r;
	y->name = c->names[1];
	r = out_begin(&y->out, y->name, &c->how, e);
	if (r == 0 && y->out.held)
		r = offline_check_journal(y->out.held, e);
	if (r == 0)
		r = out_copy(&y->out, &y->from.vol->source, &y->copy, c->names[0], &c->how, e);
	if (r < 0)
		return r;
	trees[2] = y->out.held;
	return offline_confine(trees, y->out.held ? 3 : 2, w->further, w->n_further, c->debug, e);
}

static enum outcome fail(const struct copying *y, enum outcome code, const struct error *e)
{
	say(stderr, "mapfs: %s: %s", y->name, error_text(e));
	return e->code == -ESTALE ? OUTCOME_CONFLICT : code;
}

static void print(const struct copying *y, struct whole_map *m)
{
	if (streams_named(y->out.path))
		fwrite(m->report.data, 1, m->report.size, stderr);
	else
		output_reports(&m->report);
	buffer_finish_free(&m->report);
}

static enum outcome write_out(struct copying *y, struct pool *pool)
{
	struct whole_map m = {.whole = y->whole,
		.t = &y->copy,
		.beside = y->from.vol->dirfd,
		.report = BUFFER_INIT};
	struct error e = ERROR_INIT;
	int r = offline_load(&y->copy, pool, &e);
	enum outcome code;

	if (r < 0)
		y->name = y->from.file;
	else
		r = out_check(&y->out, y->copy.vol->format, &e);
	if (r < 0)
		return fail(y, outcome_of(r), &e);
	code = change(&m);
	if (code == OUTCOME_DONE || code == OUTCOME_LEFT) {
		if (out_commit(&y->out, &y->copy.vol->source, &e) < 0)
			code = fail(y, OUTCOME_SAVE_FAILED, &e);
		else
			print(y, &m);
	}
	buffer_finish_free(&m.report);
	return code;
}

static enum outcome to_out(struct whole *w)
{
	struct copying y = {.whole = w, .out.dirfd = -1, .name = w->command.names[0]};
	struct error e = ERROR_INIT;
	struct pool *pool = NULL;
	enum outcome code;

	if (open_all(&y, &e) < 0) {
		code = fail(&y, outcome_of(e.code), &e);
	} else {
		pool = pool_create(w->command.threads);
		code = pool ? write_out(&y, pool) : OUTCOME_SAVE_FAILED;
	}
	offline_close(&y.copy);
	offline_close(&y.from);
	out_finish(&y.out);
	pool_destroy(pool);
	return code;
}

int whole_run(struct whole *w)
{
	struct command *c = &w->command;
	bool out = !w->in_place && c->n_names == 2;

	pthread_mutex_init(&w->lock, NULL);
	if (!w->in_place && c->n_names > 2)
		return cli_usage("%s: several maps are written with --in-place", c->name);
	if (!out && !w->dry)
		for (int i = 0; i < c->n_names; i++)
			if (streams_named(c->names[i]))
				return cli_usage(
					"%s: standard input is no place: name OUT, or -", c->name);
	if (out && !w->dry && streams_named(c->names[1]) && isatty(STDOUT_FILENO))
		return cli_usage("%s: a map is nothing for a terminal: name a file", c->name);
	if (!w->dry && !command_writes(c))
		return OUTCOME_USAGE;
	return out && !w->dry ? (int)to_out(w) : in_place(w, out ? 1 : c->n_names);
}
