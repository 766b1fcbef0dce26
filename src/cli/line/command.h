/* SPDX-License-Identifier: Zlib */
/*
 * command: the frame of the commands that need no mount: parse the command line, open the map, and
 * turn failures into messages and exit codes.
 *
 * A command defines a struct that begins with struct command, and a struct command_line with its
 * options and a function `run`. main calls command_main, which parses the command line into the
 * struct and calls run; run calls command_open and, for each path, command_each.
 */
#pragma once

#include "cli/line/options.h"
#include "vfs/offline/change.h"
#include "vfs/offline/walk.h"

struct command;

/* An option of one command. */
struct command_option {
	const char *name; /* or NULL */
	char letter;      /* or '\0' */
	enum { COMMAND_FLAG, COMMAND_TEXT, COMMAND_TEXTS, COMMAND_VALUE } kind;
	/* Offset in the command's struct of a bool; of a const char *, the last text, or for
	 * COMMAND_VALUE the value of --NAME=VALUE, "" for --NAME; or of a const char **, all texts,
	 * NULL-ended; command_main frees the array. */
	size_t offset;
};

/* Description of a command line. Each command takes --help too. */
struct command_line {
	const struct command_option *options; /* of its own; at most 16, then a zero one; or NULL */
	int min_names, max_names;             /* number of names; max_names 0: no limit */
	const char *operands;    /* "a file and paths in it", for the message "NAME takes ..." */
	int n_may_be_empty;      /* number of leading names that may be empty; others are refused */
	bool writes;             /* it saves the map, and refuses -o ro */
	bool is_bare;            /* it has no -o and -d */
	bool takes_negative;     /* an argument that begins with "-" and a digit is no option */
	bool needs_no_arguments; /* without arguments it runs; others print their help */
	bool always_prints;      /* an additional last name "-" (standard output) is dropped */
	const char *default_options;   /* for -o, or NULL; the command line overrides them */
	const char *fixed_options;     /* for -o, or NULL; they override the command line */
	size_t cache_max;              /* limits the default of -o cache; 0: no limit */
	int usage_code;                /* exit code for a wrong command line; 0: OUTCOME_USAGE */
	size_t size;                   /* of the command's struct; 0: it is struct command */
	const void *initial;           /* initial value of the command's struct; NULL: zeros */
	int (*run)(struct command *c); /* returns the exit code */
};

/* A running command. The first member of the command's struct. */
struct command {
	const char *name; /* "ls"; NULL: mapfs itself */
	const struct command_line *line;
	struct options options;
	struct vfs_options map_options; /* for opening maps; read_only unless line->writes */
	bool create;                    /* command_open creates the map */
	const char *format;             /* of a created map; NULL: by its ending */
	bool debug;                     /* -d: report missing features of the kernel */
	bool has_options;               /* -o was given */
	char **names;                   /* the arguments that are no options */
	int n_names;
	struct offline tree; /* opened by command_open, closed by command_main */
	int last_error;      /* -errno of the last path that failed; or 0 */
	int failed;          /* set by a visit that returns it, to end command_each; or 0 */
	struct change_save save;
};

/* The option -v of commands that save. */
#define COMMAND_VERBOSE                                                                            \
	{                                                                                          \
		"verbose", 'v', COMMAND_FLAG, offsetof(struct command, save.verbose)               \
	}

/* Run a command line. Returns the exit code. name is NULL for mapfs itself; argv[0] is ignored. */
int command_main(const char *name, int argc, char **argv, const struct command_line *line);
/* Prepare for saving: clear read_only and set at_once in map_options. Returns false after a message
 * if -o ro was given. command_main calls it if line->writes is set. */
bool command_writes(struct command *c);
/* Open a map, enter the sandbox (with access to `further`), load. 0, or -errno after a message. */
int command_open(
	struct command *c, const char *file, const struct sandbox_rule *further, size_t n_further);
/* Call visit(c, ...) for the files that match the names from names[first] on; without such a name,
 * for the root. If a name has no match, or a visit fails and does not set c->failed, print a
 * message, set last_error, and go on with the next name. */
void command_each(struct command *c, int first, walk_visit visit);
