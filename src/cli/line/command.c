/* SPDX-License-Identifier: Zlib */
#include "cli/line/command.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/output.h"
#include "base/print.h"
#include "cli/cli.h"
#include "vfs/offline/streams.h"

static void init_command(struct command *c)
{
	options_init(&c->options);
	if (c->line->cache_max && c->options.rq.vfs_options.cache > c->line->cache_max)
		c->options.rq.vfs_options.cache = c->line->cache_max;
	output_begin();
	/* As in the worker of a mount: return freed memory to the system. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
	/* A write beyond the file size limit must fail with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	tzset(); /* reads a file that the sandbox hides */
	opterr = 0;
}

/* Add an argument of -o. Returns OUTCOME_DONE, or OUTCOME_USAGE after a message. */
static int add_options(struct command *c, const char *list)
{
	bool file = c->name && strstr(cli_command_named(c->name)->arguments, "OUT") &&
		    strpbrk(list, "./-") && !strchr(list, '=');
	struct error e = ERROR_INIT;

	if (options_add(&c->options, list, &e) == 0)
		return OUTCOME_DONE;
	/* Many programs have -o FILE. */
	return cli_usage("%s%s-o: %s%s", c->name ? c->name : "", c->name ? ": " : "",
		error_text(&e), file ? "; name OUT without -o" : "");
}

/* Store an option of the command in its struct. */
static int store_option(struct command *c, const struct command_option *o, int argc)
{
	char *at = (char *)c + o->offset;
	const char ***texts = (const char ***)at;
	size_t n = 0;

	if (o->kind == COMMAND_FLAG)
		*(bool *)at = true;
	if (o->kind == COMMAND_TEXT || o->kind == COMMAND_VALUE)
		*(const char **)at = optarg ? optarg : "";
	if (o->kind != COMMAND_TEXTS)
		return OUTCOME_DONE;
	if (!*texts)
		*texts = calloc((size_t)argc + 1, sizeof(**texts));
	if (!*texts)
		return OUTCOME_REFUSED;
	while ((*texts)[n])
		n++;
	(*texts)[n] = optarg;
	return OUTCOME_DONE;
}

static bool is_option(const struct command_option *o)
{
	return o && (o->name || o->letter);
}

enum { OPTIONS_MAX = 16, LONG_ONLY = 256 /* first value for options without a letter */ };

struct spelling {
	struct option all[OPTIONS_MAX + 3];
	char letters[2 * OPTIONS_MAX + 8];
};

static void build_spelling(struct spelling *s, const struct command_line *line)
{
	struct option *to = s->all;
	char *letter = stpcpy(s->letters, line->takes_negative ? "+" : "");

	letter = stpcpy(letter, line->is_bare ? ":h" : ":dho:");
	for (const struct command_option *o = line->options; is_option(o); o++) {
		int value = o->letter ? o->letter : LONG_ONLY + (int)(o - line->options);
		int argument = o->kind == COMMAND_FLAG    ? no_argument
			       : o->kind == COMMAND_VALUE ? optional_argument
							  : required_argument;

		assert(o - line->options < OPTIONS_MAX);
		if (o->name)
			*to++ = (struct option){o->name, argument, NULL, value};
		if (o->letter)
			*letter++ = o->letter;
		if (o->letter && argument)
			*letter++ = ':';
	}
	*letter = '\0';
	*to++ = (struct option){"help", no_argument, NULL, 'h'};
	*to++ = (struct option){line->is_bare ? NULL : "debug", no_argument, NULL, 'd'};
	*to = (struct option){0};
}

/* Find an option of the command. Returns NULL for an option that all commands have. */
static const struct command_option *find_option(const struct command_line *line, int value)
{
	const struct command_option *o = line->options;

	if (o && value >= LONG_ONLY)
		return o + value - LONG_ONLY;
	while (is_option(o) && o->letter != value)
		o++;
	return o && o->letter ? o : NULL;
}

static void print_help(const struct command *c, FILE *out)
{
	if (c->name)
		cli_print_command_help(out, c->name);
	else
		cli_print_help(out);
}

enum { GO_ON = -1 };

static bool is_negative(const char *arg)
{
	return arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9';
}

/* Find the next option. After the last one, or before each if the line takes negative numbers,
 * which getopt_long does not skip, move operands to c->names, the front of argv. */
static int next_option(struct command *c, int argc, char **argv, const struct spelling *s)
{
	bool skips = c->line->takes_negative;
	int at, option;

	do {
		at = optind;
		option = skips && at < argc && is_negative(argv[at])
				 ? -1
				 : getopt_long(argc, argv, s->letters, s->all, NULL);
		/* getopt_long moves over "--", behind which there are only operands. */
		skips &= optind == at;
		while (option == -1 && optind < argc) {
			c->names[c->n_names++] = argv[optind++];
			if (skips)
				break;
		}
	} while (option == -1 && optind < argc);
	return option;
}

static int parse_options(struct command *c, int argc, char **argv)
{
	const struct command_option *own;
	struct spelling s;
	int option, code = OUTCOME_DONE;

	build_spelling(&s, c->line);
	c->names = argv + 1;
	while (code == OUTCOME_DONE && (option = next_option(c, argc, argv, &s)) != -1) {
		if (option == ':' || option == '?')
			return cli_refuse_option(c->name, option, s.letters, argv[optind - 1]);
		own = find_option(c->line, option);
		if (own) {
			code = store_option(c, own, argc);
		} else if (option == 'h') {
			print_help(c, stdout);
			return OUTCOME_DONE;
		} else if (option == 'o') {
			c->has_options = true;
			code = add_options(c, optarg);
		} else {
			c->debug = true;
		}
	}
	if (code == OUTCOME_DONE && c->line->fixed_options)
		code = add_options(c, c->line->fixed_options);
	return code == OUTCOME_DONE ? GO_ON : code;
}

bool command_writes(struct command *c)
{
	c->map_options.read_only = false;
	c->map_options.at_once = true;
	if (c->options.rq.vfs_options.read_only)
		(void)cli_usage("%s: cannot write with -o ro", c->name);
	return !c->options.rq.vfs_options.read_only;
}

/* Returns GO_ON, or the exit code. */
static int parse_command_line(struct command *c, int argc, char **argv)
{
	const struct command_line *line = c->line;
	int code;

	if (argc == 1 && !line->needs_no_arguments) {
		print_help(c, stderr);
		return OUTCOME_USAGE;
	}
	if (line->default_options)
		(void)options_add(&c->options, line->default_options, NULL);
	code = parse_options(c, argc, argv);
	if (code != GO_ON)
		return code;
	/* An unset shell variable must not name the root of a map. */
	for (int i = line->n_may_be_empty; i < c->n_names; i++)
		if (!c->names[i][0])
			return cli_usage("%s: empty name", c->name);
	c->map_options = c->options.rq.vfs_options;
	c->map_options.read_only = true;
	if (line->always_prints && c->n_names > line->min_names &&
		streams_named(c->names[c->n_names - 1]))
		c->n_names--;
	if (c->n_names < line->min_names || (line->max_names && c->n_names > line->max_names))
		return cli_usage("%s takes %s", c->name, line->operands);
	return line->writes && !command_writes(c) ? OUTCOME_USAGE : GO_ON;
}

static void free_command(struct command *c)
{
	for (const struct command_option *o = c->line->options; is_option(o); o++)
		if (o->kind == COMMAND_TEXTS)
			free(*(void **)((char *)c + o->offset));
	offline_close(&c->tree);
	options_finish(&c->options);
	free(c);
}

int command_main(const char *name, int argc, char **argv, const struct command_line *line)
{
	size_t size = line->size ? line->size : sizeof(struct command);
	struct command *c = calloc(1, size);
	int code;

	if (!c) {
		print_line(stderr, "mapfs: out of memory");
		return OUTCOME_REFUSED;
	}
	if (line->initial)
		memcpy(c, line->initial, size);
	cli_set_usage_page(name);
	c->name = name;
	c->line = line;
	init_command(c);
	code = parse_command_line(c, argc, argv);
	if (code == GO_ON)
		code = line->run(c);
	else if (code != OUTCOME_DONE && line->usage_code)
		code = line->usage_code;
	free_command(c);
	return code;
}

int command_open(
	struct command *c, const char *file, const struct sandbox_rule *further, size_t n_further)
{
	struct error e = ERROR_INIT;
	struct offline *t = &c->tree;
	int r = c->create ? offline_create(t, file, c->format, &c->map_options, &e)
			  : offline_open(t, file, &c->map_options, &e);

	if (r == 0)
		r = offline_confine(&t, 1, further, n_further, c->debug, &e);
	if (r == 0)
		r = offline_load(t, &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", file, error_text(&e));
	return r;
}

void command_each(struct command *c, int first, walk_visit visit)
{
	int i = first;

	do {
		const char *path = i < c->n_names ? c->names[i] : "";
		int r = offline_match(&c->tree, path, visit, c);

		if (r < 0 && !c->failed)
			c->last_error = offline_print_error(&c->tree, path, r);
	} while (++i < c->n_names && !c->failed);
}
