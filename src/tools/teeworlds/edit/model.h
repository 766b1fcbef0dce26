/* SPDX-License-Identifier: Zlib */
/*
 * model: a map that is edited in memory. A layer is decoded when an operation first needs it, and
 * encoded once, at the end, if it differs then. All other data keeps its bytes.
 */
#pragma once

#include "base/buffer.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/item/opaque.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/names/paths.h"

/* Bound for the decoded layers of a map, because a small file can hold any number of tiles. */
#define EDIT_BYTES_MAX (UINT64_C(1) << 30)

struct edit_opacity {
	bool is_searched; /* the other members are valid */
	bool is_known;    /* ids is valid: the image could be read */
	struct opacity ids;
};

struct edit_layer {
	uint32_t item; /* handle */
	int64_t group; /* position of its first group; -1 if it is in none */
	char path[TW_PATH_MAX];
	bool is_selected;      /* it is in a group, and --layer names it or is not given */
	enum tw_form form;     /* of its tiles or list; TW_FORM_NONE if it has none */
	struct tw_tiles tiles; /* in the map; if it has tiles */
	uint32_t w, h;         /* tiles now */
	uint8_t *cells;        /* decoded tiles, row by row; NULL until loaded */
	uint32_t n;            /* elements now */
	int32_t *elements;     /* of its list; NULL until loaded */
	struct buffer changes; /* what was done, for the report; if empty, nothing is encoded */
};

struct edit_group {
	uint32_t item;        /* handle */
	struct tw_ints *ints; /* a private copy, to be changed; not NULL */
	struct buffer changes;
};

/* Integer i of the group as it is now, or `absent` if the item is too short. */
static inline int32_t edit_group_int(const struct edit_group *g, uint32_t i, int32_t absent)
{
	return i < g->ints->n ? g->ints->v[i] : absent;
}

struct edit_model {
	const struct tw_map *m;
	struct edit_layer *layers; /* by position */
	uint32_t n_layers;
	struct edit_group *groups; /* by position */
	uint32_t n_groups;
	int64_t game_group;             /* the group of the game layer; -1 if there is none */
	struct edit_opacity *opacities; /* by position of the image */
	uint64_t bytes;                 /* decoded */
};

/* Initialize a model of m, which outlives it; finish it in any case. layers: paths or patterns,
 * NULL-ended; NULL: all. -ENOENT: one matches no layer. -EINVAL: m is not typed (model/map.h). */
int edit_model_open(struct edit_model *model, const struct tw_map *m, const char *const *layers,
	struct error *e);
void edit_model_finish(struct edit_model *model);

static inline bool edit_has_tiles(const struct edit_layer *l)
{
	return tw_tile_form(l->form);
}

/* Decode a layer's tiles or list, unless that was done. -EIO; -E2BIG: EDIT_BYTES_MAX. */
int edit_load(struct edit_model *model, struct edit_layer *l, struct error *e);
/* Add n to `bytes`. -E2BIG if that exceeds EDIT_BYTES_MAX. */
int edit_count(struct edit_model *model, uint64_t n, struct error *e);
/* The last layer of a kind (TW_TILES_KIND) in a group, which a game uses; NULL if there is none. */
struct edit_layer *edit_layer_of_kind(const struct edit_model *model, int32_t kind);
/* Kind of a tile layer. */
int32_t edit_kind_of(const struct edit_model *model, const struct edit_layer *l);
/* Make the map to save, of the layers that have `changes` and of all groups. *ret is unchanged if
 * nothing differs. Layers and groups without a difference lose their `changes`. */
int edit_model_apply(struct edit_model *model, struct snapshot **ret, struct error *e);

/* The cell at a place, which must exist. */
static inline uint8_t *edit_cell(const struct edit_layer *l, uint32_t x, uint32_t y)
{
	return l->cells + ((uint64_t)y * l->w + x) * l->tiles.size;
}
