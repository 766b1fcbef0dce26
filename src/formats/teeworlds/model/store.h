/* SPDX-License-Identifier: Zlib */
/*
 * store: new content as a blob, compressed as the reference writer does and kept in the journal.
 */
#pragma once

#include "base/disk/spool.h"
#include "formats/teeworlds/model/map.h"

/* Content in memory; borrowed. */
int tw_keep_bytes(
	const struct tw_map *m, struct bytes *content, struct blob **ret, struct error *e);
/* Content of any size, in bounded memory. More than 2^31 - 1 bytes is -EINVAL. */
int tw_keep_extent(
	const struct tw_map *m, const struct extent *content, struct blob **ret, struct error *e);
/* Bytes [from, end) of a blob, behind what is in out. */
int tw_keep_part(struct blob *b, uint64_t from, uint64_t end, struct spool *out, struct error *e);
