/* SPDX-License-Identifier: Zlib */
#include "tools/cp/run.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "tools/common/json_line.h"
#include "tools/tools.h"
#include "vfs/offline/walk.h"

/* The parts that the paths name. */
struct parts {
	struct cp_part *v;
	size_t n, room;
	bool is_match; /* the current path is a pattern */
};

static void parts_finish(struct parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
}

static int add_part(void *arg, const char *path, const struct offline_file *a)
{
	struct parts *p = arg;
	char *copy = array_reserve(p->v, p->n, p->room) ? strdup(path) : NULL;

	if (!copy)
		return -ENOMEM;
	p->v[p->n++] = (struct cp_part){copy, a->dentry.id, p->is_match};
	return 0;
}

/* Returns -errno after a message. */
static int find_parts(struct cp_run *run, struct parts *ret)
{
	struct offline_file a;
	int r = 0;

	for (int i = 0; r == 0 && i < run->n_paths; i++) {
		ret->is_match = offline_find(&run->source, run->paths[i], &a) < 0;
		r = offline_match(&run->source, run->paths[i], add_part, ret);
		if (r < 0)
			offline_print_error(&run->source, run->paths[i], r);
	}
	return r;
}

/* Returns -errno after a message. */
static int find_target(struct cp_run *run, struct offline *to)
{
	struct offline_file a;
	int r;

	run->how.target = ENTRY_NONE;
	if (!run->target)
		return 0;
	r = offline_find(to, run->target, &a);
	if (r < 0)
		return offline_print_error(to, run->target, r);
	run->how.target = a.dentry.id;
	return 0;
}

static void report_part(void *arg, const struct cp_line *l)
{
	static const char *const words[] = {
		[CP_ADDED] = "added", [CP_REUSED] = "reused", [CP_LEFT_OUT] = "left out"};
	struct whole_map *m = arg;
	const struct cp_run *run = m->whole->arg;

	if (run->json) {
		json_line_text(&m->report, "{\"action\": ", words[l->event]);
		json_line_text(&m->report, ", \"from\": ", l->from);
		json_line_text(&m->report, ", \"to\": ", l->to);
		json_line_text(&m->report, ", \"detail\": ", l->detail);
		buffer_text(&m->report, "}\n");
		return;
	}
	whole_report(m, "%s %s%s%s%s%s", words[l->event], l->to ? l->to : "", l->to ? " from " : "",
		l->from, l->detail ? ": " : "", l->detail ? l->detail : "");
}

static void report_note(void *arg, enum format_line_kind, const char *line)
{
	const struct whole_map *m = arg;

	offline_print(m->tree, "%s", line);
}

/* Report an error of the source map, and clear it. Returns r. */
static int refuse_source(const struct cp_run *run, int r, struct error *e)
{
	if (r < 0 && e->code)
		offline_print(&run->source, "%s", error_text(e));
	error_clear(e);
	return r;
}

static int load_source(struct cp_run *run, const struct offline *to, struct error *e)
{
	int r = offline_load(&run->source, e);

	if (r == 0 && run->source.vol->format != to->vol->format)
		r = error_set(e, -EINVAL, "has another format than %s", to->file);
	return r;
}

static int copy_parts(struct whole_map *m, struct error *e)
{
	struct cp_run *run = m->whole->arg;
	const struct cp_tool *f = tools_of(m->tree->vol->format)->cp;
	const struct cp_calls calls = {report_part, report_note, m};
	__attribute__((cleanup(parts_finish))) struct parts parts = {0};
	int r;

	if (!f)
		return error_set(e, -EOPNOTSUPP, "cp is not supported for this format");
	r = load_source(run, m->tree, e);
	if (r == 0)
		r = find_target(run, m->tree);
	if (r == 0)
		r = find_parts(run, &parts);
	run->how.parts = parts.v;
	run->how.n_parts = parts.n;
	if (r == 0)
		r = f->copy(
			run->source.vol->base, m->tree->vol->base, &run->how, &calls, &m->map, e);
	return refuse_source(run, r, e);
}

int cp_run(struct cp_run *run)
{
	struct vfs_options options = run->whole.options;
	struct error e = ERROR_INIT;
	int r;

	options.read_only = true;
	run->whole.change = copy_parts;
	run->whole.arg = run;
	r = offline_open(&run->source, run->from, &options, &e);
	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", run->from, error_text(&e));
		r = (int)offline_outcome(r);
	} else {
		run->whole.n_extra_rules = volume_rules(run->source.vol, run->whole.extra_rules);
		r = whole_run(&run->whole);
	}
	offline_close(&run->source);
	return r;
}
