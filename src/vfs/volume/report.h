/* SPDX-License-Identifier: Zlib */
/*
 * report: what a save did, for people, and the exit code that sums it up.
 *
 * Lines are added where things happen and printed by whoever asked for the save. Not thread-safe:
 * a save's worker fills one of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vfs/volume/outcome.h"

enum report_kind {
	REPORT_SAVED,
	REPORT_REMOVED,
	REPORT_RESCUED,
	REPORT_REFUSED,
	REPORT_WARNING, /* the outcome is OUTCOME_LEFT */
	REPORT_NOTE,
	REPORT_DISCARDED
};

struct report {
	char **lines; /* "saved: ...", one each */
	size_t n, room;
	enum outcome code;
	int error; /* of a save that failed: the -errno, or 0 */
	/* A file that only the mount holds could not be copied out: an unmount would lose it. */
	bool unrescued;
};

#define REPORT_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void report_add(struct report *r, enum report_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The worse of what it holds and code: failed > conflict > left > done. */
void report_code(struct report *r, enum outcome code);
/* Moves the lines of from behind those of r. */
void report_merge(struct report *r, struct report *from);
/* Adds the lines of from, each with the path of the map that it is about. */
void report_merge_of(struct report *r, const char *path, const struct report *from);
/* As report_merge, but for lines that r has already. */
void report_merge_news(struct report *r, struct report *from);
/* Adds the lines of from that are not known, and its warnings: those are of this save. */
void report_add_news(struct report *r, const struct report *from, const struct report *known);
/* As fsync of the root tells it: 0, -ESTALE where the map went to another file than the one that
 * was mounted, or why it was not saved. */
int report_errno(const struct report *r);
void report_finish(struct report *r);
