/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/map.h"

#include <stdio.h>
#include <string.h>

const struct tcm_kind tcm_kinds[TCM_FILES] = {
	[TCM_INFO] = {"info.json", .size = ""},
	[TCM_POINTS] = {"points.csv", {"x", "y"}, 4, {true, true}, "the size of the points"},
	[TCM_TERRAIN] = {"terrain.csv", {"index", "type"}, 2,
		.size = "the size of the terrain list"},
	[TCM_OBJECTS] = {"objects.csv", {"x", "type"}, 4, {true}, "the size of the objects list"},
};

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

void tcm_variant_describe(const struct tcm_variant *v, char text[64])
{
	const struct tcm_words *w = tcm_questions;

	snprintf(text, 64, "%s=%s,%s=%s,%s=%s", w[0].key, w[0].words[v->answers[0]], w[1].key,
		w[1].words[v->answers[1]], w[2].key, w[2].words[v->answers[2]]);
}

static void free_map(struct snapshot *s)
{
	struct tcm_map *m = (struct tcm_map *)s;

	for (int f = TCM_INFO; f < TCM_FILES; f++) {
		bytes_unref(m->stored[f]);
		bytes_unref(m->texts[f]);
	}
	free(m);
}

int tcm_map_new(
	const struct format *f, const struct tcm_map *m, struct tcm_map **ret, struct error *e)
{
	struct tcm_map *c = calloc(1, sizeof(*c));

	if (!c)
		return error_set(e, -ENOMEM, "no memory for a map");
	/* All but the head: others count their references in it meanwhile. */
	if (m)
		memcpy((char *)c + sizeof(c->base), (const char *)m + sizeof(m->base),
			sizeof(*c) - sizeof(c->base));
	snapshot_init(&c->base, f, free_map);
	for (int i = TCM_INFO; i < TCM_FILES; i++) {
		bytes_ref(c->stored[i]);
		bytes_ref(c->texts[i]);
	}
	*ret = c;
	return 0;
}

bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b)
{
	bool same = memcmp(a->variant.answers, b->variant.answers, sizeof(a->variant.answers)) == 0;

	for (int f = TCM_INFO; same && f < TCM_FILES; f++)
		same = bytes_same(a->stored[f], b->stored[f]);
	return same;
}

size_t tcm_count(const struct tcm_map *m, enum tcm_file table)
{
	const struct bytes *b = m->stored[table];

	return b ? b->size / (2 * tcm_kinds[table].width) : 0;
}

int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record)
{
	struct tcm_column index = tcm_map_column(m, TCM_TERRAIN, 0);
	int64_t max = -1;

	for (size_t i = 0; i < index.n; i++) {
		if (tcm_stored(&index, i) > max) {
			max = tcm_stored(&index, i);
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

void tcm_append(struct buffer *to, uint32_t v, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		buffer_byte(to, (uint8_t)(v >> 8 * (big ? width - 1 - i : i)));
}

struct tcm_column tcm_column(const struct tcm_variant *v, enum tcm_file table, const uint8_t *at,
	size_t n, unsigned which)
{
	const struct tcm_kind *k = &tcm_kinds[table];

	return (struct tcm_column){.at = n ? at + which * k->width : NULL,
		.n = n,
		.width = k->width,
		.big = v->answers[TCM_ENDIAN] == TCM_BIG,
		.coordinate = k->coordinate[which],
		.real = v->real && k->coordinate[which]};
}

struct tcm_column tcm_map_column(const struct tcm_map *m, enum tcm_file table, unsigned which)
{
	const struct bytes *b = m->stored[table];
	struct tcm_column c =
		tcm_column(&m->variant, table, b ? b->data : NULL, tcm_count(m, table), which);

	c.big = false;
	return c;
}

uint32_t tcm_stored(const struct tcm_column *c, size_t i)
{
	return tcm_load(c->at + 2 * c->width * i, c->width, c->big);
}

float tcm_float(uint32_t stored)
{
	float f;

	memcpy(&f, &stored, sizeof(f));
	return f;
}

double tcm_value(const struct tcm_column *c, size_t i)
{
	uint32_t stored = tcm_stored(c, i);

	if (c->real)
		return (double)tcm_float(stored);
	return c->coordinate ? (int32_t)stored : (double)stored;
}

static void encode_list(struct buffer *to, const struct tcm_map *m, enum tcm_file table)
{
	int how = m->variant.answers[table == TCM_POINTS ? TCM_SIZE : TCM_LISTS];
	bool big = m->variant.answers[TCM_ENDIAN] == TCM_BIG;
	const struct bytes *b = m->stored[table];
	unsigned width = tcm_kinds[table].width;
	size_t size = how == TCM_BYTES ? b->size : tcm_count(m, table);

	if (how != TCM_NONE)
		tcm_append(to, (uint32_t)size, 4, big);
	for (size_t i = 0; i < b->size; i += width)
		tcm_append(to, tcm_load(b->data + i, width, false), width, big);
}

void tcm_encode(const struct tcm_map *m, struct buffer *to)
{
	buffer_text(to, m->variant.tag);
	buffer_append(to, m->stored[TCM_INFO]->data, m->stored[TCM_INFO]->size);
	encode_list(to, m, TCM_TERRAIN);
	encode_list(to, m, TCM_POINTS);
	if (m->stored[TCM_OBJECTS])
		encode_list(to, m, TCM_OBJECTS);
}
