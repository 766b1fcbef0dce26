/* SPDX-License-Identifier: Zlib */
/* Indexes of data files that say all of their rows themselves. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/torchlight/index/derive.h"
#include "formats/torchlight/text/number.h"

static struct str stem_of(struct str path)
{
	struct str s = path;

	for (size_t i = path.n; i-- > 0;) {
		if (path.s[i] == '/')
			return (struct str){path.s + i + 1, s.n - i - 1};
		if (path.s[i] == '.' && s.n == path.n)
			s.n = i;
	}
	return s;
}

/* The values of all blocks of a name, whatever their keys are. */
static void put_values(struct derived *d, const struct dat_block *root, const char *name)
{
	uint32_t hash = name_hash(str_of(name));

	derive_put_list(d);
	for (const struct dat_block *b = root->blocks; b; b = b->next) {
		if (name_value(b->name) != hash)
			continue;
		for (const struct dat_field *f = b->fields; f; f = f->next)
			derive_put_element(d, f->value);
	}
}

int derive_affix(const struct sources *s, const struct source_file *f, const struct dat_block *root,
	const struct row *old, struct derived *ret, struct error *e)
{
	struct str name = derive_text(root, "NAME");

	(void)s, (void)old, (void)e;
	derive_put(ret, f->path);
	derive_put(ret, derive_upper(ret, name.n ? name : STR("NA")));
	derive_put_field(ret, root, "MIN_SPAWN_RANGE", 0);
	derive_put_field(ret, root, "MAX_SPAWN_RANGE", 999999);
	derive_put_field(ret, root, "WEIGHT", 1);
	derive_put_field(ret, root, "DIFFICULTIES_ALLOWED", -1);
	put_values(ret, root, "UNITTYPES");
	put_values(ret, root, "NOT_UNITTYPES");
	return 0;
}

/* A skill without a GUID of its own keeps the one that its row has. */
int derive_skill(const struct sources *s, const struct source_file *f, const struct dat_block *root,
	const struct row *old, struct derived *ret, struct error *e)
{
	struct str name = derive_text(root, "NAME"), guid = derive_text(root, "UNIQUE_GUID");
	int64_t id;

	(void)s, (void)e;
	if (!name.n) {
		ret->why_not = "it has no NAME";
		return 0;
	}
	derive_put(ret, derive_upper(ret, name));
	derive_put(ret, f->path);
	if (guid.n && number_get_i64(guid, &id))
		derive_put_number(ret, id);
	else if (old)
		derive_keep(ret, old->cells[2]);
	else
		derive_put_number(ret, -1);
	return 0;
}

int derive_triggerable(const struct sources *s, const struct source_file *f,
	const struct dat_block *root, const struct row *old, struct derived *ret, struct error *e)
{
	struct str name = derive_text(root, "NAME");

	(void)s, (void)old, (void)e;
	derive_put(ret, f->path);
	derive_put(ret, derive_upper(ret, name.n ? name : stem_of(f->path)));
	return 0;
}

int derive_roompieces(const struct sources *s, const struct source_file *f,
	const struct dat_block *root, const struct row *old, struct derived *ret, struct error *e)
{
	uint32_t piece = name_hash(STR("PIECE"));
	char text[24];
	int64_t id;

	(void)s, (void)old, (void)e;
	derive_put(ret, f->path);
	derive_put_list(ret);
	for (const struct dat_block *b = root->blocks; b; b = b->next) {
		struct str guid = derive_text(b, "GUID");

		if (name_value(b->name) != piece || !guid.n || !number_get_i64(guid, &id))
			continue;
		snprintf(text, sizeof(text), "%" PRId64, id);
		derive_put_element(ret, str_of(text));
	}
	return 0;
}
