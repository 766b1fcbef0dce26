/* SPDX-License-Identifier: Zlib */
/*
 * command: what the commands without a mount have in common: their command lines, the map that they
 * open, and how a failure becomes a line and an exit code.
 */
#pragma once

#include "cli/line/options.h"
#include "vfs/offline/change.h"
#include "vfs/offline/walk.h"

struct command;

/* An option of a command's own. */
struct command_option {
	const char *name; /* or NULL */
	char letter;      /* or '\0' */
	enum { COMMAND_FLAG, COMMAND_TEXT, COMMAND_TEXTS } takes;
	/* Where it goes in the command's struct: a bool; a const char *, the last text that was
	 * given; or a const char **, NULL-ended, of all of them. */
	size_t at;
};

/* What a command takes. Besides its own options that is --help and, unless it is bare, -o and -d.
 */
struct command_line {
	const struct command_option *options; /* at most 16, then one without either; or NULL */
	int least, most;                      /* names; most 0: any number of them */
	const char *takes;                    /* "a file and paths in it" */
	int no_name;      /* so many of the first are no names of anything, and may be empty */
	bool writes;      /* its map is to be written, all or nothing: it does not go with -o ro */
	bool bare, alone; /* alone: it may be called without a word */
	bool prints;      /* a last name "-" says where all goes in any case */
	const char *before, *fixed; /* options that count unless -o says else; whatever -o says */
	size_t cache_most;          /* what is kept where -o does not say; 0: as of a mount */
	int wrong;         /* the exit code of a wrong command line, if not OUTCOME_USAGE */
	size_t size;       /* of the command's own struct; 0: struct command is all */
	const void *start; /* that, as it is at first; NULL: all zeros */
	int (*run)(struct command *c); /* returns the exit code */
};

/* The first in a command's own struct. */
struct command {
	const char *name; /* "ls"; NULL: mapfs itself */
	const struct command_line *line;
	struct options options;
	struct vfs_options how; /* of its maps; read_only unless the line says writes */
	bool create;            /* the map is a new one */
	const char *format;     /* ... of this format; NULL: by its ending */
	bool debug;             /* what the kernel lacks is told */
	bool optioned;          /* there was an -o */
	char **names;           /* what is no option; none is empty */
	int n_names;
	struct offline tree; /* of command_open; command_main closes it */
	int worst, failed;   /* of command_each, and for visits to set */
	struct change_save save;
};

/* The option of who saves. */
#define COMMAND_VERBOSE                                                                            \
	{                                                                                          \
		"verbose", 'v', COMMAND_FLAG, offsetof(struct command, save.verbose)               \
	}

/* Reads the command line, runs what it says and returns the exit code. name: of the command, or
 * NULL; argv[0] is that of the program, or the command's once more. */
int command_main(const char *name, int argc, char **argv, const struct command_line *line);
/* false: nothing can be written with the options that were given, which was told. command_main asks
 * it of a line that says writes. */
bool command_writes(struct command *c);
/* Opens one map, gives up all rights but those to it and to what `further` names, and loads it.
 * Returns 0, or -errno after a line on stderr. */
int command_open(
	struct command *c, const char *file, const struct sandbox_rule *further, size_t n_further);
/* Of the names from that one on (none: the root) what each means in the map. What is not there is
 * told, and worst is its -errno; it goes on until failed is set. Visits are called with c. */
void command_each(struct command *c, int first, walk_visit visit);
