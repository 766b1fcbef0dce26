/* SPDX-License-Identifier: Zlib */
/*
 * names: compiled files contain hashes of names; a dictionary maps the hashes to names.
 *
 * hash: h = number of UTF-16 units; for each unit c of the upper-cased (ASCII) name h = rotl32(h,
 * 5) ^ c. Checked: "A" is 97, "NAME" 0x00660DE5.
 *
 * A hash with an unknown name is shown as UNK_XXXXXXXX (eight hexadecimal digits), and a name of
 * this form means this hash. A dictionary is an immutable, ref-counted version; names_extend makes
 * the next one. The texts of compiled files depend on it: a caller that replaces the dictionary in
 * use must assume that the size and content of each text change.
 *
 * The shipped list (names.txt) was collected from public text files. Numbered families (LEVEL0,
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

/* Facts about a text that the compiler reports besides the compiled file. */
struct compiled_remarks {
	struct buffer names; /* unknown names, or learned lines of a layout, for names_extend */
	unsigned small_line; /* first line with a type in lower case, except string; 0: none */
};

uint32_t name_hash(struct str name);
/* Is the name a hash in decimal digits (1000000 to 4294967295), as some tools show unknown ones? */
bool name_is_number(struct str name, uint32_t *ret);
/* The hash of a name in a text: the number of UNK_XXXXXXXX or of decimal digits, else name_hash. */
uint32_t name_value(struct str name);

/* Can the name be written in a text, so that it means its hash? It needs 1 to 1000 bytes of UTF-8,
 * no control characters, none of []<>:, and another form than UNK_XXXXXXXX. */
bool name_is_usable(struct str name);

/* The shipped list, the families and the table of layouts. Returns NULL if memory is exhausted. */
struct names *names_create(void);
struct names *names_ref(struct names *n); /* NULL is fine; any thread */
void names_unref(struct names *n);
DEFINE_CLEANUP(struct names, names_unref);

/*
 * Make the dictionary of base and the names of list. base may be NULL. The names are separated by
 * line feeds; CR, blanks around a name, and lines that begin with '#' are skipped, and so are names
 * that are not usable (name_is_usable) or whose hash is known, from base or an earlier line. Names
 * become upper case. Lines of a layout's table (schema.h), which have tabs, may come between them.
 * If nothing is new, *ret is a new reference to base. -EFBIG: the list has 2 GiB or more. -ENOMEM.
 */
int names_extend(
	struct names *base, const char *list, size_t size, struct names **ret, struct error *e);

/* Append the names of the game's own dictionary MEDIA/TAGS.DAT to out, as a list for names_extend.
 * It is a BINDAT whose blocks contain a STRING and an INTEGER, the string's hash. -EIO: it is
 * invalid. */
int names_of_tags(const uint8_t *data, size_t size, struct buffer *out, struct error *e);

/* The lines of layout tables that this version adds to its base, sorted by type; *ret_n of them. */
const struct layout_property *names_properties(const struct names *n, size_t *ret_n);
const struct names *names_base(const struct names *n); /* the previous version; or NULL */
size_t names_depth(const struct names *n);             /* number of versions below */
/* The names and lines that this version adds to its base, as a list for names_extend. */
struct str names_text(const struct names *n);

/* Find the name of a hash; borrowed from n. false: it is unknown. n may be NULL, without names. */
bool names_find(const struct names *n, uint32_t hash, struct str *ret);
/* Append the name of a hash, or UNK_XXXXXXXX; nothing for 0, that of the empty name. n as above. */
void names_put(const struct names *n, uint32_t hash, struct buffer *out);
