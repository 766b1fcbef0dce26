/* SPDX-License-Identifier: Zlib */
/* structure: files and directories that come and go; see formats/format.h. */
#pragma once

#include "formats/torchlight/model/map.h"

int tl_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e);
int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
