/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/map.h"

#include <string.h>

#include "base/cursor.h"

const char *const tcm_names[TCM_FILES] = {"info.json", "terrain.csv", "points.csv", "objects.csv"};
const unsigned tcm_widths[TCM_FILES] = {[TCM_TERRAIN] = 4, [TCM_POINTS] = 8, [TCM_OBJECTS] = 8};

const struct tcm_words tcm_questions[TCM_QUESTIONS] = {
	[TCM_ENDIAN] = {"endian", {"little", "big", "le", "be"}, "little or big"},
	[TCM_LISTS] = {"lists", {NULL, "bytes", "count"}, "bytes or count"},
	[TCM_SIZE] = {"points", {"none", "bytes", "count"}, "none, bytes or count"},
};

int tcm_answer(enum tcm_question q, const char *word)
{
	for (int i = 0; i < 4; i++) {
		const char *known = tcm_questions[q].words[i];

		if (known && strcmp(word, known) == 0)
			return q == TCM_ENDIAN ? i % 2 : i; /* each has a short form */
	}
	return -1;
}

static void free_map(struct snapshot *s)
{
	struct tcm_map *m = (struct tcm_map *)s;

	bytes_unref(m->name);
	bytes_unref(m->author);
	for (int f = 0; f < TCM_FILES; f++) {
		bytes_unref(m->records[f]);
		bytes_unref(m->texts[f]);
	}
	free(m);
}

struct tcm_map *tcm_map_new(const struct format *f)
{
	struct tcm_map *m = calloc(1, sizeof(*m));

	if (m)
		snapshot_init(&m->base, f, free_map);
	return m;
}

struct tcm_map *tcm_map_copy(const struct tcm_map *m)
{
	struct tcm_map *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	/* All but the head: others count their references in it meanwhile. */
	memcpy((char *)c + sizeof(c->base), (const char *)m + sizeof(m->base),
		sizeof(*c) - sizeof(c->base));
	snapshot_init(&c->base, m->base.format, free_map);
	bytes_ref(c->name);
	bytes_ref(c->author);
	for (int f = 0; f < TCM_FILES; f++) {
		bytes_ref(c->records[f]);
		bytes_ref(c->texts[f]);
	}
	return c;
}

bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b)
{
	bool same = memcmp(a->variant.answers, b->variant.answers, sizeof(a->variant.answers)) == 0;

	same = same && bytes_same(a->name, b->name) && bytes_same(a->author, b->author);
	for (int f = 0; same && f < TCM_FILES; f++)
		same = bytes_same(a->records[f], b->records[f]);
	return same;
}

void tcm_set(struct bytes **part, struct bytes *b)
{
	bytes_unref(*part);
	*part = b;
}

size_t tcm_count(const struct tcm_map *m, enum tcm_file table)
{
	return m->records[table]->size / tcm_widths[table];
}

int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record)
{
	int64_t max = -1;

	for (size_t i = 0; i < tcm_count(m, TCM_TERRAIN); i++) {
		uint32_t index = tcm_load(m->records[TCM_TERRAIN]->data + 4 * i, 2, false);

		if (index > max) {
			max = index;
			*ret_record = i;
		}
	}
	return max;
}

uint32_t tcm_load(const uint8_t *p, unsigned width, bool big)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint32_t)p[i] << 8 * (big ? width - 1 - i : i);
	return v;
}

void tcm_append_numbers(struct buffer *to, const uint8_t *p, size_t n, unsigned width, bool swapped)
{
	/* Within a number, whose width is a power of two, that counts from the other end. */
	size_t flip = swapped ? width - 1 : 0;

	for (size_t i = 0; i < n; i++)
		buffer_byte(to, p[i ^ flip]);
}

static void encode_name(struct buffer *to, const struct bytes *name)
{
	buffer_byte(to, (uint8_t)name->size);
	buffer_append(to, name->data, name->size);
}

static void encode_list(struct buffer *to, const struct tcm_map *m, enum tcm_file table)
{
	int how = m->variant.answers[table == TCM_POINTS ? TCM_SIZE : TCM_LISTS];
	bool big = m->variant.answers[TCM_ENDIAN] == TCM_BIG;
	const struct bytes *b = m->records[table];
	uint8_t size[4];

	store_u32(size, (uint32_t)(how == TCM_BYTES ? b->size : tcm_count(m, table)));
	if (how != TCM_NONE)
		tcm_append_numbers(to, size, sizeof(size), sizeof(size), big);
	tcm_append_numbers(to, b->data, b->size, tcm_widths[table] / 2, big);
}

void tcm_encode(const struct tcm_map *m, struct buffer *to)
{
	buffer_text(to, m->variant.tag);
	encode_name(to, m->name);
	encode_name(to, m->author);
	encode_list(to, m, TCM_TERRAIN);
	encode_list(to, m, TCM_POINTS);
	if (m->records[TCM_OBJECTS])
		encode_list(to, m, TCM_OBJECTS);
}
