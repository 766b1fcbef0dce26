/* SPDX-License-Identifier: Zlib */
/* open: a file, or nothing yet, as a map. Functions of struct format. */
#ifndef FORMATS_TRICLON_OPEN_H
#define FORMATS_TRICLON_OPEN_H

#include "formats/triclon/map.h"

bool tcm_probe(const struct source *src, const uint8_t *head, size_t n);
int tcm_open(const struct source *src, const struct format_context *ctx, struct snapshot **ret,
	struct error *e);
int tcm_create(
	const char *name, const struct format_context *ctx, struct snapshot **ret, struct error *e);
/* All bytes of a file that is no larger than a map may be. */
int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e);

#endif
