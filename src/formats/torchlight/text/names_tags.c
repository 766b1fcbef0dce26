/* SPDX-License-Identifier: Zlib */
#include <stdlib.h>

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/names.h"

/* The last string and the last integer; which of the two comes first does not matter. */
struct tags {
	struct buffer name;
	uint32_t hash;
	bool has_hash;
	struct buffer *out;
};

static int take_tag(void *arg, const struct bindat_value *v, struct error *e)
{
	struct tags *t = arg;
	struct str name;

	(void)e;
	if (v->s.units) {
		t->name.size = 0;
		ss_to_utf8(v->s, &t->name);
	} else {
		t->hash = load_u32(v->value);
		t->has_hash = true;
	}
	name = str_of_buffer(&t->name);
	if (t->name.size && t->has_hash && name_hash(name) == t->hash) {
		buffer_str(t->out, name);
		buffer_byte(t->out, '\n');
		t->name.size = 0;
		t->has_hash = false;
	}
	return t->name.error;
}

int names_of_tags(const uint8_t *data, size_t size, struct buffer *out, struct error *e)
{
	struct tags t = {.out = out};
	int r = bindat_each(data, size, take_tag, &t, e);

	buffer_finish_free(&t.name);
	return r < 0 ? r : out->error;
}
