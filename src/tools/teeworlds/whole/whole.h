/* SPDX-License-Identifier: Zlib */
/* whole: common code of tidy and convert: remove parts of a map, report on parts, and find images
 * of a game. Call tw_whole_begin, then the other functions, and tw_whole_end. */
#pragma once

#include "formats/teeworlds/names/paths.h"
#include "tools/common/whole_calls.h"

struct tw_whole {
	const struct tw_map *from; /* the map as opened; its handles are valid in all versions */
	const struct whole_calls *calls;
	bool *gone;              /* by handle: objects to be removed */
	const char *const *keep; /* NULL-ended paths or patterns; NULL until the caller sets it */
	bool has_changes;        /* WHOLE_DONE was reported */
};

/* Initialize w. calls may be NULL if nothing will be reported or found. -ENOMEM. */
int tw_whole_begin(struct tw_whole *w, const struct snapshot *s, const struct whole_calls *calls,
	struct error *e);
void tw_whole_end(struct tw_whole *w); /* also if tw_whole_begin failed */
/* finish.c: Make the map to be saved out of m, a version of `from`: remove objects in `gone`, and
 * repair tables, duplicate item ids and unused bytes of tiles, with reports. *ret is always new. */
int tw_whole_finish(
	struct tw_whole *w, const struct tw_map *m, struct snapshot **ret, struct error *e);

void tw_whole_report(struct tw_whole *w, enum whole_event what, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Report "VERB PATH: ..." for an item, or "PATH: ..." if verb is "". */
void tw_whole_report_item(struct tw_whole *w, enum whole_event what, const char *verb,
	uint32_t item, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Mark an item as gone and report that. Returns false, and does nothing, if `keep` has its path. */
bool tw_whole_remove(struct tw_whole *w, uint32_t item, const char *why);

/* Find the file of an image in `games`, by the image's name plus suffix. -ENOENT. */
int tw_whole_find_image(const struct tw_whole *w, uint32_t position, struct images *games,
	const char *suffix, struct extent *ret, struct error *e);
