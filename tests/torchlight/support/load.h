/* SPDX-License-Identifier: Zlib */
/* Returns the bytes of an archive's entry, checked. */
#pragma once

#include "formats/torchlight/model/content.h"
#include "formats/torchlight/wire/archive.h"

static inline int load_entry(const struct archive *a, const struct manifest_entry *x,
	struct bytes **ret, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_content_stored(&a->section, x, NULL, &c, e);

	return r < 0 ? r : tl_content_load(c, UINT32_MAX, ret, e);
}
