/* SPDX-License-Identifier: Zlib */
#include "tools/edit/run.h"

#include <errno.h>
#include <stdlib.h>

#include "base/print.h"
#include "tools/common/json_line.h"
#include "tools/common/work.h"
#include "tools/tools.h"
#include "vfs/volume/outcome.h"

static void print_json(struct whole_map *m, const char *status, const char *path, const char *text)
{
	json_line_text(&m->report, "{\"file\": ", m->tree->file);
	json_line_text(&m->report, ", \"path\": ", path);
	json_line_text(&m->report, ", \"status\": ", status);
	json_line_text(&m->report, ", \"text\": ", text);
	buffer_text(&m->report, "}\n");
}

static void report_line(void *arg, enum edit_report what, const char *path, const char *text)
{
	static const char *const status[] = {"changed", "note", "unchanged"};
	struct whole_map *m = arg;

	m->is_incomplete |= what == EDIT_LEFT;
	if (((const struct edit_run *)m->whole->arg)->json)
		print_json(m, status[what], path, text);
	else if (what == EDIT_CHANGED)
		whole_report(m, "changed %s: %s", path, text);
	else
		offline_print(m->tree, "%s%s%s%s", what == EDIT_LEFT ? "unchanged: " : "",
			path ? path : "", path ? ": " : "", text);
}

/* Parse the other maps, in the sandbox. */
static int load_others(struct edit_run *run, const struct format *format, struct error *e)
{
	for (size_t i = 0; i < run->how.n; i++) {
		struct offline *t = &run->others[i];
		int r = t->vol ? offline_load(t, e) : 0;

		if (r == 0 && t->vol && t->vol->format != format)
			r = error_set(e, -EINVAL, "the map has another format");
		if (r == 0 && t->vol)
			r = work_expect(t->vol->base, run->whole.no_limit, e);
		if (r < 0)
			return error_context(e, "%s", t->file), r;
		run->how.operations[i].other = t->vol ? t->vol->base : NULL;
	}
	return 0;
}

static int edit_map(struct whole_map *m, struct error *e)
{
	struct edit_run *run = m->whole->arg;
	const struct edit_tool *f = tools_of(m->tree->vol->format)->edit;
	struct edit how;
	int r = f ? work_expect(m->tree->vol->base, run->whole.no_limit, e)
		  : error_set(e, -EOPNOTSUPP, "edit is not supported for this format");

	if (r == 0)
		r = load_others(run, m->tree->vol->format, e);
	how = run->how;
	how.say = report_line;
	how.arg = m;
	return r < 0 ? r : f->edit(m->tree->vol->base, &how, &m->map, e);
}

/* Open the other maps outside the sandbox; reading them needs no further rights. */
static int open_others(struct edit_run *run)
{
	struct vfs_options options = run->whole.options;
	struct error e = ERROR_INIT;
	int r = 0;

	options.read_only = true;
	run->others = calloc(run->how.n, sizeof(*run->others));
	if (!run->others)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < run->how.n; i++) {
		const char *name = run->how.operations[i].name;

		if (run->how.operations[i].kind != EDIT_AREA)
			continue;
		r = offline_open(&run->others[i], name, &options, &e);
		if (r < 0)
			print_line(stderr, "mapfs: %s: %s", name, error_text(&e));
	}
	return r;
}

int edit_run(struct edit_run *run)
{
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	run->whole.change = edit_map;
	run->whole.arg = run;
	if (images_open_games(NULL, &run->how.images, &e) < 0) {
		print_line(stderr, "mapfs: %s", error_text(&e));
	} else if (open_others(run) == 0) {
		whole_use_images(&run->whole, run->how.images);
		code = whole_run(&run->whole);
	}
	for (size_t i = 0; run->others && i < run->how.n; i++)
		offline_close(&run->others[i]);
	free(run->others);
	images_unref(run->how.images);
	return code;
}
