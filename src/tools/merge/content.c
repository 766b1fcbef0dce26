/* SPDX-License-Identifier: Zlib */
#include "tools/merge/content.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MARK = 1, UNSET = 2, PIECE = 64 << 10, KEY_MAX = 64 };

static bool ends_in(const char *s, size_t n, const char *ending)
{
	size_t m = strlen(ending);

	return n >= m && memcmp(s + n - m, ending, m) == 0;
}

/* Find the object that a string of n bytes refers to as the value of this key. NULL if none. */
static const struct merge_node *find_named_object(const struct merge *m, enum which w,
	const char *key, size_t n_key, const char *stem, size_t n)
{
	const struct merge_reference *ref = m->schema->references;
	const struct merge_item *dir, *i;
	size_t at = 0;

	while (ref && ref->key && !ends_in(key, n_key, ref->key))
		ref++;
	dir = ref && ref->key ? item_named(m->sides[w].root, ref->dir) : NULL;
	if (!dir || !item_number(stem, n))
		return NULL;
	/* Objects are sorted by number, and the number is the position. */
	for (size_t k = 0; k < n && stem[k] >= '0' && stem[k] <= '9' && at < dir->n; k++)
		at = at * 10 + (size_t)(stem[k] - '0');
	i = at < dir->n ? dir->children[at] : NULL;
	return i && (size_t)(i->ending - i->name) == n && memcmp(i->name, stem, n) == 0 ? i->node
											: NULL;
}

/* Find the closing quote of the string that begins at p; `end` if there is none. */
static const char *string_end(const char *p, const char *end)
{
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p : end;
}

/* Canonical JSON escapes only the quotes and backslashes of a name. */
static size_t unescape_json(const char *s, size_t n, char *dst)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		i += s[i] == '\\' && i + 1 < n;
		dst[to++] = s[i];
	}
	return to;
}

static void escape(struct buffer *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buffer_byte(out, '\\');
		buffer_byte(out, (uint8_t)*s);
	}
}

/* Append the name of an object after its opening quote. Returns 1 if the closing quote must be
 * dropped (null), otherwise 0. */
static size_t add_name(struct buffer *out, const struct merge_node *x, enum content_names names)
{
	const char *is = names == CONTENT_NEW_NAMES ? x->new_name : x->old_name;

	if (names == CONTENT_NUMBERS) {
		buffer_printf(out, "%c%zu", MARK, x->number);
		return 0;
	}
	if (is) {
		escape(out, is);
		return 0;
	}
	out->size -= out->size > 0;
	buffer_text(out, "null");
	return 1;
}

struct naming {
	struct merge *m;
	struct merge_item *i;
	enum content_names names;
};

/* Replace each string that refers to an object. A scan also records it in merge_item.uses. */
static int change_names(const struct naming *g, const char *p, size_t n_all, struct buffer *out)
{
	const char *end = p + n_all, *key = "", *from = p;
	struct merge_item *i = g->i;
	char stem[NAME_MAX + 1];
	size_t n_key = 0;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		const char *s = ++p;
		size_t n = (size_t)((p = string_end(s, end)) - s);
		const struct merge_node *x = NULL;

		p += p < end;
		if (p < end && *p == ':') {
			key = s;
			n_key = n;
			continue;
		}
		if (n <= NAME_MAX)
			x = find_named_object(
				g->m, i->side, key, n_key, stem, unescape_json(s, n, stem));
		if (!x)
			continue;
		buffer_append(out, from, (size_t)(s - from));
		from = s + n + add_name(out, x, g->names);
		if (!array_reserve(i->uses, i->n_uses, i->room_uses))
			out->error = -ENOMEM;
		else if (!i->is_scanned)
			i->uses[i->n_uses++] = x->number;
	}
	buffer_append(out, from, (size_t)(end - from));
	return out->error;
}

int content_read(struct merge *m, struct merge_item *i, size_t most, struct bytes **ret)
{
	struct reader reader;
	int r = content_open(m, i, CONTENT_NUMBERS, &reader);

	if (r == 0)
		r = reader.size > most ? -EFBIG : reader_all(&reader, most, ret);
	reader_close(&reader);
	return r;
}

void content_uses(const struct bytes *in, bool *used)
{
	const char *p = (const char *)in->data, *end = p + in->size;

	while ((p = memchr(p, MARK, (size_t)(end - p))))
		used[strtoul(p + 1, (char **)&p, 10)] = true;
}

/* If a line begins with the key of the unset integer, append the key and a byte UNSET, and store
 * the integer in the item. Returns the length of both in the line, or 0. In canonical JSON each key
 * of the outermost level begins a line. */
static size_t add_unset(const struct merge_schema *how, struct merge_item *i, const char *line,
	size_t n, struct buffer *out)
{
	char head[KEY_MAX];
	size_t k, size;

	if (!how->unset || n < 3 || line[2] != '"')
		return 0;
	k = (size_t)snprintf(head, sizeof(head), "  \"%s\": {\"%s\": ", how->unset_in, how->unset);
	if (n <= k || memcmp(line, head, k) != 0)
		return 0;
	for (size = 0; k + size < n && strchr("-0123456789", line[k + size]); size++)
		if (size + 1 == sizeof(i->unset))
			return 0;
	memcpy(i->unset, line + k, size);
	i->unset[size] = '\0';
	buffer_append(out, line, k);
	buffer_byte(out, UNSET);
	return k + size;
}

/* In canonical JSON a key and its string are on one line, so lines can be changed one by one. */
static int change_line(void *arg, const char *line, size_t n, struct buffer *out)
{
	const struct naming *g = arg;
	size_t unset = 0;

	if (g->names == CONTENT_NUMBERS)
		unset = add_unset(g->m->schema, g->i, line, n, out);
	return change_names(g, line + unset, n - unset, out);
}

int content_open(
	struct merge *m, struct merge_item *i, enum content_names names, struct reader *ret)
{
	struct naming *g;
	int r = reader_open(&m->sides[i->side].tree, i->path, ret);

	if (r < 0 || !m->schema->references || !content_is_json(i))
		return r;
	g = malloc(sizeof(*g));
	if (!g)
		return -ENOMEM;
	*g = (struct naming){m, i, names};
	return reader_replace_lines(ret, change_line, g);
}

/* The unset integer of a file: that of ours, or else of the base, or else of theirs. */
static const char *unset_of(const struct merge_node *x)
{
	static const enum which order[] = {OURS, BASE, THEIRS};
	const char *is = "";

	for (int k = 0; !is[0] && k < SIDES; k++)
		is = x->items[order[k]] ? x->items[order[k]]->unset : "";
	return is;
}

/* Replace the numbers and UNSET bytes of a joined JSON file by old names and integers. */
static int write_joined(const struct merge *m, const struct merge_node *made, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const struct bytes *in = made->content.mem;
	const char *p = (const char *)in->data, *end = p + in->size;
	char *after;

	for (const char *at = p; at < end; at++) {
		if (*at != MARK && *at != UNSET)
			continue;
		buffer_append(&out, p, (size_t)(at - p));
		p = at + 1;
		if (*at == UNSET) {
			buffer_text(&out, unset_of(made));
		} else {
			const struct merge_node *x = m->nodes[strtoul(p, &after, 10)];

			p = after + add_name(&out, x, CONTENT_OLD_NAMES);
		}
	}
	buffer_append(&out, p, (size_t)(end - p));
	return buffer_finish(&out, ret);
}

int content_open_merged(struct merge *m, struct merge_node *x, struct reader *ret)
{
	struct bytes *b = NULL;
	int r = 0;

	if (!x->has_content)
		return content_open(m, x->items[THEIRS], CONTENT_OLD_NAMES, ret);
	if (x->content.mem && m->schema->references && content_is_json(merged_item(x)))
		r = write_joined(m, x, &b);
	*ret = r < 0 ? (struct reader){0}
	       : b   ? reader_from_extent(extent_of_bytes(b))
		     : reader_from_extent(extent_ref(&x->content));
	return r;
}

static void sketch_add(struct merge_item *i, uint64_t hash)
{
	unsigned at = i->n_sketch;

	while (at && i->sketch[at - 1] > hash)
		at--;
	if (at == SKETCH || (at && i->sketch[at - 1] == hash))
		return;
	i->n_sketch += i->n_sketch < SKETCH;
	memmove(&i->sketch[at + 1], &i->sketch[at], (i->n_sketch - 1 - at) * sizeof(i->sketch[0]));
	i->sketch[at] = hash;
}

/* Equal on every machine, because the result of a merge depends on similarity. */
static uint64_t hash_pair(uint64_t hash, uint64_t number)
{
	const uint64_t both[2] = {htole64(hash), htole64(number)};

	return digest_hash(both, sizeof(both));
}

/* `number` is the row in a table; 0 in a text, where the position of a line does not matter. */
static void sketch_line(struct merge_item *i, const char *line, size_t n, uint64_t number)
{
	sketch_add(i, hash_pair(digest_hash(line, n), number));
}

/* Offset of the value in a line with this key of the outermost level; 0 if the line has another
 * key. In canonical JSON each key of the outermost level begins a line. */
static size_t key_length(const char *key, const char *line, size_t n)
{
	char head[KEY_MAX];
	size_t size = (size_t)snprintf(head, sizeof(head), "  \"%s\": ", key);

	return n > size && memcmp(line, head, size) == 0 ? size : 0;
}

static void scan_keys(
	struct merge_item *i, const struct merge_schema *how, const char *line, size_t n)
{
	n -= line[n - 1] == '\n';
	n -= n && line[n - 1] == ',';
	for (const struct merge_kind *s = how->kinds; s && s->key; s++) {
		size_t size = key_length(s->key, line, n);

		if (!size)
			continue;
		i->kind ^= digest_hash(line, n);
		i->is_unique |=
			s->repeatable && (n - size != strlen(s->repeatable) ||
						 memcmp(line + size, s->repeatable, n - size) != 0);
	}
	for (const char *const *key = how->drawn_with; key && *key; key++)
		if (key_length(*key, line, n))
			i->drawn ^= digest_hash(line, n);
}

/* Length of a row without the zeros at its end. A wider layer has more of them, and equal empty
 * cells are no evidence of similarity. */
static size_t trimmed_length(const char *line, size_t n)
{
	while (n && line[n - 1] == '0') {
		size_t k = n - 1;

		while (k && line[k - 1] == ' ')
			k--;
		if (k && line[k - 1] != ',')
			break;
		n = k ? k - 1 : 0;
	}
	return n;
}

/* Scan a file in pieces, because it and its lines may be too large for memory. how: NULL if the
 * file is no JSON. */
static int scan_content(struct merge_item *i, const struct merge_schema *how, struct reader *reader)
{
	bool table = strcmp(i->ending, ".csv") == 0;
	const char *text;
	size_t n;
	int r;

	for (uint64_t y = 0; (r = reader_next(reader, PIECE, &text, &n)) > 0; y += table) {
		digest_add(&i->digest, text, n);
		if (how)
			scan_keys(i, how, text, n);
		if (table)
			n = trimmed_length(text, n - (text[n - 1] == '\n'));
		if (n)
			sketch_line(i, text, n, y);
	}
	return r;
}

static int scan_file(struct merge *m, struct merge_item *i)
{
	const struct merge_schema *how = content_is_json(i) ? m->schema : NULL;
	struct reader reader = {0};
	int r = content_open(m, i, CONTENT_NUMBERS, &reader);

	if (how && how->external && i->is_object && strcmp(i->parent->name, how->external) == 0) {
		i->kind = digest_hash(i->bare, strlen(i->bare));
		i->is_unique = true;
	}
	if (r == 0)
		r = scan_content(i, how, &reader);
	reader_close(&reader);
	if (r < 0 && r != -ENOMEM) {
		i->digest = digest_of("unreadable", 10);
		i->n_sketch = 0;
		r = 0;
	}
	return r;
}

/* Combine the children. Uses their names without numbers: the order of the children implies them.
 */
static void scan_dir(struct merge_item *i, struct buffer *sum)
{
	for (size_t k = 0; k < i->n; k++) {
		const struct merge_item *c = i->children[k];
		const char *name = c->is_object ? c->bare : c->name;
		uint64_t hash = digest_hash(name, strlen(name));

		i->kind ^= c->is_dir ? 0 : c->kind;
		i->drawn ^= c->is_dir ? 0 : c->drawn;
		i->is_unique |= c->is_unique;
		buffer_text(sum, name);
		buffer_byte(sum, '\0');
		buffer_append(sum, &c->digest, sizeof(c->digest));
		for (unsigned s = 0; s < c->n_sketch; s++)
			sketch_add(i, hash_pair(hash, c->sketch[s]));
	}
	i->digest = digest_of(sum->data, sum->size);
}

int content_scan(struct merge *m, struct merge_item *i)
{
	CLEANUP_BUFFER struct buffer sum = BUFFER_INIT;
	int r = 0;

	if (i->is_scanned)
		return 0;
	if (!i->is_dir)
		r = scan_file(m, i);
	for (size_t k = 0; r == 0 && k < i->n; k++)
		r = content_scan(m, i->children[k]);
	if (r == 0 && i->is_dir)
		scan_dir(i, &sum);
	i->is_scanned = r == 0;
	return r < 0 ? r : sum.error;
}

unsigned content_similarity(const struct merge_item *a, const struct merge_item *b)
{
	unsigned i = 0, j = 0, all = 0, both = 0;

	if (digest_same(&a->digest, &b->digest))
		return 1000;
	/* The share of common hashes among the smallest hashes of both (MinHash). */
	while (all < SKETCH && (i < a->n_sketch || j < b->n_sketch)) {
		uint64_t x = i < a->n_sketch ? a->sketch[i] : UINT64_MAX;
		uint64_t y = j < b->n_sketch ? b->sketch[j] : UINT64_MAX;

		both += x == y;
		i += x <= y;
		j += y <= x;
		all++;
	}
	return all ? both * 999 / all : 0;
}
