/* SPDX-License-Identifier: Zlib */
/* mapfs du: size of each part of a map's file. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "tools/common/json_line.h"
#include "tools/common/many.h"
#include "tools/tidy/tidy.h"
#include "tools/tools.h"

struct du {
	struct command command;
	bool json;
};

/* A part of a map: one or several items of one path, or the sum of a directory. */
struct part {
	char *path;
	uint64_t size;
	bool is_unused, is_sum;
};

struct parts {
	struct part *all;
	size_t n, room;
};

static int add_part(
	struct parts *parts, const char *path, size_t n, uint64_t size, bool unused, bool sum)
{
	char *copy = array_reserve(parts->all, parts->n, parts->room) ? strndup(path, n) : NULL;

	if (!copy)
		return -ENOMEM;
	parts->all[parts->n++] = (struct part){copy, size, unused, sum};
	return 0;
}

/* Add a part, and add its size to its top directory. */
static int add_tidy_part(void *arg, const struct tidy_part *p)
{
	const char *slash = strchr(p->path, '/');
	int r = add_part(arg, p->path, strlen(p->path), p->size, p->is_unused, false);

	if (r == 0 && slash)
		r = add_part(arg, p->path, (size_t)(slash + 1 - p->path), p->size, false, true);
	return r;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

/* Order by size, largest first; of equal sizes, sums first. */
static int by_size(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return array_compare(b->size, a->size) ?: array_compare(b->is_sum, a->is_sum) ?: compare_parts(pa, pb);
}

/* Join parts with the same path, then sort by size. */
static void join_parts(struct parts *parts)
{
	size_t n = 0;

	qsort(parts->all, parts->n, sizeof(*parts->all), compare_parts);
	for (size_t i = 0; i < parts->n; i++) {
		struct part *p = &parts->all[i], *last = n ? &parts->all[n - 1] : NULL;

		if (!last || strcmp(last->path, p->path) != 0) {
			parts->all[n++] = *p;
			continue;
		}
		last->size += p->size;
		last->is_unused &= p->is_unused;
		free(p->path);
	}
	parts->n = n;
	qsort(parts->all, parts->n, sizeof(*parts->all), by_size);
}

/* Print a part. Makes its path printable in place. */
static void print_part(const struct du *du, const char *file, struct part *p, struct buffer *out)
{
	if (du->json) {
		json_line_text(out, "{\"file\": ", file);
		json_line_text(out, ", \"path\": ", p->path);
		buffer_printf(out, ", \"bytes\": %" PRIu64 ", \"used\": %s}\n", p->size,
			p->is_unused ? "false" : "true");
	} else {
		buffer_printf(out, "%10" PRIu64 "  %s%s\n", p->size,
			*p->path ? replace_unprintable(p->path) : file,
			p->is_unused ? " (unused)" : "");
	}
}

static int measure_map(struct offline *t, struct parts *parts, struct error *e)
{
	const struct tidy_tool *f = tools_of(t->vol->format)->tidy;
	uint64_t all = t->vol->source.sizes[0], rest = all;
	int r = f ? f->parts(t->vol->base, add_tidy_part, parts, e)
		  : error_set(e, -EOPNOTSUPP, "du is not supported for this format");

	for (size_t i = 0; i < parts->n; i++)
		if (!parts->all[i].is_sum)
			rest -= parts->all[i].size < rest ? parts->all[i].size : rest;
	if (r < 0)
		return r;
	if (add_part(parts, "tables", 6, rest, false, false) < 0 ||
		add_part(parts, "", 0, all, false, true) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	return 0;
}

static int visit_map(void *arg, struct offline *t, struct buffer *out)
{
	struct parts parts = {0};
	struct error e = ERROR_INIT;
	int r = measure_map(t, &parts, &e);

	if (r < 0)
		offline_print(t, "%s", error_text(&e));
	if (r == 0)
		join_parts(&parts);
	for (size_t i = 0; i < parts.n; i++) {
		if (r == 0)
			print_part(arg, t->file, &parts.all[i], out);
		free(parts.all[i].path);
	}
	free(parts.all);
	return r;
}

static int run_du(struct command *c)
{
	struct many m = {
		.visit = visit_map, .arg = c, .options = &c->map_options, .debug = c->debug};

	return many_visit_all(&m, c->names, c->n_names) < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;
}

static const struct command_option options[] = {
	{.name = "json", .offset = offsetof(struct du, json)}, {0}};

const struct command_line cli_du = {.options = options,
	.min_names = 1,
	.operands = "maps or folders",
	.default_options = "raw=off",
	.size = sizeof(struct du),
	.run = run_du};
