/* SPDX-License-Identifier: Zlib */
/* view: what is drawn of each kind of layer. All of them draw within clip. */
#pragma once

#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/preview/canvas.h"
#include "formats/teeworlds/preview/texture.h"

extern const struct format_preview tw_preview;

/* Everything that is drawn with. */
struct tw_painter {
	const struct tw_map *m;
	struct tw_canvas *canvas;
	struct tw_textures *textures;
	struct tw_view view;
	struct tw_clip clip;
};

/* A layer of tiles; its border goes on for ever, as in the game. */
int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e);
/* A layer of quads. */
int tw_draw_quads(struct tw_painter *p, const struct tw_item *it, struct error *e);
/* A layer that the game works with, in colours by kind (docs/mapfs-preview.1). */
int tw_draw_entities(struct tw_painter *p, const struct tw_item *it, struct error *e);

/* Of a picture whose longest side is to be `longest` pixels; from the tables alone. false: the map
 * has no game layer, whose form it would have. */
bool tw_preview_size(const struct tw_map *m, uint32_t longest, uint32_t *ret_w, uint32_t *ret_h);

/*
 * An envelope's values at its time 0 and `offset` milliseconds, in 1/1024 (render.cpp of DDNet,
 * RenderEvalEnvelope). Without envelope or points, ret is left alone and false returned.
 */
bool tw_envelope_at(const struct tw_map *m, int32_t reference, int32_t offset, double ret[4]);
