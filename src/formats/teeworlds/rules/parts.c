/* SPDX-License-Identifier: Zlib */
/* What a map should say of itself, and parts of it that nothing uses. */
#include <errno.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/holder.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/rules/look.h"

enum { AUTHOR = 0, LICENSE = 3 };

void tw_rule_info(const struct tw_look *look)
{
	static const uint8_t needed[] = {AUTHOR, LICENSE};
	const struct tw_item *it = tw_item_at(look->m, TW_INFO, 0);

	for (size_t i = 0; i < sizeof(needed); i++) {
		struct blob *b = it ? tw_blob_of(look->m, it, TW_INFO_AUTHOR + needed[i]) : NULL;
		const char *what = tw_info_names[needed[i]];
		char first = '\0';
		size_t n;

		if (b && blob_prefix(b, &first, 1, &n, NULL) < 0)
			continue;
		if (!first)
			tw_warn(look, ((struct tw_place){TW_AT_INFO, needed[i]}), what, "",
				"a text", "there is no %s", what);
	}
}

void tw_rule_unused(const struct tw_look *look)
{
	struct tw_uses uses;
	int r = tw_uses_take(look->m, NULL, &uses);

	look->f->failed |= r == -ENOMEM;
	for (int sort = 0; r == 0 && sort < TW_USABLE; sort++) {
		const struct tw_type *t = tw_type(look->m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; t && i < t->n; i++)
			if (!uses.of[sort][i])
				tw_warn(look, ((struct tw_place){TW_AT_OBJECT, t->items[i]}),
					"uses", "0", "at least 1", "nothing uses it");
	}
	tw_uses_finish(&uses);
}
