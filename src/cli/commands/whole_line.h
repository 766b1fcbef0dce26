/* SPDX-License-Identifier: Zlib */
/* whole_line: the part of a command line that all commands over whole maps share: MAP [OUT], or
 * --in-place with any number of maps and folders, and -n. */
#pragma once

#include "cli/line/command.h"
#include "tools/common/whole.h"

/* The options, for a command whose struct `type` has a struct whole as `member`. */
#define WHOLE_OPTIONS(type, member)                                                                \
	{"in-place", '\0', COMMAND_FLAG, offsetof(type, member.in_place)},                         \
	{                                                                                          \
		"dry-run", 'n', COMMAND_FLAG, offsetof(type, member.dry)                           \
	}

/* Check c->names and store them in w, borrowed, with the options that every command has (-o, -d).
 * Returns OUTCOME_DONE, or OUTCOME_USAGE after a message. */
int whole_line_take(struct command *c, struct whole *w);
/* The same for a command that changes one map, and writes `output` instead unless that is NULL.
 * Replaces c->names. A folder is refused: OUTCOME_REFUSED after a message. */
int whole_line_take_one(struct command *c, char *map, const char *output, struct whole *w);
