/* SPDX-License-Identifier: Zlib */
/* options: the arguments of -o. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fuse/lifecycle/launch.h"

/* Default of -o cache, in bytes, on a machine with this much memory. */
uint64_t options_cache_default(uint64_t memory);

struct options {
	struct mount_request rq; /* without paths */
	/* Owned lists of options. rq points to the same lists, or to empty ones, never NULL. */
	struct option_list {
		char **v; /* NULL-ended; NULL while there are none */
		size_t n;
	} format, security;
};

void options_init(struct options *o);
void options_finish(struct options *o); /* also resets *o to the defaults */

/* Add one argument of -o: options separated by commas. A backslash escapes a comma or a backslash;
 * a security context in double quotes may have commas. The last of contradicting options counts.
 * Options of mount(8) and of other FUSE programs without effect here are ignored. -EINVAL for an
 * unknown option or a wrong value, -errno of a file that cannot be found; e names the option. */
int options_add(struct options *o, const char *list, struct error *e);

/* Parse a size such as "64M": a number and K, M, G (of 1024) or nothing. 0, -ENOMEM or -EINVAL. */
int options_size(const char *text, uint64_t *ret);
