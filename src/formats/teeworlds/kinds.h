/* SPDX-License-Identifier: Zlib */
/*
 * kinds: the lenses of a Teeworlds mount, each defined in a file of its own; for lens.c's table.
 */
#ifndef FORMATS_TEEWORLDS_KINDS_H
#define FORMATS_TEEWORLDS_KINDS_H

#include "formats/teeworlds/lens.h"

extern const struct tw_kind tw_kind_root;                                     /* tree.c */
extern const struct tw_kind tw_kind_info_dir, tw_kind_info;                   /* info.c */
extern const struct tw_kind tw_kind_images, tw_kind_sounds;                   /* media.c */
extern const struct tw_kind tw_kind_image_png;                                /* image.c */
extern const struct tw_kind tw_kind_sound_opus;                               /* sound.c */
extern const struct tw_kind tw_kind_image_json, tw_kind_sound_json;           /* media_json.c */
extern const struct tw_kind tw_kind_raw, tw_kind_raw_items, tw_kind_raw_type; /* raw_tree.c */
extern const struct tw_kind tw_kind_raw_data_dir;                             /* raw_tree.c */
extern const struct tw_kind tw_kind_raw_item;                                 /* raw_item.c */
extern const struct tw_kind tw_kind_raw_data;                                 /* raw_data.c */
extern const struct tw_kind tw_kind_groups, tw_kind_group, tw_kind_layers;    /* layer_tree.c */
extern const struct tw_kind tw_kind_layer;                                    /* layer_tree.c */
extern const struct tw_kind tw_kind_group_json;                               /* group_json.c */
extern const struct tw_kind tw_kind_layer_json;                               /* layer_json.c */
extern const struct tw_kind tw_kind_plane;                                    /* plane.c */
extern const struct tw_kind tw_kind_quads, tw_kind_sources;                   /* list.c */
extern const struct tw_kind tw_kind_envelopes;                                /* envelopes.c */
extern const struct tw_kind tw_kind_envelope;                                 /* envelope.c */

#endif
