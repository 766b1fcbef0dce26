/* SPDX-License-Identifier: Zlib */
/*
 * kinds: the table of all lenses, each defined in a file of its own.
 */
#pragma once

#include "formats/teeworlds/lens/lens.h"

extern const struct tw_kind tw_kind_root;                   /* root.c */
extern const struct tw_kind tw_kind_info_dir, tw_kind_info; /* info.c */
extern const struct tw_kind tw_kind_images, tw_kind_sounds, tw_kind_envelopes, tw_kind_groups,
	tw_kind_layers;                                                       /* objects.c */
extern const struct tw_kind tw_kind_image_png;                                /* media/image.c */
extern const struct tw_kind tw_kind_sound_opus;                               /* media/sound.c */
extern const struct tw_kind tw_kind_image_json, tw_kind_sound_json;           /* media/json.c */
extern const struct tw_kind tw_kind_raw, tw_kind_raw_items, tw_kind_raw_type; /* raw/tree.c */
extern const struct tw_kind tw_kind_raw_data_dir;                             /* raw/tree.c */
extern const struct tw_kind tw_kind_raw_item;                                 /* raw/item.c */
extern const struct tw_kind tw_kind_raw_data;                                 /* raw/data.c */
extern const struct tw_kind tw_kind_group;                                    /* layer/tree.c */
extern const struct tw_kind tw_kind_layer;                                    /* layer/tree.c */
extern const struct tw_kind tw_kind_group_json;                               /* group_json.c */
extern const struct tw_kind tw_kind_layer_json;                               /* layer/json.c */
extern const struct tw_kind tw_kind_plane;                                    /* layer/plane.c */
extern const struct tw_kind tw_kind_quads, tw_kind_sources;                   /* layer/elements.c */
extern const struct tw_kind tw_kind_picture;                                  /* picture.c */
extern const struct tw_kind tw_kind_envelope;                                 /* envelope.c */

/* NULL where there is no such kind. */
const struct tw_kind *tw_kind(entry_id id);

/* The calls of an entry's kind, by whichever of its functions there are. */
int tw_kind_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e);
int tw_kind_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);
int tw_kind_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e);
int tw_kind_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e);

/* Names every entry, typed and raw, that shows an item or a blob in which two versions differ. */
void tw_touch(const struct tw_map *before, const struct tw_map *after, struct touched *t);

/* objects.c: the object that a name was the identity of at the mount, in the form that its ending
 * says, which need not be the one that it had. -ENOENT. dir may be any entry. */
int tw_object_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);
/* root.c: the child of kinds whose entries are always the same; and the one of a name, shown or
 * not. -ENOENT. */
int tw_fixed_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret);
int tw_fixed_find(entry_id dir, const char *name, entry_id *ret);
/* media/image.c: the OPAQUE bits that follow from all images that were put. */
int tw_images_derive(struct tw_change *c, struct error *e);
/* raw/guard.c: what may be written through raw/ (layout rule 23). -EINVAL if the change would make
 * a typed file unreadable that is readable now. Decodes what it has to. */
int tw_raw_guard(const struct tw_map *m, const struct tw_map *then, const struct touched *t,
	struct error *e);
