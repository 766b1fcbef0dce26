/* SPDX-License-Identifier: Zlib */
/* view: draw the layers of a map. The tw_draw_* functions draw one layer within the painter's clip.
 * A damaged layer is drawn at most up to the damage. A layer whose image is not available, or that
 * is not of the function's kind, is not drawn. Both give 0. -E2BIG (canvas.h), -ENOMEM. */
#pragma once

#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/preview/canvas.h"
#include "formats/teeworlds/preview/texture.h"

extern const struct format_preview tw_preview;

/* The state that all drawing functions share. clip must not be empty. */
struct tw_painter {
	const struct tw_map *m;
	struct tw_canvas *canvas;
	struct tw_textures *textures;
	struct tw_view view;
	struct tw_clip clip;
};

/* Draw a design layer of tiles. Its border tiles repeat outside it, as in the game. A layer without
 * an image is drawn in its colors. */
int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e);
int tw_draw_quads(struct tw_painter *p, const struct tw_item *it, struct error *e);
/* Draw a physics layer, with a color for each kind of tile (docs/mapfs-preview.1). */
int tw_draw_entities(struct tw_painter *p, const struct tw_item *it, struct error *e);

/* Find the size of a picture whose longest side has `longest` pixels. It has the aspect ratio of
 * the game layer. Decodes nothing. Returns false if the map has no game layer. */
bool tw_preview_size(const struct tw_map *m, uint32_t longest, uint32_t *ret_w, uint32_t *ret_h);

/* Evaluate the envelope that a reference (names/reference.h) means at the time `offset`, in
 * milliseconds: four values, also those beyond its channels, as stored, in 1/1024 (render.cpp of
 * DDNet, RenderEvalEnvelope). Returns false and leaves ret unchanged if there is no such envelope,
 * or it has no points. */
bool tw_envelope_at(const struct tw_map *m, int32_t reference, int32_t offset, double ret[4]);
