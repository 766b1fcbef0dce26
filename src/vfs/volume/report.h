/* SPDX-License-Identifier: Zlib */
/*
 * report: the lines that tell people the results of a save, and the exit code that sums them up.
 *
 * Each step of a save adds its lines, and the caller that requested the save prints them. Not
 * thread-safe: the worker thread of a save fills its own report. A line is dropped if memory is
 * exhausted.
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
	REPORT_WARNING, /* also raises the code to OUTCOME_PARTIAL */
	REPORT_NOTE,
	REPORT_DISCARDED
};

struct report {
	char **lines; /* one string each: "saved: ..." */
	size_t n, room;
	enum outcome code;
	int error; /* -errno of a failed save, or 0 */
	/* A file that only the mount holds could not be copied out: an unmount would lose it. */
	bool unrescued;
};

#define REPORT_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

/* Append a line that starts with the word for its kind. */
void report_add(struct report *r, enum report_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Set the code to the more serious of its value and `code` (outcome_worse). */
void report_raise_code(struct report *r, enum outcome code);
/* Move all lines of `from` to the end of r, and merge codes, errors (the one of r wins) and
 * `unrescued`. Leaves `from` empty. */
void report_merge(struct report *r, struct report *from);
/* Like report_merge, but copy the lines, each prefixed with the path of a map. */
void report_merge_map(struct report *r, const char *path, const struct report *from);
/* Like report_merge, but drop lines that r already has, except warnings. */
void report_merge_new(struct report *r, struct report *from);
/* Copy the lines of `from` that `known` (may be r) lacks, and all warnings. The code stays. */
void report_add_new(struct report *r, const struct report *from, const struct report *known);
/* The errno for an fsync of the root: 0; -ESTALE after a conflict; or why the save failed, with
 * -EIO instead of -EINVAL. */
int report_errno(const struct report *r);
void report_finish(struct report *r);
