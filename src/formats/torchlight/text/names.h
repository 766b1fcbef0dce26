/* SPDX-License-Identifier: Zlib */
/*
 * names: compiled files hold hashes of names; a dictionary gives the names back.
 *
 * hash: h = number of UTF-16 units; for each unit c of the upper-cased (ASCII) name
 * h = rotl32(h, 5) ^ c. Checked: "A" is 97, "NAME" 0x00660DE5.
 *
 * A hash that no name is known for is shown as UNK_XXXXXXXX (its eight hexadecimal digits), and a
 * name of that form stands for the number. A dictionary is an immutable version: names_extend makes
 * the next one. Texts of compiled files depend on it, so whoever replaces the dictionary in use
 * must take every text's size and content for changed.
 *
 * The shipped list (names.txt) was collected from public text files; numbered families (LEVEL0,
 * LEVEL1, ...) are generated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "formats/torchlight/text/layout/schema.h"
#include "formats/torchlight/wire/wire.h"

struct names;

/* Facts about a text that compiling it finds, besides its result. */
struct compiled_remarks {
	struct buffer names; /* those that no dictionary has: a list for names_extend */
	unsigned small_line; /* the first with a type that is a STRING for its small letters; 0:
				none */
};

uint32_t name_hash(struct str name);
/* Is the name a hash in decimal digits (1000000 to 4294967295), as other tools print one that they
 * know no name for? */
bool name_is_number(struct str name, uint32_t *ret);
/* The hash that a name in a text stands for: the number of UNK_XXXXXXXX or of decimal digits, else
 * name_hash. */
uint32_t name_value(struct str name);

/* Could it stand in a text, and mean its hash? */
bool name_is_usable(struct str name);

/* The shipped list, the families and the layouts' table. NULL: no memory. */
struct names *names_create(void);
struct names *names_ref(struct names *n);
void names_unref(struct names *n);
DEFINE_CLEANUP(struct names, names_unref);

/*
 * base and the names of list, which are separated by line feeds (CR, blanks around and lines that
 * begin with '#' are skipped). What could not stand in a text (with control characters or one of
 * []<>:) is passed over, and so is a name whose hash base has already. Where nothing is new, *ret
 * is a reference of base. The names become upper case. Lines of a layout's table (schema.h)
 * may stand among them.
 */
int names_extend(
	struct names *base, const char *list, size_t size, struct names **ret, struct error *e);

/*
 * The game's own dictionary MEDIA/TAGS.DAT (a BINDAT whose blocks hold a STRING and an INTEGER
 * that is the string's hash): its names as a list for names_extend, appended to out.
 */
int names_of_tags(const uint8_t *data, size_t size, struct buffer *out, struct error *e);

/* The lines of layouts' tables that this version adds to base; *ret_n of them, by type. */
const struct layout_property *names_properties(const struct names *n, size_t *ret_n);
const struct names *names_base(const struct names *n); /* NULL: none */
size_t names_depth(const struct names *n);             /* how many of them are below */
/* What this version adds to base: a list for names_extend, which makes the same of it. */
struct str names_text(const struct names *n);

/* false: not known. n may be NULL (nothing is). */
bool names_find(const struct names *n, uint32_t hash, struct str *ret);
/* Appends the name or UNK_XXXXXXXX. */
void names_put(const struct names *n, uint32_t hash, struct buffer *out);
