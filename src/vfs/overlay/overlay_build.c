/* SPDX-License-Identifier: Zlib */
#include "vfs/overlay/overlay_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { NAMED_MAX = 8 /* saved paths that a report names */ };

static void add_format_line(void *arg, enum format_line_kind kind, const char *line)
{
	report_add(arg, kind == FORMAT_WARNING ? REPORT_WARNING : REPORT_NOTE, "%s", line);
}

int overlay_build_begin(const struct overlay *o, struct overlay_build *ret, struct error *e)
{
	*ret = (struct overlay_build){.format_report = REPORT_INIT};
	if (overlay_list_inputs(o, &ret->inputs, &ret->oentries, &ret->n) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	ret->base = snapshot_ref(o->base);
	ret->previous = snapshot_ref(o->unsaved ? o->unsaved : o->view);
	/* Two builds may run at a time, and the first to end replaces parsed values of oentries. */
	for (size_t i = 1; i < ret->n; i++) {
		parsed_ref(ret->inputs[i].parsed);
		parsed_ref(ret->inputs[i].accepted_parsed);
	}
	return 0;
}

int overlay_build_run(struct overlay_build *s, struct error *e)
{
	const struct build_options how = {true, s->previous, add_format_line, &s->format_report};

	return build(s->base, s->inputs, s->n, &how, &s->result, e);
}

void overlay_build_keep_parsed(struct overlay_build *s)
{
	for (size_t i = 1; s->result.outputs && i < s->n; i++) {
		struct build_output *b = &s->result.outputs[i];
		struct oentry *u = s->oentries[i];

		if (b->parsed)
			oentry_keep_parsed(u, parsed_ref(b->parsed));
		if (b->accepted_parsed) {
			parsed_unref(u->accepted_parsed);
			u->accepted_parsed = parsed_ref(b->accepted_parsed);
		}
	}
}

void overlay_build_advise(struct overlay_build *s, vfs_advise advise)
{
	if (advise)
		advise(s->base, s->result.map, add_format_line, &s->format_report);
}

int overlay_build_view(struct overlay_build *s)
{
	const struct build_options how = {.previous = s->previous};

	return build(s->base, s->inputs, s->n, &how, &s->result, NULL);
}

int overlay_build(const struct overlay *o, struct overlay_build *ret, struct error *e)
{
	int r = overlay_build_begin(o, ret, e);

	if (r == 0)
		r = overlay_build_run(ret, e);
	if (r < 0)
		overlay_build_finish(ret);
	return r;
}

void overlay_build_finish(struct overlay_build *s)
{
	for (size_t i = 1; i < s->n; i++) {
		parsed_unref(s->inputs[i].parsed);
		parsed_unref(s->inputs[i].accepted_parsed);
	}
	build_result_finish(&s->result);
	report_finish(&s->format_report);
	snapshot_unref(s->base);
	snapshot_unref(s->previous);
	free(s->inputs);
	free(s->oentries);
	*s = (struct overlay_build){.format_report = REPORT_INIT};
}

static bool is_saved(enum build_outcome outcome)
{
	return outcome == BUILD_WRITTEN || outcome == BUILD_NEW || outcome == BUILD_MOVED;
}

bool overlay_build_differs(const struct overlay_build *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (is_saved(s->result.outputs[i].outcome) ||
			s->result.outputs[i].hidden_outcome != BUILD_SAME)
			return true;
	return false;
}

static bool is_moved(enum build_outcome outcome)
{
	return outcome == BUILD_NEW || outcome == BUILD_MOVED;
}

bool overlay_build_moves(const struct overlay_build *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (is_moved(s->result.outputs[i].outcome) ||
			is_moved(s->result.outputs[i].hidden_outcome))
			return true;
	return false;
}

char *overlay_build_kept_path(const struct overlay_build *s, size_t i)
{
	for (size_t k = 1; k < s->n && s->result.outputs[i].outcome == BUILD_KEPT; k++)
		if (s->inputs[k].is_removed && !s->oentries[k]->is_moved &&
			entry_object(s->inputs[k].origin) == entry_object(s->inputs[i].origin))
			return oentry_path(s->oentries[k]);
	return oentry_path(s->oentries[i]);
}

struct line {
	size_t entry;
	char *path;
	bool is_present; /* the path exists now; otherwise it reports a removal */
	enum build_outcome outcome;
};

struct lines {
	struct line *all;
	size_t n, room;
};

static void add_line(
	struct lines *l, size_t i, char *path, bool is_present, enum build_outcome outcome)
{
	if (path && array_reserve(l->all, l->n, l->room))
		l->all[l->n++] = (struct line){i, path, is_present, outcome};
	else
		free(path);
}

/* Order of characters in paths: "/" first, so children directly follow their directory. */
static int char_rank(char c)
{
	return c == '/' ? 1 : c ? 1 + (uint8_t)c : 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const char *p = x->path, *q = y->path;

	while (*p && *p == *q)
		p++, q++;
	return *p || *q ? char_rank(*p) - char_rank(*q) : x->is_present - y->is_present;
}

static bool is_new(enum build_outcome outcome)
{
	return outcome == BUILD_NEW || outcome == BUILD_ABSENT;
}

/* Is a parent new? Its line covers everything in it. */
static bool is_below_new(const struct overlay_build *s, size_t i)
{
	while ((i = s->inputs[i].parent))
		if (is_new(s->result.outputs[i].outcome))
			return true;
	return false;
}

static void collect_lines(const struct overlay_build *s, struct lines *l)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct build_output *b = &s->result.outputs[i];
		bool is_covered = is_below_new(s, i);

		if (b->hidden_outcome != BUILD_SAME && !(is_covered && is_saved(b->hidden_outcome)))
			add_line(l, i, oentry_path(s->oentries[i]), is_saved(b->hidden_outcome),
				b->hidden_outcome);
		if (b->outcome == BUILD_KEPT)
			add_line(l, i, overlay_build_kept_path(s, i), false, b->outcome);
		if (is_saved(b->outcome) && !is_covered)
			add_line(l, i, oentry_path(s->oentries[i]), true, b->outcome);
	}
	if (l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare_lines);
}

static void report_gone(const struct line *l, struct report *report)
{
	if (l->outcome == BUILD_KEPT)
		report_add(report, REPORT_NOTE,
			"%s is kept: its file was moved to a name without a meaning", l->path);
	else if (l->outcome == BUILD_RESTORED)
		report_raise_code(report, OUTCOME_PARTIAL); /* the format has reported why */
	else if (l->outcome == BUILD_CLEARED)
		report_add(report, REPORT_NOTE,
			"%s was emptied, not removed: the map always has it", l->path);
	else if (l->outcome == BUILD_REPLACED)
		report_add(report, REPORT_NOTE, "the former %s was removed", l->path);
	else
		report_add(report, REPORT_REMOVED, "%s", l->path);
}

static void lines_finish(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->all[i].path);
	free(l->all);
}

void overlay_build_each(const struct overlay_build *s,
	void (*fn)(void *arg, enum build_outcome outcome, const char *path), void *arg)
{
	struct lines l = {0};

	collect_lines(s, &l);
	for (size_t i = 0; i < l.n; i++)
		fn(arg, l.all[i].outcome, l.all[i].path);
	lines_finish(&l);
}

void overlay_build_report(const struct overlay_build *s, struct report *report)
{
	struct lines l = {0};
	size_t saved = 0;

	collect_lines(s, &l);
	for (size_t i = 0; i < l.n; i++)
		if (!l.all[i].is_present)
			report_gone(&l.all[i], report);
	for (size_t i = 0; i < l.n; i++)
		if (l.all[i].is_present && saved++ < NAMED_MAX)
			report_add(report, REPORT_SAVED, "%s", l.all[i].path);
	if (saved > NAMED_MAX)
		report_add(report, REPORT_SAVED, "and %zu more", saved - NAMED_MAX);
	lines_finish(&l);
}
