/* SPDX-License-Identifier: Zlib */
/*
 * tally: how many paths a journal changes, for people. A file that was written five times is one
 * change. So is a file that a shell truncates and then writes, although the truncation alone is a
 * refused content in the journal.
 *
 *     struct journal_tally t = {0};
 *     for each operation, in order:
 *             journal_tally_add(&t, &op);
 *     journal_tally_count(&t, &changes, &drafts);
 *     journal_tally_finish(&t);
 */
#pragma once

#include "vfs/journal/journal.h"

struct journal_tally {
	struct tally_event *events;
	size_t n, room;
};

/* Count one operation. Copies the paths. -ENOMEM. */
int journal_tally_add(struct journal_tally *t, const struct journal_op *op);
/* Paths whose content was refused last (drafts), and other paths that were written, made, removed
 * or renamed (changes). Sorts the events, so nothing can be added after it. */
void journal_tally_count(struct journal_tally *t, unsigned *ret_changes, unsigned *ret_drafts);
void journal_tally_finish(struct journal_tally *t);
#define CLEANUP_TALLY __attribute__((cleanup(journal_tally_finish)))
