/* SPDX-License-Identifier: Zlib */
/*
 * map: a Teeworlds map in memory, as a chain of immutable versions.
 *
 * A map consists of items (a type, an id, 32-bit integers) and blobs (data items, decoded when they
 * are read). The index of an item in items[], or of a blob in blobs[], is its handle and never
 * changes: a new one is appended, a removed one is only flagged. The writer (datafile/write.h)
 * assigns the numbers of the file.
 *
 * An item refers to another item (a layer to its image) by the POSITION among the items of that
 * type, never by the id; to an object created since the mount, as names/reference.h says. It refers
 * to a blob by the handle, which for blobs of the file equals their number there. Some integers are
 * garbage: fields.h knows which ones refer to blobs.
 *
 * A map from tw_map_new or tw_map_copy is private: its owner changes it (most code by change.h) and
 * calls tw_map_reindex. Once it is shared it is immutable, and any thread with a reference may read
 * it. Copies share the integers of items and the blobs, so they cost only tables of pointers.
 *
 * Functions that return a new object return NULL if memory is exhausted. Functions that return int
 * return 0 or -errno, unless their comment says otherwise. Pointers into a map are borrowed. The
 * _ref and _unref functions accept NULL. snapshot_unref(&m->base) drops a reference to a map.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/blob.h"
#include "formats/format.h"

/* Item types whose number is the same in all files. */
enum tw_item_type {
	TW_VERSION = 0,
	TW_INFO = 1,
	TW_IMAGE = 2,
	TW_ENVELOPE = 3,
	TW_GROUP = 4,
	TW_LAYER = 5,
	TW_POINTS = 6,
	TW_SOUND = 7,
	TW_UUID_FIRST = 0x8000, /* from here to 0xfffe: assigned by the index items of each file */
	TW_UUID_INDEX = 0xffff,
};

/* Item types found by a UUID. tw_uuid_type returns the number that a map uses. */
enum tw_uuid {
	TW_AUTOMAPPER, /* 6 integers: version, group, layer in group, config, seed, flags */
	TW_GROUP_EXT,  /* 2 integers: version, parallax zoom; for the group at the same position */
	TW_BEZIER, /* 16 integers for each point; used if points have 6 integers (item/points.h) */
	TW_N_UUIDS,
};

/* The integers of an item; immutable once in a map. */
struct tw_ints {
	atomic_uint refs;
	uint32_t n;
	int32_t v[];
};

struct tw_ints *tw_ints_new(uint32_t n); /* all zero; the caller may write until it shares them */
/* Copy the first n integers of `from`, and add `fill` until there are n. `from` NULL: only fill. */
struct tw_ints *tw_ints_copy(const struct tw_ints *from, uint32_t n, int32_t fill);
bool tw_ints_same(const struct tw_ints *a, const struct tw_ints *b); /* neither is NULL */
struct tw_ints *tw_ints_ref(struct tw_ints *v);
void tw_ints_unref(struct tw_ints *v);
DEFINE_CLEANUP(struct tw_ints, tw_ints_unref);

struct tw_item {
	uint16_t type;
	uint16_t id;
	bool is_removed;  /* not in the map, but keeps its handle */
	bool is_reserved; /* created in raw/, without content yet; is_removed is set, too */
	struct tw_ints *ints;
	/* Stem of an object that was created since the mount, unterminated; otherwise NULL. Such
	 * an object comes after those of the mount, is not shown in raw/, and has no integers
	 * before its content is applied. Finalizing places it and clears this member. */
	struct bytes *made_name;
	/* Integers that finalizing will write to other items, or NULL. Envelope: its new points
	 * (item/points.h). Created layer: its auto-mapper item. Created group: its zoom. */
	struct tw_ints *own_data;
	/* In a finalized map: name of a created or moved object, unterminated. Otherwise NULL. */
	struct bytes *placed_name;
	/* For a created layer: position of the group that it was created in. In a finalized map,
	 * for any layer: position of its group at the mount. */
	uint16_t group;
	/* In a finalized map: a layer of two groups may become two layers; the copy has the handle
	 * of the original + 1 here. Otherwise 0. */
	uint32_t original;
};

/* The items of one type. */
struct tw_type {
	uint16_t id;
	uint32_t n;
	uint32_t n_base; /* items without made_name; they come first */
	uint32_t *items; /* handles by position; within tw_index.listed */
	uint32_t *by_id; /* handles by (id, position), for raw/; within tw_index.by_id */
};

/* A UUID type: its number, and the UUID of its first valid index item. */
struct tw_type_uuid {
	uint16_t type;
	uint8_t uuid[16];
};

/* The groups that a layer belongs to. */
struct tw_layer_home {
	uint32_t group; /* position of the first one + 1; 0: none */
	bool is_shared; /* the layer belongs to more than one group */
};

/* Lookup tables over all items of a map. tw_map_reindex computes them, so that no lookup has to
 * visit every item. Versions that differ only in contents share one index. */
struct tw_index {
	atomic_uint refs;
	size_t n_types;
	struct tw_type *types; /* ascending by id; none is empty */
	size_t n_listed;
	uint32_t *listed, *by_id; /* storage for the lists in types[], in the order of types[] */
	size_t n_items;           /* number of elements of positions[] */
	uint32_t *positions;      /* by handle: position in the list of its type, or UINT32_MAX */
	size_t n_uuids;
	struct tw_type_uuid *uuids; /* ascending by type */
	int uuid_types[TW_N_UUIDS]; /* type number of each enum tw_uuid, or -1 */
	uint32_t n_autos;
	uint32_t *autos; /* long enough auto-mapper items: handles by (group, layer, handle) */
	uint32_t n_homes;
	struct tw_layer_home *homes; /* by position of the layer */
	bool has_tangents;           /* some envelope has points with tangents (item/points.h) */
};

/* Generated files that show the whole map. */
enum tw_picture { TW_PICTURE_PREVIEW, TW_PICTURE_ENTITIES, TW_PICTURES };

struct tw_names;

/* State that all versions of a mounted map share. The last version frees it. */
struct tw_shared {
	atomic_uint refs;
	struct budget *budget; /* borrowed, like store */
	struct store *store;
	void (*note)(void *arg, const char *line); /* called only by open; may be NULL */
	void *note_arg;
	enum { TW_RAW_RO, TW_RAW_RW, TW_RAW_OFF } raw;
	bool packed;      /* images are shown compressed (codec/image/png_pack.h) */
	uint32_t preview; /* longest side of the generated pictures, in pixels; 0: no pictures */
	/* Empty blobs, to which blob_derive attaches: the pixels of the generated pictures (NULL
	 * without pictures), and the row offsets of long lists of points. */
	struct blob *pictures[TW_PICTURES], *points;
	/* Finds the PNG file of a game's image: a preview_image_fn (formats/preview.h), or NULL. */
	int (*load_image)(
		void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
	void *image_arg;  /* both from struct format_context */
	bool is_typed;    /* more than raw/ is shown: tw_is_typed, when the map was opened */
	bool is_new_map;  /* not read from a file: the save adds the items that a game needs */
	int file_version; /* of the datafile: 3 or 4 */
	size_t n_blobs;   /* data items of the file; new blobs have handles from this number on */
	struct tw_names *names; /* names/mounted.h; owned; set by tw_names_read */
	void (*free_names)(struct tw_names *n);
};

/* An image whose pixels changed while a map is built. The OPAQUE bits of tiles depend on them;
 * finalizing updates the bits once for all images (item/opaque.h). */
struct tw_put_image {
	uint32_t image;          /* position */
	struct parsed *parsed;   /* owned reference */
	struct blob *old_pixels; /* owned reference; NULL: the old image was not shown as PNG */
	uint32_t w, h;           /* size of the old image; 0 if old_pixels is NULL */
	const struct tw_map *previous; /* as in struct tw_change; borrowed until finalizing */
};

struct tw_map {
	struct snapshot base; /* first: a struct snapshot * is a struct tw_map * */
	struct tw_shared *shared;
	uint64_t serial; /* unique in this process */
	struct tw_index *index;
	/* The mounted map's index, if finalizing had new, moved or removed objects; else NULL. */
	struct tw_index *mounted_index;
	struct tw_item *items;
	size_t n_items;
	struct blob **blobs; /* NULL: removed from the map */
	size_t n_blobs;
	struct file *file; /* holds the unchanged blobs; owned reference; NULL for a new map */
	uint64_t trailing; /* bytes after the last data item in the file; a save drops them */
	bool must_rewrite; /* a save writes the file even if no item and no blob differs */
	struct tw_put_image *put_images;
	size_t n_put_images, room_put_images;
};

/* Replace the integers of an item. Consumes the reference. The map must still be private. */
static inline void tw_item_replace_ints(struct tw_item *it, struct tw_ints *take)
{
	tw_ints_unref(it->ints);
	it->ints = take;
}
/* Change one integer of an item, which must have it, in a new copy of its integers. -ENOMEM. */
int tw_item_set_int(struct tw_item *it, uint32_t field, int32_t value);

static inline const struct tw_map *tw_map_of(const struct snapshot *s)
{
	return (const struct tw_map *)s;
}

/* Create a private empty map. The caller sets base.format and the index. Always consumes sh. */
struct tw_map *tw_map_new(struct tw_shared *sh);
/* Append *p to m->put_images. Takes its own references to parsed and old_pixels. -ENOMEM. */
int tw_map_put_image(struct tw_map *m, const struct tw_put_image *p);
void tw_map_clear_put_images(struct tw_map *m);
/* Create a private copy with a new serial. It shares the integers of items, the blobs and the index
 * with m, and has all other members of m. */
struct tw_map *tw_map_copy(const struct tw_map *m);

/* Append an item to a private map; *ret is its handle. Consumes take, also on failure. -ENOMEM,
 * also if take is NULL. The index is stale until tw_map_reindex. */
int tw_map_add_item(
	struct tw_map *m, uint16_t type, uint16_t id, struct tw_ints *take, uint32_t *ret);
/* Append a blob to a private map; *ret is its handle. Otherwise as tw_map_add_item. */
int tw_map_add_blob(struct tw_map *m, struct blob *take, uint32_t *ret);
/* Append a handle without a blob to a private map. It counts as removed until one is set. */
int tw_map_reserve_blob(struct tw_map *m, uint32_t *ret);
/* Rebuild the index of a private map, after items were added or removed, or after a change for
 * which tw_index_differs is true. On failure only free the map. */
int tw_map_reindex(struct tw_map *m);
/* Does an envelope's version say that the item of all points has tangents? Ignores new ones. */
bool tw_any_tangents(const struct tw_map *m);
/* Would the index change if the item `it` got the integers and own_data of `then`? */
bool tw_index_differs(const struct tw_map *m, const struct tw_item *it, const struct tw_item *then);
/* Fill uuids, uuid_types and autos of the index. Part of tw_map_reindex; needs all types' lists. */
int tw_index_uuids(struct tw_map *m);
/* Fill m->index->homes. Part of tw_map_reindex; needs the lists of all types. */
int tw_index_groups(struct tw_map *m);
/* Reorder the items of a type, which has some, in the index, which no other map may share (call
 * tw_map_reindex before). `items` holds all their handles. by_id is not updated, so the map must
 * only be written afterwards, not edited. -ENOMEM. */
int tw_map_reorder(struct tw_map *m, unsigned type, const uint32_t *items);

struct tw_shared *tw_shared_ref(struct tw_shared *sh);
void tw_shared_unref(struct tw_shared *sh);
DEFINE_CLEANUP(struct tw_shared, tw_shared_unref);

struct tw_index *tw_index_ref(struct tw_index *x);
void tw_index_unref(struct tw_index *x);
/* Find a type; NULL if the map has no item of it. */
const struct tw_type *tw_type(const struct tw_map *m, unsigned type);
/* Index in x->types of the first type with this number or a greater one; x->n_types if none. */
size_t tw_index_from(const struct tw_index *x, uint64_t type);
/* Number of items of a type, with those created since the mount. */
static inline uint32_t tw_count(const struct tw_map *m, unsigned type)
{
	const struct tw_type *t = tw_type(m, type);

	return t ? t->n : 0;
}
/* Number of items of a type that were not created since the mount (n_base). References between
 * items are positions among these (names/reference.h). In a finalized map these are all items. */
uint32_t tw_count_mounted(const struct tw_map *m, unsigned type);
/* Find the handle of the item at a position of a type. -ENOENT. */
int tw_find_item(const struct tw_map *m, unsigned type, int64_t position, uint32_t *ret);
/* Find the item at a position of a type; NULL if there is none. */
const struct tw_item *tw_item_at(const struct tw_map *m, unsigned type, int64_t position);
/* Position of an item in the list of its type, by handle; -1 if it is not in the map. */
int64_t tw_position(const struct tw_map *m, uint32_t item);
/* The same in any index, such as mounted_index. -1 if the index does not list the handle. */
int64_t tw_index_position(const struct tw_index *x, uint32_t item);

/* Integer i of the item, or `absent` if the item is too short. */
static inline int32_t tw_get_int(const struct tw_item *it, uint32_t i, int32_t absent)
{
	return i < it->ints->n ? it->ints->v[i] : absent;
}

/* The blob that integer `field` of the item refers to, borrowed. NULL if the item is too short, the
 * integer is no handle, or the blob was removed. */
struct blob *tw_get_blob(const struct tw_map *m, const struct tw_item *it, uint32_t field);

/* Type number of a UUID type in this map; -1 if the map does not define it. An index item (type
 * 0xffff) of 4 integers defines the type whose number is its id; the first such item of an id, and
 * the first id with the UUID count. */
int tw_uuid_type(const struct tw_map *m, enum tw_uuid what);
/* Find the items of a UUID type; NULL if there are none. */
const struct tw_type *tw_uuid_items(const struct tw_map *m, enum tw_uuid what);
/* Find the item of a UUID type at a position; NULL if there is none. */
const struct tw_item *tw_uuid_item(const struct tw_map *m, enum tw_uuid what, int64_t position);
/* Get the UUID of a type. Returns false if it is not a UUID type. */
bool tw_type_uuid(const struct tw_index *x, unsigned type, uint8_t ret[16]);
/* Find the auto-mapper items for a layer, given by the position of its group and its number in the
 * group (tw_layer_in_group). Returns how many there are; *ret: their handles. */
uint32_t tw_find_autos(const struct tw_map *m, uint32_t group, int64_t layer, const uint32_t **ret);
/* Is it the UUID of one of enum tw_uuid? */
bool tw_known_uuid(const uint8_t uuid[16]);
const uint8_t *tw_uuid_bytes(enum tw_uuid what); /* 16 bytes */

/* Has the map a version item (type 0) with id 0 and value 1? A file without shows only raw/. */
bool tw_is_typed(const struct tw_map *m);
