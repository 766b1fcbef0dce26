/* SPDX-License-Identifier: Zlib */
/*
 * made: builds a map in memory, item by item, for tests with very many objects of one kind. An
 * independent writer, after the format's description (libtw2's doc/datafile.md), of version 3, with
 * uncompressed data.
 */
#pragma once

#include "tw_test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"

struct made {
	struct buffer types, offsets, items, data_offsets, data;
	uint32_t n_types, n_items, n_data;
	uint32_t type, first; /* the type that is being written, and its first item */
	bool begun;
};

static inline void made_end_type(struct made *m)
{
	if (m->begun) {
		buffer_u32(&m->types, m->type);
		buffer_u32(&m->types, m->first);
		buffer_u32(&m->types, m->n_items - m->first);
		m->n_types++;
	}
	m->begun = false;
}

/* Append an item. The items of a type must follow one another. */
static inline void made_item(
	struct made *m, uint32_t type, uint32_t id, const int32_t *ints, size_t n)
{
	if (!m->begun || m->type != type) {
		made_end_type(m);
		m->type = type;
		m->first = m->n_items;
		m->begun = true;
	}
	buffer_u32(&m->offsets, (uint32_t)m->items.size);
	buffer_u32(&m->items, type << 16 | id);
	buffer_u32(&m->items, 4 * (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		buffer_u32(&m->items, (uint32_t)ints[i]);
	m->n_items++;
}
#define MADE(m, type, id, ...)                                                                     \
	made_item(m, type, id, (const int32_t[]){__VA_ARGS__},                                     \
		sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

static inline int32_t made_data(struct made *m, const void *data, size_t n)
{
	buffer_u32(&m->data_offsets, (uint32_t)m->data.size);
	buffer_append(&m->data, data, n);
	return (int32_t)m->n_data++;
}

/* Open the map as a file; m is empty afterwards. */
static inline void made_open(struct made *m, const char *raw, struct fixture *f)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct error err = ERROR_INIT;
	uint32_t total;
	int fd = memfd_create("made.map", MFD_CLOEXEC);

	made_end_type(m);
	total = (uint32_t)(36 + m->types.size + m->offsets.size + m->data_offsets.size +
			   m->items.size + m->data.size);
	buffer_text(&out, "DATA");
	buffer_u32(&out, 3);
	buffer_u32(&out, total - 16);
	buffer_u32(&out, total - 16 - (uint32_t)m->data.size);
	buffer_u32(&out, m->n_types);
	buffer_u32(&out, m->n_items);
	buffer_u32(&out, m->n_data);
	buffer_u32(&out, (uint32_t)m->items.size);
	buffer_u32(&out, (uint32_t)m->data.size);
	struct buffer *const parts[] = {
		&m->types, &m->offsets, &m->data_offsets, &m->items, &m->data};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buffer_append(&out, parts[i]->data, parts[i]->size);
		buffer_finish_free(parts[i]);
	}
	*m = (struct made){0};
	assert_int_equal(out.error, 0);
	assert_int_equal(out.size, total);
	assert_int_equal(write(fd, out.data, out.size), out.size);
	*f = (struct fixture){.dirfd = -1};
	assert_ok(fixture_open_file(f, file_new(fd), "made.map", raw, &err));
}
