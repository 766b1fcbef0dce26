/* SPDX-License-Identifier: Zlib */
/*
 * Units: a unit inherits missing values from its BASEFILE, which may have a BASEFILE, too.
 *
 * Like the kit, take a number from the first of these files that has another value than the
 * default. If the chain leads out of the archive, a value that none of its files has is unknown.
 */
#include <string.h>

#include "formats/torchlight/text/number.h"
#include "tools/torchlight/index/derive.h"

enum { CHAIN_MAX = 32, PATH_MOST = 1024 };

/* Cells of UNITDATA. */
enum { GUID = 1, NAME, FLAGS = 4, LEVEL, MIN, MAX, RARITY, RARITY_HC, UNITTYPE };
enum { FLAG_EQUIPMENT = 1, FLAG_SET = 2 };

struct unit {
	const struct dat_block *chain[CHAIN_MAX]; /* the unit, its base, the base of that, ... */
	struct source_text bases[CHAIN_MAX];
	unsigned n;
	char away[PATH_MOST]; /* path of the base that is not in the archive, or "" */
	const struct row *old;
	struct job *j;
};

static void unit_finish(struct unit *u)
{
	for (unsigned i = 0; i < CHAIN_MAX; i++)
		source_text_finish(&u->bases[i]);
}
#define CLEANUP_UNIT __attribute__((cleanup(unit_finish)))

/* Normalize the path of a base: "media\units\items\base.dat", with or without "media\". */
static bool base_path(struct str s, char *ret)
{
	bool whole = s.n > 6 && str_equal_nocase((struct str){s.s, 5}, STR("MEDIA")) &&
		     (s.s[5] == '/' || s.s[5] == '\\');
	size_t n = whole ? 0 : 6;

	if (!s.n || s.n + 7 > PATH_MOST)
		return false;
	memcpy(ret, "MEDIA/", 6);
	memcpy(ret + n, s.s, s.n);
	ret[n + s.n] = 0;
	for (char *c = ret; *c; c++)
		if (*c == '\\')
			*c = '/';
	return true;
}

/* Read the chain of bases. A base that cannot be read counts as missing in the archive. */
static int find_bases(const struct sources *s, struct unit *u)
{
	while (u->n < CHAIN_MAX) {
		const struct source_file *f;
		int r;

		if (!base_path(derive_text(u->chain[u->n - 1], "BASEFILE"), u->away)) {
			u->away[0] = 0;
			return 0;
		}
		f = sources_find(s, str_of(u->away));
		r = f ? source_read(s, f, &u->bases[u->n], NULL) : -ENOENT;
		if (r < 0)
			return r == -ENOMEM ? r : 0;
		u->chain[u->n] = u->bases[u->n].tree->root;
		u->n++;
	}
	u->away[0] = 0; /* the chain is a cycle, or too long */
	return 0;
}

/* Note that the row lacks a value, which a file of the game may have. */
static void note_lacking(struct unit *u, const char *what)
{
	struct buffer *b = &u->j->lacking;

	buffer_printf(b, "%s%s", b->size ? ", no " : "no ", what);
}

static struct str text_of(const struct unit *u, const char *name)
{
	for (unsigned i = 0; i < u->n; i++) {
		struct str s = derive_text(u->chain[i], name);

		if (s.n)
			return s;
	}
	return STR("");
}

static void put_text(struct unit *u, const char *name, unsigned cell)
{
	struct str s = text_of(u, name);

	if (!s.n && u->away[0] && u->old) {
		derive_keep_cell(u->j, cell);
		return;
	}
	derive_put_upper(u->j, s);
	if (!s.n && u->away[0])
		note_lacking(u, name);
}

/* Find a number. Returns false, and the default, if only a file of the game may have it. */
static bool number_of(const struct unit *u, const char *name, int32_t otherwise, int32_t *ret)
{
	bool said = false;
	int32_t v;

	*ret = otherwise;
	for (unsigned i = 0; i < u->n; i++) {
		const struct dat_field *f = derive_field(u->chain[i], name);

		if (!f || !f->value.n || !number_get_i32(f->value, &v))
			continue;
		said = true;
		if (v == otherwise)
			continue;
		*ret = v;
		return true;
	}
	return said || !u->away[0];
}

static void put_number(struct unit *u, const char *name, int32_t otherwise, unsigned cell)
{
	int32_t v;

	if (number_of(u, name, otherwise, &v) || !u->old) {
		derive_put_number(u->j, v);
		return;
	}
	derive_keep_cell(u->j, cell);
}

/* The rarity in hardcore games defaults to the other rarity. */
static void put_rarities(struct unit *u)
{
	int32_t rarity, hardcore;
	bool known = number_of(u, "RARITY", 1, &rarity), said;

	if (!known && u->old && !number_get_i32(u->old->cells[RARITY], &rarity))
		rarity = 1;
	said = number_of(u, "RARITY_HARDCORE", rarity, &hardcore);
	derive_put_number(u->j, rarity);
	if (said || !u->old || str_equal(u->old->cells[RARITY], u->old->cells[RARITY_HC]))
		derive_put_number(u->j, hardcore);
	else
		derive_keep_cell(u->j, RARITY_HC);
}

/* If the base is in the game, assume that a new item is equipment, as all items of the game are. */
static void put_flags(struct unit *u, bool item)
{
	struct str created = text_of(u, "CREATEAS"), set = text_of(u, "SET");
	uint32_t flags = 0, old = 0;

	if (u->away[0] && u->old)
		(void)number_get_u32(u->old->cells[FLAGS], &old);
	else if (u->away[0] && item)
		old = FLAG_EQUIPMENT;
	if (created.n ? str_equal_nocase(created, STR("EQUIPMENT")) : old & FLAG_EQUIPMENT)
		flags |= FLAG_EQUIPMENT;
	if (set.n || (old & FLAG_SET))
		flags |= FLAG_SET;
	derive_put_number(u->j, flags);
}

static void put_guid(struct unit *u)
{
	struct str s = text_of(u, "UNIT_GUID");
	int64_t id = -1;

	if (!(s.n && number_get_i64(s, &id)) && u->old) {
		derive_keep_cell(u->j, GUID);
		return;
	}
	derive_put_number(u->j, id);
	if (id == -1)
		note_lacking(u, "UNIT_GUID");
}

/* The list of a unit by its path: ITEMS for "MEDIA/UNITS/ITEMS/...". "" if there is none. */
static struct str list_of(struct str path)
{
	const char *const *lists = raw_kind_find("UNITDATA.RAW")->sections;
	const size_t at = sizeof("MEDIA/UNITS/") - 1;

	for (; *lists; lists++) {
		struct str list = str_of(*lists);

		if (path.n > at + list.n && path.s[at + list.n] == '/' &&
			str_equal((struct str){path.s + at, list.n}, list))
			return list;
	}
	return STR("");
}

int derive_unit(const struct sources *s, struct job *j)
{
	CLEANUP_UNIT struct unit u = {.chain = {j->root}, .n = 1, .old = j->old, .j = j};
	struct str list = list_of(j->file->path);
	int r;

	if (!list.n || derive_bool(j->root, "DONTCREATE")) {
		j->refusal =
			list.n ? "DONTCREATE is set" : "not in ITEMS, MONSTERS, PLAYERS or PROPS";
		return 0;
	}
	r = find_bases(s, &u);
	if (r < 0)
		return r;
	derive_put(j, list);
	put_guid(&u);
	put_text(&u, "NAME", NAME);
	derive_put(j, j->file->path);
	put_flags(&u, str_equal(list, STR("ITEMS")));
	put_number(&u, "LEVEL", 1, LEVEL);
	put_number(&u, "MINLEVEL", 0, MIN);
	put_number(&u, "MAXLEVEL", 0, MAX);
	put_rarities(&u);
	put_text(&u, "UNITTYPE", UNITTYPE);
	if (j->lacking.size && u.away[0])
		buffer_printf(&j->lacking, ": %s is not in the archive", u.away);
	return 0;
}
