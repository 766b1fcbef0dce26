/* SPDX-License-Identifier: Zlib */
/*
 * command: what the commands without a mount have in common: their command lines, the map that they
 * open, and how a failure becomes a line and an exit code.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <getopt.h>

#include "cli/offline/calls.h"
#include "cli/options.h"

enum { COMMAND_THREADS = 3 };

struct command {
	const char *name; /* "ls" */
	struct options options;
	struct vfs_options how; /* of the maps that it opens; read_only unless it is changed */
	const char *fixed;      /* options that count whatever -o says, or NULL */
	bool create;            /* the map is a new one */
	const char *format;     /* ... of this format; NULL: by its ending */
	unsigned threads;       /* that work for the map; 0: none but this one */
	bool debug;             /* what the kernel lacks is told */
	char **names;           /* what is no option; none is empty */
	int n_names;
	int no_name; /* so many of the first are none, and may be empty */
	int code;    /* of the command line: OUTCOME_USAGE, or OUTCOME_DONE after --help */
};

/* Of every command: -o, -d and --help. For getopt_long, with those of the command itself. */
#define COMMAND_LETTERS ":dho:"
#define COMMAND_LONG_OPTIONS                                                                       \
	{"debug", no_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'},                       \
	{                                                                                          \
		0                                                                                  \
	}

/* argv[1] is the command's name. */
void command_begin(struct command *c, const char *name);
void command_finish(struct command *c);
/* The next option of the command itself, -1 after the last, or '?': it ends here, with c->code.
 * Then names are there. */
int command_option(struct command *c, int argc, char **argv, const char *letters,
	const struct option *long_options);
/* Its map is to be written, all or nothing. false: the command line does not go with that; it ends
 * here, with c->code. */
bool command_writes(struct command *c);
/* Opens one map, gives up all rights but those to it and to what `further` names, and loads it.
 * Returns 0, or -errno after a line on stderr. The tree is to be closed in any case. */
int command_open(struct command *c, const char *file, const struct sandbox_rule *further,
	size_t n_further, struct offline *ret);
/* ... and ends it; t may be one that was never opened. */
void command_close(struct offline *t);

/* The exit code for -errno of opening a map. */
enum outcome command_outcome(int r);
/* ... of one that writes: a full disk fails the save. */
enum outcome command_outcome_of_writing(int r);
/* "mapfs: FILE: PATH: why". Returns r. */
int command_fail(const struct offline *t, const char *path, int r);

#endif
