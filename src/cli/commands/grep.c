/* SPDX-License-Identifier: Zlib */
/* mapfs grep: search texts of many maps. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "codec/text/pattern.h"
#include "tools/common/many.h"
#include "vfs/offline/reader.h"
#include "vfs/offline/walk.h"

/* Exit codes, as of grep. */
enum { FOUND = 0, NOT_FOUND = 1, TROUBLE = 2 };
enum { TEXT_MAX = 64 << 20 }; /* bytes of one file */

struct grep {
	struct command command;
	const char *pattern;
	int flags; /* for pattern_compile */
	bool names, counts, numbers, nocase, extended;
	const char **path_patterns; /* --in, NULL-ended; NULL: default of the format */
	char **paths; /* files to search from the command line, which must exist; or NULL */
	atomic_bool found;
};

/* The search in one map. */
struct search {
	const struct grep *grep;
	struct offline *tree;
	struct buffer *out;
	regex_t regex; /* one for each thread, because regexec locks it */
	bool found;
	int worst;
};

static void print_match(
	struct search *s, const char *path, size_t number, const char *line, size_t n)
{
	buffer_printf(s->out, "%s/%s:", s->tree->file, path);
	if (s->grep->numbers)
		buffer_printf(s->out, "%zu:", number);
	buffer_append(s->out, line, n);
	buffer_byte(s->out, '\n');
}

static size_t search_lines(struct search *s, const char *path, const char *text, size_t size)
{
	bool quiet = s->grep->names || s->grep->counts;
	size_t found = 0, number = 1;

	for (size_t at = 0; at < size; number++) {
		const char *line = text + at, *end = memchr(line, '\n', size - at);
		size_t n = end ? (size_t)(end - line) : size - at;

		if (pattern_matches(&s->regex, line, n)) {
			found++;
			if (!quiet)
				print_match(s, path, number, line, n);
			if (s->grep->names)
				break;
		}
		at += n + 1;
	}
	return found;
}

static int search_file(void *arg, const char *path, const struct offline_file *a)
{
	struct search *s = arg;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	size_t found;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	r = offline_read_all(s->tree, a, TEXT_MAX, &text);
	if (r < 0) {
		s->worst = offline_print_error(s->tree, path, r);
		return 0;
	}
	found = search_lines(s, path, (const char *)text->data, text->size);
	s->found |= found > 0;
	if (s->grep->names && found)
		buffer_printf(s->out, "%s/%s\n", s->tree->file, path);
	else if (s->grep->counts)
		buffer_printf(s->out, "%s/%s:%zu\n", s->tree->file, path, found);
	return 0;
}

static int search_map(void *arg, struct offline *t, struct buffer *out)
{
	struct grep *g = arg;
	struct search s = {.grep = g, .tree = t, .out = out};
	const char *const *in = g->paths           ? (const char *const *)g->paths
				: g->path_patterns ? g->path_patterns
						   : t->vol->format->text_patterns;

	if (pattern_compile(g->pattern, g->flags, &s.regex, NULL) < 0)
		return -ENOMEM;
	for (; in && *in; in++) {
		int r = offline_match(t, *in, search_file, &s);

		if (r < 0 && (g->paths || (r != -ENOENT && r != -ENOTDIR)))
			s.worst = offline_print_error(t, *in, r);
	}
	regfree(&s.regex);
	if (s.found)
		atomic_store(&g->found, true);
	return s.worst;
}

static int check_pattern(const struct grep *g)
{
	struct error e = ERROR_INIT;
	regex_t regex;

	if (pattern_compile(g->pattern, g->flags, &regex, &e) < 0)
		return cli_usage("grep: %.200s: %s", g->pattern, error_text(&e));
	regfree(&regex);
	return 0;
}

/* Is the command line PATTERN FILE PATH...? Then only the first name is a file on disk. */
static bool has_paths(const struct command *c)
{
	struct stat st;
	bool paths = c->n_names > 2 && stat(c->names[1], &st) == 0 && S_ISREG(st.st_mode);

	for (int i = 2; paths && i < c->n_names; i++)
		paths = lstat(c->names[i], &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
	return paths;
}

static int run_grep(struct command *c)
{
	struct grep *g = (struct grep *)c;
	struct many m = {
		.visit = search_map, .arg = g, .options = &c->map_options, .debug = c->debug};
	int n_maps = c->n_names - 1, r;

	g->pattern = c->names[0];
	g->flags = (g->nocase ? REG_ICASE : 0) | (g->extended ? REG_EXTENDED : 0);
	if (check_pattern(g) != 0)
		return TROUBLE;
	if (!g->path_patterns && has_paths(c)) {
		g->paths = c->names + 2; /* argv, which ends with NULL */
		n_maps = 1;
	}
	r = many_visit_all(&m, c->names + 1, n_maps);
	return r < 0 ? TROUBLE : atomic_load(&g->found) ? FOUND : NOT_FOUND;
}

static const struct command_option options[] = {
	{"count", 'c', COMMAND_FLAG, offsetof(struct grep, counts)},
	{"extended-regexp", 'E', COMMAND_FLAG, offsetof(struct grep, extended)},
	{"files-with-matches", 'l', COMMAND_FLAG, offsetof(struct grep, names)},
	{"ignore-case", 'i', COMMAND_FLAG, offsetof(struct grep, nocase)},
	{"in", '\0', COMMAND_TEXTS, offsetof(struct grep, path_patterns)},
	{"line-number", 'n', COMMAND_FLAG, offsetof(struct grep, numbers)}, {0}};

const struct command_line cli_grep = {.options = options,
	.min_names = 2,
	.operands = "a pattern, and maps or folders, or a map and paths in it",
	.n_may_be_empty = 1,
	.usage_code = TROUBLE,
	.size = sizeof(struct grep),
	.run = run_grep};
