/* SPDX-License-Identifier: Zlib */
#include "log.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/cursor.h"

static const char magic[] = "mapfs-journal-2\n", magic_1[] = "mapfs-journal-1\n";
static uint32_t next_number, number_step;

void log_begin(struct buffer *b)
{
	*b = (struct buffer)BUFFER_INIT;
	buffer_append(b, magic, LOG_MAGIC);
	next_number = 0;
	number_step = 1 << 8;
}

void log_begin_1(struct buffer *b)
{
	*b = (struct buffer)BUFFER_INIT;
	buffer_append(b, magic_1, LOG_MAGIC);
	next_number = number_step = 0;
}

void log_add(struct buffer *b, uint32_t type, const char *const *texts, size_t n_texts,
	const char *content)
{
	struct buffer payload = BUFFER_INIT;
	size_t at = b->size;

	for (size_t i = 0; i < n_texts; i++)
		buffer_append(&payload, texts[i],
			strlen(texts[i]) + (content || i + 1 < n_texts ? 1 : 0));
	if (content)
		buffer_text(&payload, content);
	buffer_u32(b, type | next_number);
	next_number += number_step;
	buffer_u64(b, payload.size);
	buffer_u32(b, (uint32_t)crc32(0, b->data + at, 12));
	if (payload.size)
		buffer_append(b, payload.data, payload.size);
	buffer_u32(b, (uint32_t)crc32(0, payload.data ? payload.data : (const uint8_t *)"",
			      (uInt)payload.size));
	buffer_finish_free(&payload);
}

void log_header(struct buffer *b, const char *id, const char *previous)
{
	const char *texts[] = {MAP_NAME, id, previous, ""};

	log_begin(b);
	log_add(b, LOG_HEADER, texts, 4, NULL);
}

void log_put(struct buffer *b, const char *path, const char *content)
{
	log_add(b, LOG_PUT, &path, 1, content);
}

void log_draft(struct buffer *b, const char *path, const char *why, const char *content)
{
	const char *texts[] = {path, why};

	log_add(b, LOG_DRAFT, texts, 2, content);
}

void log_saved(struct buffer *b, const char *id)
{
	log_add(b, LOG_SAVED, &id, 1, NULL);
}

void log_name(const char *id, char ret[NAME_MAX + 1])
{
	snprintf(ret, NAME_MAX + 1, "%s.mapfs-journal-%s", MAP_NAME, id);
}

void log_write(const struct box *box, const char *id, struct buffer *b)
{
	char name[NAME_MAX + 1];

	log_name(id, name);
	put_file(box->room.fd, name, b->data, b->size);
	buffer_finish_free(b);
}

size_t log_records(const struct bytes *file, struct log_record ret[LOG_RECORDS_MAX])
{
	size_t at = LOG_MAGIC, n = 0;

	assert_non_null(file);
	assert_true(file->size >= LOG_MAGIC);
	assert_memory_equal(file->data, magic, LOG_MAGIC);
	while (at < file->size) {
		const uint8_t *p = file->data + at;
		size_t size;

		assert_true(file->size - at >= 20 && n < LOG_RECORDS_MAX);
		size = load_u32(p + 4);
		assert_int_equal(load_u32(p + 8), 0);
		assert_int_equal(load_u32(p + 12), crc32(0, p, 12));
		assert_true(file->size - at - 20 >= size);
		assert_int_equal(load_u32(p + 16 + size), crc32(0, p + 16, (uInt)size));
		assert_int_equal(load_u32(p) >> 8, n);
		ret[n++] = (struct log_record){p[0], at, at + 20 + size};
		at += 20 + size;
	}
	return n;
}

void log_identity(struct box *b, char ret[LOG_ID + 1])
{
	char name[NAME_MAX + 1];

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, "info/author", "to learn its identity"), 0);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	snprintf(ret, LOG_ID + 1, "%s", name + strlen(name) - LOG_ID);
	unlinkat(b->room.fd, name, 0);
}
