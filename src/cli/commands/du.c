/* SPDX-License-Identifier: Zlib */
/* mapfs du: what of a map's file each part takes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/say.h"
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

/* One part of a map; of several items of one path; or of all that is below a directory. */
struct part {
	char *path;
	uint64_t size;
	bool unused, sum;
};

struct parts {
	struct part *at;
	size_t n, room;
};

static int add(
	struct parts *parts, const char *path, size_t n, uint64_t size, bool unused, bool sum)
{
	char *copy = array_room(parts->at, parts->n, parts->room) ? strndup(path, n) : NULL;

	if (!copy)
		return -ENOMEM;
	parts->at[parts->n++] = (struct part){copy, size, unused, sum};
	return 0;
}

/* ... and in the sum of its directory. */
static int take(void *arg, const struct tidy_part *p)
{
	const char *slash = strchr(p->path, '/');
	int r = add(arg, p->path, strlen(p->path), p->size, p->unused, false);

	if (r == 0 && slash)
		r = add(arg, p->path, (size_t)(slash + 1 - p->path), p->size, false, true);
	return r;
}

static int by_path(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

/* The whole first, then sums before what they are of. */
static int by_size(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return array_order(b->size, a->size) ?: array_order(b->sum, a->sum) ?: by_path(pa, pb);
}

/* Those of one path are one; the largest first. */
static void join(struct parts *parts)
{
	size_t n = 0;

	qsort(parts->at, parts->n, sizeof(*parts->at), by_path);
	for (size_t i = 0; i < parts->n; i++) {
		struct part *p = &parts->at[i], *last = n ? &parts->at[n - 1] : NULL;

		if (!last || strcmp(last->path, p->path) != 0) {
			parts->at[n++] = *p;
			continue;
		}
		last->size += p->size;
		last->unused &= p->unused;
		free(p->path);
	}
	parts->n = n;
	qsort(parts->at, parts->n, sizeof(*parts->at), by_size);
}

/* The path is changed. */
static void print(const struct du *du, const char *file, struct part *p, struct buffer *out)
{
	if (du->json) {
		json_line_text(out, "{\"file\": ", file);
		json_line_text(out, ", \"path\": ", p->path);
		buffer_printf(out, ", \"bytes\": %" PRIu64 ", \"used\": %s}\n", p->size,
			p->unused ? "false" : "true");
	} else {
		buffer_printf(out, "%10" PRIu64 "  %s%s\n", p->size,
			*p->path ? printable(p->path) : file,
			p->unused ? " (nothing uses it)" : "");
	}
}

static int weigh(struct offline *t, struct parts *parts, struct error *e)
{
	const struct tidy_tool *f = tools_of(t->vol->format)->tidy;
	uint64_t all = t->vol->source.sizes[0], rest = all;
	int r = f ? f->parts(t->vol->now, take, parts, e)
		  : error_set(e, -EOPNOTSUPP, "nobody knows the parts of such a map");

	for (size_t i = 0; i < parts->n; i++)
		if (!parts->at[i].sum)
			rest -= parts->at[i].size < rest ? parts->at[i].size : rest;
	if (r < 0)
		return r;
	if (add(parts, "tables", 6, rest, false, false) < 0 ||
		add(parts, "", 0, all, false, true) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	return 0;
}

static int visit(void *arg, struct offline *t, struct buffer *out)
{
	struct parts parts = {0};
	struct error e = ERROR_INIT;
	int r = weigh(t, &parts, &e);

	if (r < 0)
		offline_say(t, "%s", error_text(&e));
	if (r == 0)
		join(&parts);
	for (size_t i = 0; i < parts.n; i++) {
		if (r == 0)
			print(arg, t->file, &parts.at[i], out);
		free(parts.at[i].path);
	}
	free(parts.at);
	return r;
}

static int run(struct command *c)
{
	struct many m = {.visit = visit, .arg = c, .how = &c->how, .debug = c->debug};

	return many_visit_all(&m, c->names, c->n_names) < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;
}

static const struct command_option options[] = {
	{.name = "json", .at = offsetof(struct du, json)}, {0}};

const struct command_line cli_du = {.options = options,
	.least = 1,
	.takes = "maps or folders",
	.before = "raw=off",
	.size = sizeof(struct du),
	.run = run};
