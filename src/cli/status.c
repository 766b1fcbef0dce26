/* SPDX-License-Identifier: Zlib */
/* mapfs status: print unsaved changes of mounts, for people or as JSON. */
#include "cli/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/print.h"
#include "cli/child.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "cli/journals.h"
#include "cli/target.h"
#include "tools/common/json_line.h"

/* A word of the records, and how it is printed. */
static const struct word {
	const char *word;
	const char *color;
	bool has_reason;
} words[] = {
	{"changed", "32", false},
	{"new", "32", false},
	{"renamed", "32", false},
	{"removed", "35", false},
	{"kept", "33", false},
	{"refused", "1;31", true},
	{"ignored", "33", true},
};
enum { N_WORDS = sizeof(words) / sizeof(words[0]) };

static bool use_color(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

static void print_entry(const struct status_entry *e, bool is_colored)
{
	CLEANUP(free) char *line = NULL;
	const struct word *w = words;

	while (w < words + N_WORDS && strcmp(w->word, e->word) != 0)
		w++;
	if (asprintf(&line, "%s%s%s", e->path, *e->reason ? ": " : "", e->reason) < 0) {
		line = NULL;
		return;
	}
	if (w == words + N_WORDS)
		print_line(stdout, "  %s %s", e->word, line);
	else if (is_colored)
		printf("  \033[%sm%s\033[0m %s\n", w->color, w->word, replace_unprintable(line));
	else
		print_line(stdout, "  %s %s", w->word, line);
}

/* Describe a failure of status_query; the caller frees the text. Returns NULL if r is 0. */
static char *describe_problem(const struct target *t, int r)
{
	char *text = NULL;

	if (r == 0)
		return NULL;
	if (r == -ENOTCONN)
		r = asprintf(&text, "its processes ended or were killed; run mapfs -u %s",
			t->entry.point);
	else if (r == -EACCES)
		r = asprintf(&text, "mounted by user %u", (unsigned)t->entry.owner);
	else if (r == -ENODATA)
		r = asprintf(&text, "mounted by another version of mapfs");
	else
		r = asprintf(&text, "%s",
			r == -EBUSY       ? "busy with a long save; try again later"
			: r == -ETIMEDOUT ? "does not answer"
					  : child_error(r));
	return r < 0 ? NULL : text;
}

static void print_mount(const struct target *t)
{
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;
	int r = status_query(t->entry.point, &records);
	CLEANUP(free) char *problem = describe_problem(t, r);
	struct status_entry e;
	size_t at = 0;

	print_line(stdout, "%s: %s%s", t->entry.point, t->entry.source,
		t->entry.is_read_only ? ", read-only" : "");
	if (problem)
		print_line(stdout, "  %s", problem);
	else if (records.size == 0)
		puts("  no changes");
	while (status_next(&records, &at, &e))
		print_entry(&e, use_color());
}

/* Is there a journal that the next mount replays? */
static bool has_journal(const struct target *t, struct journal_found *ret)
{
	return journals_find(t->entry.source, ret, NULL) > 0 && ret->fits;
}

static void print_unmounted(const struct target *t)
{
	struct journal_found journal;

	print_line(stdout, "%s: is not mounted", t->entry.source);
	if (has_journal(t, &journal))
		print_line(stdout, "  unsaved changes are in %s; the next mount restores them",
			journal.file);
}

static void add_list(struct buffer *out, const struct word *w, const struct buffer *records)
{
	struct status_entry e;
	bool any = false;

	buffer_printf(out, ", \"%s\": [", w->word);
	for (size_t at = 0; status_next(records, &at, &e);) {
		if (strcmp(e.word, w->word) != 0)
			continue;
		if (any)
			buffer_text(out, ", ");
		any = true;
		json_line_text(out, w->has_reason ? "{\"file\": " : "", e.path);
		if (w->has_reason) {
			json_line_text(out, ", \"reason\": ", e.reason);
			buffer_byte(out, '}');
		}
	}
	buffer_byte(out, ']');
}

static void print_json(const struct target *t)
{
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT, out = BUFFER_INIT;
	int r = t->entry.is_mapfs ? status_query(t->entry.point, &records) : 0;
	CLEANUP(free) char *problem = describe_problem(t, r);
	struct journal_found journal;
	bool found = !t->entry.is_mapfs && has_journal(t, &journal);

	json_line_text(&out, "{\"mountpoint\": ", t->entry.is_mapfs ? t->entry.point : NULL);
	json_line_text(&out, ", \"file\": ", t->entry.source);
	buffer_printf(&out, ", \"read_only\": %s", t->entry.is_read_only ? "true" : "false");
	json_line_text(&out, ", \"problem\": ", problem);
	json_line_text(&out, ", \"journal\": ", found ? journal.file : NULL);
	for (size_t i = 0; i < N_WORDS; i++)
		add_list(&out, &words[i], &records);
	buffer_text(&out, "}\n");
	if (!out.error)
		fwrite(out.data, 1, out.size, stdout);
}

struct command_status {
	struct command command;
	bool json;
};

static int run_status(struct command *c)
{
	const char *name = c->n_names ? c->names[0] : NULL;
	bool json = ((struct command_status *)c)->json;
	struct targets t = {0};
	int r = targets_add(&t, name);

	if (name && r == -ENOENT)
		r = targets_add_below(&t, name, true);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", name ? name : "status",
			r == -ENOENT ? "is not a mount of mapfs, a file or a folder"
				     : strerror(-r));
	for (size_t i = 0; i < t.n; i++) {
		if (json)
			print_json(&t.all[i]);
		else if (t.all[i].entry.is_mapfs)
			print_mount(&t.all[i]);
		else
			print_unmounted(&t.all[i]);
	}
	if (r == 0 && t.n == 0 && !json)
		puts("nothing is mounted");
	targets_finish(&t);
	return r < 0 ? OUTCOME_USAGE : OUTCOME_DONE;
}

static const struct command_option options[] = {
	{.name = "json", .offset = offsetof(struct command_status, json)}, {0}};

const struct command_line cli_status = {.options = options,
	.max_names = 1,
	.operands = "one mount point, file or folder",
	.is_bare = true,
	.needs_no_arguments = true,
	.size = sizeof(struct command_status),
	.run = run_status};
