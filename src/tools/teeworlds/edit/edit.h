/* SPDX-License-Identifier: Zlib */
/* edit: struct edit_tool of Teeworlds and DDNet maps. */
#pragma once

#include "tools/edit/edit.h"
#include "tools/teeworlds/edit/model.h"

extern const struct edit_tool tw_edit;

struct editing {
	const struct edit *how;
	const struct edit_operation *operation; /* the one that is performed */
	struct edit_model model;
	bool has_effect; /* the operation changed something, or reported why not */
};

/* World units of a tile; coordinates of a quad or source for a world unit; 100 %. */
enum { EDIT_TILE = 32, EDIT_FIXED = 1024, EDIT_PERCENT = 100 };

/* say.c: Append the text ("12 tiles") and " by fill ..." to `changes` of a layer or group. */
void edit_changed(struct editing *ed, struct buffer *changes, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* say.c: Report why the operation, whose text is appended, leaves a part as it is. */
void edit_left(struct editing *ed, const char *path, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Operations. -EINVAL: refused. -EIO: a layer cannot be read. */
int edit_cells(struct editing *ed, struct error *e); /* cells.c: replace, fill, clear */
/* cells.c: set an id in the game or front layer wherever the design layer has a tile. */
int edit_gametiles(struct editing *ed, struct error *e);
int edit_area(struct editing *ed, struct error *e); /* area.c: copy from another map */
int edit_move(struct editing *ed, struct error *e); /* move.c: crop, extend, shift */

/* opacity.c: Find which ids are opaque in a layer of tiles; without an image, none. *ret is owned
 * by the model, and set on failure, too. is_known is false if the image cannot be read. -ENOMEM. */
int edit_find_opacity(const struct editing *ed, const struct edit_layer *l,
	const struct edit_opacity **ret, struct error *e);
