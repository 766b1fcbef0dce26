/* SPDX-License-Identifier: Zlib */
/* kinds: the table of all lenses, and functions that several of them share. */
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

/* The kind of an entry; NULL if there is no such kind. */
const struct tw_kind *tw_kind(entry_id id);

/* Do what the members of tw_kind (lens.h) with these names do, with other members if the kind lacks
 * one. tw_kind(id) must not be NULL. `find` is for directories; -ENOENT may change *ret. `size` and
 * `get` are for files; all n bytes must exist. */
int tw_kind_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e);
int tw_kind_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);
int tw_kind_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e);
int tw_kind_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e);

/* Add every entry, typed or raw, that may show a difference between before and after, or set
 * t->is_all. The caller zeroes t before, and finishes it. */
void tw_touch(const struct tw_map *before, const struct tw_map *after, struct touched *t);

/* Find the object that had this name at the mount. *ret has the form that the name's ending says,
 * even if the object has the other form. -ENOENT, also if dir holds no objects. In objects.c. */
int tw_object_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);
/* Get the entry at *cookie, which starts at 0 and is advanced, of the root, info/, raw/ or a group.
 * 1: an entry, and its name of at most NAME_MAX bytes; 0: the end. In root.c, as is the next. */
int tw_fixed_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret);
/* Find an entry of such a directory, even if options hide it. -ENOENT, also for other dirs. */
int tw_fixed_find(entry_id dir, const char *name, entry_id *ret);
/* Update the OPAQUE bits of tiles for all images in c->result->put_images. c is a change in place;
 * c->previous is overwritten. In media/image.c. */
int tw_images_derive(struct tw_change *c, struct error *e);
/* Check a change of raw/, from `before` to `after`. If `before` is typed, -EINVAL if t->is_all, a
 * typed file that t lists would become unreadable, or `after` is not typed. Decodes blobs. */
int tw_raw_guard(const struct tw_map *before, const struct tw_map *after, const struct touched *t,
	struct error *e);
