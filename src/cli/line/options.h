/* SPDX-License-Identifier: Zlib */
/*
 * options: what follows -o.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fuse/lifecycle/launch.h"

/* Bytes of decoded blobs that are kept where nobody says how many, of so much memory. */
uint64_t options_cache_default(uint64_t memory);

struct options {
	struct mount_request rq; /* paths are left alone */
	/* Lists of options, owned; rq points at their strings. */
	struct option_list {
		char **v; /* NULL-ended; NULL while there are none */
		size_t n;
	} format, security;
};

void options_init(struct options *o);
void options_finish(struct options *o);

/*
 * Take in one argument of -o: options separated by commas; a backslash takes a comma or a backslash
 * into a value. The later of two that contradict each other counts. What mount(8) passes along and
 * means nothing here is swallowed. -EINVAL, with the option, for what is not known or has no such
 * value; -ENOMEM.
 */
int options_add(struct options *o, const char *list, struct error *e);

/* "64M": a number with K, M, G or nothing, in bytes. -EINVAL where it is none or does not fit. */
int options_size(const char *text, uint64_t *ret);
