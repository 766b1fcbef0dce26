/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/rules/look.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "codec/text/area.h"

bool tw_look_is_complete(const struct tw_look *look)
{
	return look->physics->layers[TW_GAME].is_present && !look->physics->unread;
}

void tw_warn_at(const struct tw_look *look, const struct tw_played_layer *l, struct tw_spot spot,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (!spot.n)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tw_warn(look, tw_in_item(l->handle), field, value, bound, "%s%s: %s",
		area_text(area_at(spot.first % l->t.w, spot.first / l->t.w)).text,
		spot.n > 1 ? tw_text(" and %" PRIu32 " more", spot.n - 1).text : "", text);
}
