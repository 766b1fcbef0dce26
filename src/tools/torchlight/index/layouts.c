/* SPDX-License-Identifier: Zlib */
/* Indexes of layouts. Rows have the names of a layout's missiles, or properties of its menu. */
#include "tools/torchlight/index/derive.h"

/* Find the properties of the next object of a kind after b. Returns NULL if there is none. */
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

int derive_missiles(const struct sources *, struct job *j)
{
	derive_put(j, j->file->path);
	derive_put_list(j);
	for (const struct dat_block *b = j->root; (b = next_object(b, STR("Missile")));) {
		CLEANUP_BUFFER struct buffer upper = BUFFER_INIT;
		struct str name = derive_text(b, "MISSILE NAME");

		derive_put_element(j, derive_upper(name.n ? name : STR("NA"), &upper));
		if (upper.error)
			return upper.error;
	}
	return 0;
}

/* Find a word in a table, ignoring case; an unknown word gives the first, "none". */
static struct str word_of(struct str s, const char *const *words, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (str_equal_nocase(s, str_of(words[i])))
			return str_of(words[i]);
	return str_of(words[0]);
}

int derive_menu(const struct sources *, struct job *j)
{
	const struct dat_block *b = next_object(j->root, STR("Menu Definition"));
	struct str name = b ? derive_text(b, "MENU NAME") : STR("");

	if (!name.n || derive_bool(b, "DO NOT CREATE")) {
		j->refusal = !b        ? "no menu"
			     : !name.n ? "the menu has no name"
				       : "DO NOT CREATE is set";
		return 0;
	}
	derive_put(j, name);
	derive_put(j, j->file->path);
	derive_put(j, word_of(derive_text(b, "TYPE"), raw_menus, RAW_MENUS));
	derive_put(j, word_of(derive_text(b, "GAME STATE"), raw_states, RAW_STATES));
	derive_put_number(j, derive_bool(b, "ALWAYS VISIBLE") || derive_bool(b, "CREATE ON LOAD"));
	derive_put_number(j, derive_bool(b, "MULTIPLAYER ONLY"));
	derive_put_number(j, derive_bool(b, "SINGLEPLAYER ONLY"));
	derive_put(j, derive_text(b, "KEY BINDING"));
	return 0;
}
