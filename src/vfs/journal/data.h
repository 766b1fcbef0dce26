/* SPDX-License-Identifier: Zlib */
/*
 * What a journal that is replayed holds already: the data of a change that is done again need not
 * be appended again.
 */
#ifndef VFS_JOURNAL_DATA_H
#define VFS_JOURNAL_DATA_H

#include <stdbool.h>

#include "base/disk/file.h"

struct journal_data;

struct journal_data *journal_data_create(void);
void journal_data_destroy(struct journal_data *d);
/* Remembers content (borrowed), whose CRC-32 is crc. No memory: it is not found later. */
void journal_data_add(struct journal_data *d, const struct extent *content, uint32_t crc);
/* The same bytes, where they were remembered. False: nowhere, or they cannot be compared. */
bool journal_data_find(
	const struct journal_data *d, const struct extent *content, struct extent *ret);

#endif
