/* SPDX-License-Identifier: Zlib */
#include "codec/zlib/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* RFC 1951: 3.2.3 blocks, 3.2.5 extra bits, 3.2.6 the fixed codes, 3.2.7 the others. */
enum { LITERALS = 286, DISTANCES = 30, END = 256, LENGTHS = 19, BITS_MAX = 15 };
enum { FIXED_LITERALS = 288, FIXED_DISTANCES = 32, ALL_LENGTHS = 288 + 32 };
enum { HEADER = 2 }; /* of RFC 1950 */
enum { STORED, FIXED, DYNAMIC };
enum kind { LITERAL, DISTANCE, LENGTH };

/*
 * The symbol at the begin of a bit string: the number of bits of symbol and extra bits, and flags.
 * In a code of lengths: the number of bits of the symbol, above its value. 0: zlib accepts no
 * symbol here.
 */
typedef uint8_t entry;
enum { TAKES = 0x3f, IS_MATCH = 0x40, IS_END = 0x80, NUMBER_BITS = 5 };

struct code {
	unsigned bits; /* of the index into entries */
	entry entries[1 << BITS_MAX];
};

struct walk {
	const uint8_t *data;
	size_t size, at; /* zeros follow the end */
	uint64_t bits;
	unsigned n; /* of bits */
	struct code literals, distances;
};

static const uint8_t length_extra[LITERALS - END - 1] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static entry make_table_entry(enum kind kind, unsigned symbol, unsigned bits)
{
	if (kind == LENGTH)
		return (entry)(bits << NUMBER_BITS | symbol);
	if (symbol >= (kind == DISTANCE ? DISTANCES : LITERALS))
		return 0;
	if (kind == DISTANCE)
		return (entry)(bits + (symbol < 4 ? 0 : symbol / 2 - 1));
	if (symbol > END)
		return (entry)((bits + length_extra[symbol - END - 1]) | IS_MATCH);
	return (entry)(bits | (symbol == END ? IS_END : 0));
}

static unsigned reverse_bits(unsigned code, unsigned bits)
{
	unsigned r = 0;

	for (; bits; bits--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

/* Build the table of a code. False: the code is incomplete or ambiguous. */
static bool build_code(struct code *c, enum kind kind, const uint8_t *lengths, unsigned n)
{
	unsigned count[BITS_MAX + 1] = {0}, next[BITS_MAX + 1] = {0};
	uint32_t used = 0;

	for (unsigned i = 0; i < n; i++)
		count[lengths[i]]++;
	for (unsigned i = 1; i <= BITS_MAX; i++) {
		used += count[i] << (BITS_MAX - i);
		if (count[i])
			c->bits = i;
		if (i > 1)
			next[i] = (next[i - 1] + count[i - 1]) << 1;
	}
	if (used != 1 << BITS_MAX)
		return false;
	for (unsigned i = 0; i < n; i++) {
		unsigned bits = lengths[i];
		entry e = make_table_entry(kind, i, bits);

		if (!bits)
			continue;
		for (unsigned at = reverse_bits(next[bits]++, bits); at < 1U << c->bits;
			at += 1U << bits)
			c->entries[at] = e;
	}
	return true;
}

static void refill_bits(struct walk *w)
{
	while (w->n <= 56) {
		w->bits |= (uint64_t)(w->at < w->size ? w->data[w->at] : 0) << w->n;
		w->at++;
		w->n += 8;
	}
}

static unsigned take_bits(struct walk *w, unsigned n)
{
	unsigned r = (unsigned)(w->bits & ((1U << n) - 1));

	w->bits >>= n;
	w->n -= n;
	return r;
}

/* Read run-length coded code lengths. */
static bool read_lengths(struct walk *w, struct code *c, uint8_t *lengths, unsigned n)
{
	unsigned i = 0;

	while (i < n) {
		unsigned symbol, repeat = 1, value;

		refill_bits(w);
		symbol = c->entries[w->bits & ((1U << c->bits) - 1)];
		take_bits(w, symbol >> NUMBER_BITS);
		symbol &= (1U << NUMBER_BITS) - 1;
		value = symbol < 16 ? symbol : 0;
		if (symbol == 16 && i == 0)
			return false;
		if (symbol == 16)
			value = lengths[i - 1];
		if (symbol >= 16)
			repeat = symbol == 16   ? 3 + take_bits(w, 2)
				 : symbol == 17 ? 3 + take_bits(w, 3)
						: 11 + take_bits(w, 7);
		if (repeat > n - i)
			return false;
		memset(lengths + i, (int)value, repeat);
		i += repeat;
	}
	return true;
}

static bool read_codes(struct walk *w)
{
	static const uint8_t order[LENGTHS] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	uint8_t lengths[ALL_LENGTHS] = {0}, small[LENGTHS] = {0};
	unsigned n_literals, n_distances, n_lengths;

	refill_bits(w);
	n_literals = 257 + take_bits(w, 5);
	n_distances = 1 + take_bits(w, 5);
	n_lengths = 4 + take_bits(w, 4);
	if (n_literals > LITERALS || n_distances > DISTANCES)
		return false;
	for (unsigned i = 0; i < n_lengths; i++) {
		refill_bits(w);
		small[order[i]] = (uint8_t)take_bits(w, 3);
	}
	return build_code(&w->literals, LENGTH, small, LENGTHS) &&
	       read_lengths(w, &w->literals, lengths, n_literals + n_distances) &&
	       build_code(&w->literals, LITERAL, lengths, n_literals) &&
	       build_code(&w->distances, DISTANCE, lengths + n_literals, n_distances);
}

static bool set_fixed_codes(struct walk *w)
{
	uint8_t lengths[FIXED_LITERALS];

	memset(lengths, 8, FIXED_LITERALS);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	if (!build_code(&w->literals, LITERAL, lengths, FIXED_LITERALS))
		return false;
	memset(lengths, 5, FIXED_DISTANCES);
	return build_code(&w->distances, DISTANCE, lengths, FIXED_DISTANCES);
}

/* Were more bits taken than the data has? */
static bool is_past_end(const struct walk *w)
{
	return w->at > w->size && w->at - w->size > w->n / 8;
}

static bool walk_symbols(struct walk *w)
{
	const uint64_t literals = (1U << w->literals.bits) - 1;
	const uint64_t distances = (1U << w->distances.bits) - 1;

	while (!is_past_end(w)) {
		entry e;

		refill_bits(w);
		e = w->literals.entries[w->bits & literals];
		if (!e)
			return false;
		w->bits >>= e & TAKES;
		w->n -= e & TAKES;
		if (e & IS_END)
			return true;
		if (!(e & IS_MATCH))
			continue;
		e = w->distances.entries[w->bits & distances];
		if (!e)
			return false;
		w->bits >>= e & TAKES;
		w->n -= e & TAKES;
	}
	return false;
}

static bool skip_stored(struct walk *w)
{
	size_t n;

	take_bits(w, w->n % 8);
	refill_bits(w);
	n = take_bits(w, 16);
	take_bits(w, 16);
	/* Give back the whole bytes that were fetched ahead. */
	w->at -= w->n / 8;
	w->bits = 0;
	w->n = 0;
	if (w->at > w->size || n > w->size - w->at)
		return false;
	w->at += n;
	return true;
}

bool zlib_stream_is_plain(const uint8_t *data, size_t n)
{
	CLEANUP(free) struct walk *w = malloc(sizeof(*w));
	bool plain = w && n > HEADER;

	if (!plain)
		return false;
	w->data = data;
	w->size = n;
	w->at = HEADER;
	w->bits = 0;
	w->n = 0;
	for (unsigned last = 0; plain && !last;) {
		refill_bits(w);
		last = take_bits(w, 1);
		switch (take_bits(w, 2)) {
		case STORED:
			plain = skip_stored(w);
			break;
		case FIXED:
			plain = set_fixed_codes(w) && walk_symbols(w);
			break;
		case DYNAMIC:
			plain = read_codes(w) && walk_symbols(w);
			break;
		default:
			plain = false;
		}
		plain = plain && !is_past_end(w);
	}
	return plain;
}
