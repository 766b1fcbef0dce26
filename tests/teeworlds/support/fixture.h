/* SPDX-License-Identifier: Zlib */
/* What the tests of this room share: a map file opened as the mounted tree would. */
#pragma once

#include "formats/teeworlds/format.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/map.h"
#include "../../formats/support/fixture.h"
#include "../../formats/support/laws.h"

/* As "rw", with images compressed. */
#define FIXTURE_PACKED "rw, packed"

/* raw: "ro", "rw", "off" or FIXTURE_PACKED. 0 or the refusal. fixture_close in either case. */
int fixture_open(struct fixture *f, const char *path, const char *raw, struct error *e);
/* The same for a file that encode wrote, open as file (takes the reference). */
int fixture_open_file(
	struct fixture *f, struct file *file, const char *name, const char *raw, struct error *e);

static inline const struct tw_map *fixture_map(const struct fixture *f)
{
	return tw_map_of(f->s);
}

/* fixture_write of a map, which is one file. */
int fixture_encode(const struct fixture *f, const struct snapshot *s, bool force, struct file **ret,
	struct plan **ret_plan, struct error *e);

/* A source over one open file; borrowed. */
struct source fixture_source(struct file *file, const char *name);
