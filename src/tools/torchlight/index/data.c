/* SPDX-License-Identifier: Zlib */
/* Indexes whose rows follow from one data file alone, without base files. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/torchlight/text/number.h"
#include "tools/torchlight/index/derive.h"

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

/* Append an integer of the file, or the default if the file does not have it. */
static void put_field(struct job *j, const char *name, int64_t otherwise)
{
	const struct dat_field *f = derive_field(j->root, name);
	int32_t v;

	derive_put_number(j, f && number_get_i32(f->value, &v) ? v : otherwise);
}

/* Append a list of all values in blocks with a given name, whatever their keys. */
static void put_values(struct job *j, const char *name)
{
	uint32_t hash = name_hash(str_of(name));

	derive_put_list(j);
	for (const struct dat_block *b = j->root->blocks; b; b = b->next)
		for (const struct dat_field *f = b->fields; f && name_value(b->name) == hash;
			f = f->next)
			derive_put_element(j, f->value);
}

static void put_name(struct job *j, struct str otherwise)
{
	struct str name = derive_text(j->root, "NAME");

	derive_put_upper(j, name.n ? name : otherwise);
}

int derive_affix(const struct sources *, struct job *j)
{
	derive_put(j, j->file->path);
	put_name(j, STR("NA"));
	put_field(j, "MIN_SPAWN_RANGE", 0);
	put_field(j, "MAX_SPAWN_RANGE", 999999);
	put_field(j, "WEIGHT", 1);
	put_field(j, "DIFFICULTIES_ALLOWED", -1);
	put_values(j, "UNITTYPES");
	put_values(j, "NOT_UNITTYPES");
	return 0;
}

/* A skill without a GUID keeps the one in its old row. */
int derive_skill(const struct sources *, struct job *j)
{
	struct str guid = derive_text(j->root, "UNIQUE_GUID");
	int64_t id = -1;
	bool said = guid.n && number_get_i64(guid, &id);

	if (!derive_text(j->root, "NAME").n) {
		j->refusal = "no NAME";
		return 0;
	}
	put_name(j, STR(""));
	derive_put(j, j->file->path);
	if (!said && j->old)
		derive_keep_cell(j, 2);
	else
		derive_put_number(j, said ? id : -1);
	return 0;
}

int derive_triggerable(const struct sources *, struct job *j)
{
	derive_put(j, j->file->path);
	put_name(j, stem_of(j->file->path));
	return 0;
}

int derive_roompieces(const struct sources *, struct job *j)
{
	uint32_t piece = name_hash(STR("PIECE"));
	char text[24];
	int64_t id;

	derive_put(j, j->file->path);
	derive_put_list(j);
	for (const struct dat_block *b = j->root->blocks; b; b = b->next) {
		struct str guid = derive_text(b, "GUID");

		if (name_value(b->name) != piece || !guid.n || !number_get_i64(guid, &id))
			continue;
		snprintf(text, sizeof(text), "%" PRId64, id);
		derive_put_element(j, str_of(text));
	}
	return 0;
}
