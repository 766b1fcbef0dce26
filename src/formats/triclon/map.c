/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/map.h"

#include <stdio.h>
#include <string.h>

const struct tcm_kind tcm_kinds[TCM_FILES] = {
	[TCM_INFO] = {"info.json", .size = ""},
	[TCM_POINTS] = {"points.csv", {"x", "y"}, 4, {true, true}, TCM_SIZE,
		"the size of the points"},
	[TCM_TERRAIN] = {"terrain.csv", {"index", "type"}, 2, {false, false}, TCM_LISTS,
		"the size of the terrain list"},
	[TCM_OBJECTS] = {"objects.csv", {"x", "type"}, 4, {true, false}, TCM_LISTS,
		"the size of the objects list"},
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

bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b)
{
	const int *x = a->content.variant.answers, *y = b->content.variant.answers;

	/* A file does not always give the number of points. */
	return memcmp(x, y, sizeof(a->content.variant.answers)) == 0 &&
	       a->content.lists[TCM_POINTS].n == b->content.lists[TCM_POINTS].n &&
	       bytes_equal(a->file, b->file);
}

int64_t tcm_max_index(const struct tcm_content *c, size_t *ret_record)
{
	int64_t max = -1;

	for (size_t i = 0; i < c->lists[TCM_TERRAIN].n; i++) {
		int64_t index = tcm_stored(c, TCM_TERRAIN, 0, i);

		if (index > max) {
			max = index;
			*ret_record = i;
		}
	}
	return max;
}

/* Significance of byte i of a number: 0 is the least significant byte. */
static unsigned significance(unsigned i, unsigned width, const struct tcm_variant *v)
{
	return v->answers[TCM_ENDIAN] == TCM_BIG ? width - 1 - i : i;
}

uint32_t tcm_load(const uint8_t *p, unsigned width, const struct tcm_variant *v)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < width; i++)
		n |= (uint32_t)p[i] << 8 * significance(i, width, v);
	return n;
}

void tcm_append(struct buffer *to, uint32_t n, unsigned width, const struct tcm_variant *v)
{
	for (unsigned i = 0; i < width; i++)
		buffer_byte(to, (uint8_t)(n >> 8 * significance(i, width, v)));
}

uint32_t tcm_stored(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i)
{
	unsigned width = tcm_kinds[list].width;

	return tcm_load(c->lists[list].data + (2 * i + which) * width, width, &c->variant);
}

float tcm_float(uint32_t stored)
{
	float f;

	memcpy(&f, &stored, sizeof(f));
	return f;
}

bool tcm_is_real(const struct tcm_variant *v, enum tcm_file list, unsigned which)
{
	return v->real && tcm_kinds[list].coordinate[which];
}

double tcm_value(const struct tcm_content *c, enum tcm_file list, unsigned which, size_t i)
{
	uint32_t stored = tcm_stored(c, list, which, i);

	if (tcm_is_real(&c->variant, list, which))
		return (double)tcm_float(stored);
	return tcm_kinds[list].coordinate[which] ? (int32_t)stored : (double)stored;
}
