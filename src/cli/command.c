/* SPDX-License-Identifier: Zlib */
#include "cli/command.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/say.h"
#include "cli/cli.h"
#include "cli/offline/output.h"

void command_begin(struct command *c, const char *name)
{
	*c = (struct command){.name = name, .threads = COMMAND_THREADS};
	options_init(&c->options);
	output_begin();
	/* As the worker of a mount does: what the budget drops goes back to the system. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
	/* Beyond a limit of file sizes a write is to fail, not to kill. */
	signal(SIGXFSZ, SIG_IGN);
	tzset(); /* reads a file, which is out of reach later */
	opterr = 0;
}

void command_finish(struct command *c)
{
	options_finish(&c->options);
}

static int end(struct command *c, int code)
{
	c->code = code;
	return '?';
}

static int take_options(struct command *c, const char *list)
{
	bool file = strstr(cli_command_named(c->name)->arguments, "OUT") && strpbrk(list, "./-") &&
		    !strchr(list, '=');
	struct error e = ERROR_INIT;

	if (options_add(&c->options, list, &e) == 0)
		return 0;
	/* That of many programs is the name of a file. */
	return end(c, cli_usage("%s: -o: %s%s", c->name, error_text(&e),
			      file ? "; OUT stands without -o" : ""));
}

int command_option(struct command *c, int argc, char **argv, const char *letters,
	const struct option *long_options)
{
	int option;

	if (argc == 2) {
		cli_print_command_help(stderr, c->name);
		return end(c, OUTCOME_USAGE);
	}
	while ((option = getopt_long(argc - 1, argv + 1, letters, long_options, NULL)) != -1) {
		if (option == 'h') {
			cli_print_command_help(stdout, c->name);
			return end(c, OUTCOME_DONE);
		}
		if (option == ':' || option == '?')
			return end(c, cli_refuse_option(c->name, option, letters, argv[optind]));
		if (option == 'o' && take_options(c, optarg) != 0)
			return '?';
		if (option == 'd')
			c->debug = true;
		if (option != 'o' && option != 'd')
			return option;
	}
	if (c->fixed && take_options(c, c->fixed) != 0)
		return '?';
	c->names = argv + 1 + optind;
	c->n_names = argc - 1 - optind;
	/* A variable that was not set is not the root of a map. */
	for (int i = c->no_name; i < c->n_names; i++)
		if (!c->names[i][0])
			return end(c, cli_usage("%s: an empty name", c->name));
	c->how = c->options.rq.how;
	c->how.read_only = true;
	return -1;
}

bool command_writes(struct command *c)
{
	if (c->options.rq.how.read_only) {
		c->code = cli_usage("%s: nothing can be written with -o ro", c->name);
		return false;
	}
	c->how.read_only = false;
	c->how.at_once = true;
	return true;
}

enum outcome command_outcome(int r)
{
	return r == 0 ? OUTCOME_DONE : r == VOLUME_LOCKED ? OUTCOME_BUSY : OUTCOME_REFUSED;
}

enum outcome command_outcome_of_writing(int r)
{
	return io_is_full(r) ? OUTCOME_SAVE_FAILED : command_outcome(r);
}

int command_fail(const struct offline *t, const char *path, int r)
{
	offline_say(t, "%s%s%s", path, path[0] ? ": " : "", offline_reason(t, r));
	return r;
}

int command_open(struct command *c, const char *file, const struct sandbox_rule *further,
	size_t n_further, struct offline *ret)
{
	struct error e = ERROR_INIT;
	int r = c->create ? offline_create(ret, file, c->format, &c->how, &e)
			  : offline_open(ret, file, &c->how, &e);

	if (r == 0)
		r = offline_confine(&ret, 1, further, n_further, c->debug, &e);
	if (r == 0)
		ret->pool = pool_create(c->threads);
	if (r == 0)
		r = ret->pool ? offline_load(ret, ret->pool, &e)
			      : error_set(&e, -ENOMEM, "no thread can be made");
	if (r < 0)
		say(stderr, "mapfs: %s: %s", file, error_text(&e));
	return r;
}

void command_close(struct offline *t)
{
	struct pool *pool = t->pool;

	offline_close(t);
	pool_destroy(pool);
}
