/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/bindat/bindat.h"

int names_of_tags(const uint8_t *data, size_t size, struct buffer *out, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {0};
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;
	struct bindat_reader reader;
	struct bindat_item item;
	uint32_t hash = 0;
	bool has_hash = false;
	int r = bindat_file_open(data, size, &f, e);

	if (r < 0)
		return r;
	bindat_begin(&f, &reader);
	/* Pair the last string with the last integer, in either order. */
	while (bindat_next(&reader, &item, NULL) > 0) {
		if (item.kind != BINDAT_FIELD)
			continue;
		if (bindat_is_string(item.type)) {
			name.size = 0;
			ss_to_utf8(item.s, &name);
		} else {
			hash = load_u32(item.value);
			has_hash = true;
		}
		if (!name.size || !has_hash || name_hash(str_of_buffer(&name)) != hash)
			continue;
		buffer_str(out, str_of_buffer(&name));
		buffer_byte(out, '\n');
		name.size = 0;
		has_hash = false;
	}
	return name.error ? name.error : out->error;
}
