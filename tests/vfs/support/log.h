/* SPDX-License-Identifier: Zlib */
/*
 * An independent writer and reader of journals, after the descriptions in reclog.h and journal.h.
 */
#pragma once

#include "box.h"

#include "base/buffer.h"

enum { LOG_MAGIC = 16, LOG_ID = 16, LOG_RECORDS_MAX = 64 };

/* Types of records, as numbers, because they are stored on users' disks. */
enum {
	LOG_HEADER = 1,
	LOG_PUT,
	LOG_DRAFT,
	LOG_DROP,
	LOG_SAVED = 6,
	LOG_MKDIR,
	LOG_REMOVE,
	LOG_RENAME
};

/* Begin a log. There is one log at a time. */
void log_begin(struct buffer *b);
/* Begin a log of version 1, whose records have no numbers. */
void log_begin_1(struct buffer *b);
/*
 * Append a record: the texts, each followed by NUL, and then content. If content is NULL, the last
 * text has no NUL.
 */
void log_add(struct buffer *b, uint32_t type, const char *const *texts, size_t n_texts,
	const char *content);
void log_header(struct buffer *b, const char *id, const char *previous);
void log_put(struct buffer *b, const char *path, const char *content);
void log_draft(struct buffer *b, const char *path, const char *why, const char *content);
void log_saved(struct buffer *b, const char *id);
/* Write the journal of m.map with that identity; b is empty afterwards. */
void log_write(const struct box *box, const char *id, struct buffer *b);

struct log_record {
	uint32_t type;
	size_t begin, end;
};

/* The records of a journal file; fails the test if the file is damaged. */
size_t log_records(const struct bytes *file, struct log_record ret[LOG_RECORDS_MAX]);

void log_name(const char *id, char ret[NAME_MAX + 1]);
/* The identity of the box's map, which must be unmounted and without a journal. */
void log_identity(struct box *b, char ret[LOG_ID + 1]);
