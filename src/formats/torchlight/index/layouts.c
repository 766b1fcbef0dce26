/* SPDX-License-Identifier: Zlib */
/* Indexes of layouts: what their objects of one kind are called. */
#include "formats/torchlight/index/derive.h"

/* The properties of the next object of a kind, behind b. NULL: there is none. */
static const struct dat_block *next_object(const struct dat_block *b, struct str kind)
{
	const struct dat_field *f;

	while ((b = dat_next(b))) {
		f = str_equal_nocase(b->name, STR("PROPERTIES"))
			    ? dat_find_field(b, STR("DESCRIPTOR"))
			    : NULL;
		if (f && str_equal_nocase(f->value, kind))
			return b;
	}
	return NULL;
}

int derive_missiles(const struct sources *s, const struct source_file *f,
	const struct dat_block *root, const struct row *old, struct derived *ret, struct error *e)
{
	(void)s, (void)old, (void)e;
	derive_put(ret, f->path);
	derive_put_list(ret);
	for (const struct dat_block *b = root; (b = next_object(b, STR("Missile")));) {
		struct str name = derive_text(b, "MISSILE NAME");

		derive_put_element(ret, derive_upper(ret, name.n ? name : STR("NA")));
	}
	return 0;
}

/* A word of a table; what is none of it is the first, "none". */
static struct str word_of(struct str s, const char *const *words, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (str_equal_nocase(s, str_of(words[i])))
			return str_of(words[i]);
	return str_of(words[0]);
}

int derive_menu(const struct sources *s, const struct source_file *f, const struct dat_block *root,
	const struct row *old, struct derived *ret, struct error *e)
{
	const struct dat_block *b = next_object(root, STR("Menu Definition"));
	struct str name = b ? derive_text(b, "MENU NAME") : STR("");

	(void)s, (void)old, (void)e;
	if (!name.n || derive_bool(b, "DO NOT CREATE")) {
		ret->why_not = !b        ? "it defines no menu"
			       : !name.n ? "its menu has no name"
					 : "it says DO NOT CREATE";
		return 0;
	}
	derive_put(ret, name);
	derive_put(ret, f->path);
	derive_put(ret, word_of(derive_text(b, "TYPE"), raw_menus, RAW_MENUS));
	derive_put(ret, word_of(derive_text(b, "GAME STATE"), raw_states, RAW_STATES));
	derive_put_number(
		ret, derive_bool(b, "ALWAYS VISIBLE") || derive_bool(b, "CREATE ON LOAD"));
	derive_put_number(ret, derive_bool(b, "MULTIPLAYER ONLY"));
	derive_put_number(ret, derive_bool(b, "SINGLEPLAYER ONLY"));
	derive_put(ret, derive_text(b, "KEY BINDING"));
	return 0;
}
