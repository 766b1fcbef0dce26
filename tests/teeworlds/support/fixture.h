/* SPDX-License-Identifier: Zlib */
/* Shared by the tests of this folder: a map file opened as a mount does. */
#pragma once

#include "formats/teeworlds/format.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/map.h"
#include "../../formats/support/fixture.h"
#include "../../formats/support/laws.h"

/* Like "rw", with images compressed. */
#define FIXTURE_PACKED "rw, packed"

/*
 * `raw` is "ro", "rw", "off" or FIXTURE_PACKED. Returns 0 or the refusal; call fixture_close in
 * either case.
 */
int fixture_open(struct fixture *f, const char *path, const char *raw, struct error *e);
/* The same for a file that encode wrote; takes the reference to `file`. */
int fixture_open_file(
	struct fixture *f, struct file *file, const char *name, const char *raw, struct error *e);

static inline const struct tw_map *fixture_map(const struct fixture *f)
{
	return tw_map_of(f->s);
}

/* fixture_write for a map of one file. */
int fixture_encode(const struct fixture *f, const struct snapshot *s, bool force, struct file **ret,
	struct plan **ret_plan, struct error *e);

/* A source over one open file, which is borrowed. */
struct source fixture_source(struct file *file, const char *name);
