/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/refs.h"
#include "codec/text/text.h"

extern const char torchlight_names[], torchlight_layout_schema[];

struct name {
	uint32_t hash;
	uint32_t at; /* in text */
	uint32_t n;
};

struct names {
	atomic_uint refs;
	struct names *base;  /* the previous version, or NULL */
	size_t depth;        /* number of versions below */
	struct name *sorted; /* by hash, unique, without those of base */
	size_t count, room;
	struct layout_property *properties; /* of layouts, by type, without those of base */
	size_t n_properties, room_properties;
	char *text; /* names and lines, each with a line feed */
	size_t text_size;
};

const struct layout_property *names_properties(const struct names *n, size_t *ret_n)
{
	*ret_n = n->n_properties;
	return n->properties;
}

const struct names *names_base(const struct names *n)
{
	return n->base;
}

size_t names_depth(const struct names *n)
{
	return n->depth;
}

struct str names_text(const struct names *n)
{
	return (struct str){n->text, n->text_size};
}

/* Families of names that occur with many numbers: LEVEL3, CHILD12 ... */
static const char *const families[] = {
	"LEVEL", "CHILD", "IMAGE", "VALUE", "GRAPH", "BONE", "STRATA", "ENCHANTCOST"};
enum { FAMILY_MAX = 200 };

static uint32_t mix_unit(uint32_t h, uint32_t unit)
{
	return (h << 5 | h >> 27) ^ (unit >= 'a' && unit <= 'z' ? unit - 32 : unit);
}

/* Decode the character, half surrogate or stray byte at s. Returns its length. */
static size_t next_char(const char *s, size_t n, uint32_t *ret)
{
	size_t len = utf8_next(s, n, ret);

	if (len)
		return len;
	*ret = (unsigned char)*s;
	if (*ret != 0xED || n < 3)
		return 1;
	*ret = 0xD000 | ((uint32_t)s[1] & 0x3F) << 6 | ((uint32_t)s[2] & 0x3F);
	return 3;
}

uint32_t name_hash(struct str name)
{
	uint32_t h = (uint32_t)str_units(name), c;

	for (size_t i = 0; i < name.n;) {
		i += next_char(name.s + i, name.n - i, &c);
		if (c > 0xFFFF) {
			h = mix_unit(h, 0xD7C0 + (c >> 10));
			c = 0xDC00 | (c & 0x3FF);
		}
		h = mix_unit(h, c);
	}
	return h;
}

static bool read_unknown(struct str name, uint64_t *ret)
{
	return name.n == 12 && str_equal_nocase((struct str){name.s, 4}, STR("UNK_")) &&
	       number_hex((struct str){name.s + 4, 8}, 8, ret);
}

bool name_is_number(struct str name, uint32_t *ret)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.s[i] < '0' || name.s[i] > '9')
			return false;
	return name.n >= 7 && name.n <= 10 && *name.s != '0' && number_get_u32(name, ret);
}

uint32_t name_value(struct str name)
{
	uint32_t number;
	uint64_t v;

	if (read_unknown(name, &v))
		return (uint32_t)v;
	return name_is_number(name, &number) ? number : name_hash(name);
}

DEFINE_REF(struct names, names_ref)

void names_unref(struct names *n)
{
	struct names *base;

	while (n && refs_drop(&n->refs)) {
		base = n->base;
		free(n->sorted);
		free(n->properties);
		free(n->text);
		free(n);
		n = base;
	}
}

bool names_find(const struct names *n, uint32_t hash, struct str *ret)
{
	for (; n; n = n->base) {
		size_t at = array_bisect(i, n->count, n->sorted[i].hash >= hash);

		if (at < n->count && n->sorted[at].hash == hash) {
			*ret = (struct str){n->text + n->sorted[at].at, n->sorted[at].n};
			return true;
		}
	}
	return false;
}

void names_put(const struct names *n, uint32_t hash, struct buffer *out)
{
	struct str name;

	if (names_find(n, hash, &name))
		buffer_str(out, name);
	else if (hash)
		buffer_printf(out, "UNK_%08" PRIX32, hash);
	/* The hash of the empty name is 0. */
}

bool name_is_usable(struct str name)
{
	uint64_t v;

	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.s[i] < 32 || strchr("[]<>:", name.s[i]))
			return false;
	return name.n && name.n <= 1000 && utf8_valid(name.s, name.n) && !read_unknown(name, &v);
}

static int by_hash(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	/* The first of two names with the same hash stays. */
	return array_compare(x->hash, y->hash) ?: array_compare(x->at, y->at);
}

/* Is the line known, or does it contradict a known one? Sets p->type_name if that is known. */
static bool is_known(const struct names *n, struct layout_property *p)
{
	bool named = layout_type_name(n, p->type, &p->type_name);
	int axis;

	if (!p->name.n)
		return named;
	return layout_property_named(n, p->type, p->name, &axis) ||
	       (p->kind != LAYOUT_NONE && layout_property_find(n, p->type, p->code));
}

/* A line of a layout's table. */
static int add_property(struct names *n, struct str line)
{
	struct str own = {n->text + n->text_size, line.n};
	struct layout_property p;
	size_t at;

	memcpy(n->text + n->text_size, line.s, line.n);
	if (memchr(line.s, 0, line.n) || !layout_schema_line(own, &p))
		return 0;
	/* The first list is the shipped one, which does not contradict itself. */
	if (n->base && is_known(n, &p))
		return 0;
	if (!array_reserve(n->properties, n->n_properties, n->room_properties))
		return -ENOMEM;
	at = array_bisect(i, n->n_properties, n->properties[i].type > p.type);
	memmove(&n->properties[at + 1], &n->properties[at],
		(n->n_properties++ - at) * sizeof(*n->properties));
	n->properties[at] = p;
	n->text_size += line.n;
	n->text[n->text_size++] = '\n';
	return 0;
}

static int add_name(struct names *n, struct str line)
{
	struct name name = {name_value(line), (uint32_t)n->text_size, (uint32_t)line.n};
	struct str known;

	if (names_find(n->base, name.hash, &known))
		return 0;
	if (!array_reserve(n->sorted, n->count, n->room))
		return -ENOMEM;
	for (size_t i = 0; i < line.n; i++)
		n->text[n->text_size++] = char_upper(line.s[i]);
	n->text[n->text_size++] = '\n';
	n->sorted[n->count++] = name;
	return 0;
}

/* Add the usable new names of list to n, without sorting them. */
static int collect_names(struct names *n, struct str rest)
{
	struct str line;
	int r = 0;

	while (r == 0 && rest.n) {
		line = number_trim(str_cut(&rest, '\n'));
		if (memchr(line.s, '\t', line.n))
			r = add_property(n, line);
		else if (name_is_usable(line) && *line.s != '#')
			r = add_name(n, line);
	}
	return r;
}

static void sort_unique(struct names *n)
{
	size_t kept = 0;

	if (n->count)
		qsort(n->sorted, n->count, sizeof(*n->sorted), by_hash);
	for (size_t i = 0; i < n->count; i++)
		if (!kept || n->sorted[kept - 1].hash != n->sorted[i].hash)
			n->sorted[kept++] = n->sorted[i];
	n->count = kept;
}

int names_extend(
	struct names *base, const char *list, size_t size, struct names **ret, struct error *e)
{
	CLEANUP(names_unref) struct names *n = calloc(1, sizeof(*n));

	if (size > UINT32_MAX / 2)
		return error_set(e, -EFBIG, "the list of names has %zu bytes", size);
	if (!n)
		return error_set(e, -ENOMEM, "out of memory");
	atomic_init(&n->refs, 1);
	n->text = malloc(size + 1);
	n->base = names_ref(base);
	n->depth = base ? base->depth + 1 : 0;
	if (!n->text || collect_names(n, (struct str){list, size}) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	sort_unique(n);
	if (base && !n->count && !n->n_properties)
		*ret = names_ref(base);
	else
		*ret = TAKE(n);
	return 0;
}

struct names *names_create(void)
{
	CLEANUP_BUFFER struct buffer list = BUFFER_INIT;
	struct names *n;

	buffer_text(&list, torchlight_names);
	buffer_text(&list, torchlight_layout_schema);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (int k = 0; k <= FAMILY_MAX; k++)
			buffer_printf(&list, "%s%d\n", families[i], k);
	if (list.error || names_extend(NULL, (const char *)list.data, list.size, &n, NULL) < 0)
		return NULL;
	return n;
}
