/* SPDX-License-Identifier: Zlib */
/*
 * map: a Teeworlds map in memory, as a chain of immutable versions.
 *
 * A map is items (a type, an id, 32-bit integers) and blobs (data items, compressed until somebody
 * asks). Each stands at an index of items[] or blobs[] that is its handle for good: a new one is
 * appended, one that left is flagged, and only the writer (datafile/write.h) deals final numbers.
 *
 * A reference from item to item (a layer's image) is a POSITION in the item list of the type, never
 * an id; a reference to a blob is its handle, which for blobs of the file is their number there.
 *
 * Integers of an item that are garbage on purpose (reference fields that do not belong to the kind
 * of layer) are told apart in one place: fields.h.
 *
 * Versions share items' integers and blobs by reference. A version is never written after it was
 * given away; tw_map_copy gives a writable copy (tables of pointers only). Any thread may read a
 * version that it has a reference to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/blob.h"
#include "formats/format.h"

/* Item types that every file has under the same number. */
enum tw_item_type {
	TW_VERSION = 0,
	TW_INFO = 1,
	TW_IMAGE = 2,
	TW_ENVELOPE = 3,
	TW_GROUP = 4,
	TW_LAYER = 5,
	TW_POINTS = 6,
	TW_SOUND = 7,
	TW_UUID_FIRST = 0x8000, /* numbers above, but 0xffff, are given out by the index items */
	TW_UUID_INDEX = 0xffff,
};

/* Item types that are known by a UUID (find their number with tw_uuid_type). */
enum tw_uuid {
	TW_AUTOMAPPER, /* 6 integers: version, group, layer in group, config, seed, flags */
	TW_GROUP_EXT,  /* 2: version, parallax zoom; belongs to the group at the same position */
	TW_BEZIER,     /* 16 a point, beside points of 6 integers */
	TW_N_UUIDS,
};

/* The integers of an item; immutable once in a map. */
struct tw_ints {
	atomic_uint refs;
	uint32_t n;
	int32_t v[];
};

struct tw_ints *tw_ints_new(uint32_t n); /* zeroed, to be filled by the maker; NULL: no memory */
/* A copy of `from` with n integers: cut, or filled up with `fill`. from may be NULL. */
struct tw_ints *tw_ints_copy(const struct tw_ints *from, uint32_t n, int32_t fill);
bool tw_ints_same(const struct tw_ints *a, const struct tw_ints *b);
struct tw_ints *tw_ints_ref(struct tw_ints *v);
void tw_ints_unref(struct tw_ints *v);
DEFINE_CLEANUP(struct tw_ints, tw_ints_unref);

struct tw_item {
	uint16_t type;
	uint16_t id;
	bool removed;  /* flagged, its handle stays */
	bool reserved; /* ... that is: it was added in raw/, and comes with its first content */
	struct tw_ints *ints;
	/*
	 * An object that was made since the mount: the name of its path, without ending. It stands
	 * after all that were there, is part of no saved map until it is placed
	 * (finalize/finalize.h), is not shown in raw/, and has no integers until its content is
	 * put. NULL for all others.
	 */
	struct bytes *made;
	/* What finalizing will put elsewhere: an envelope's new points (item/points.h); of an
	 * object that was made, also a layer's auto-mapper item, a group's zoom (one integer). Or
	 * NULL. */
	struct tw_ints *extra;
	/* In a finalized map: the name of the path of an object that was made, moved or renamed. */
	struct bytes *placed;
	/* Of a made layer: the position of the group that it was made in; in a finalized map, of
	 * any: of the one that it was in at the mount. */
	uint16_t group;
	uint32_t twin; /* ... of one of two that were one: the other's handle + 1; else 0 */
};

/* The items of one type, as handles: by position, and by (id, position) for the raw view. */
struct tw_type {
	uint16_t id;
	uint32_t n;
	uint32_t n_mounted; /* that were not made since the mount; they come first */
	uint32_t *items;    /* parts of the index's lists */
	uint32_t *by_id;
};

/* A type whose index item counts. */
struct tw_type_uuid {
	uint16_t type;
	uint8_t uuid[16];
};

/* Where a layer stands: its first group, from 1 (0: in none), and whether others have it, too. */
struct tw_home {
	uint32_t group;
	bool shared;
};

/*
 * Which items there are: types ascending, none empty; and what is asked of single ones and follows
 * from all of them (tw_map_reindex), so that no such question walks over all. Shared by versions of
 * the same structure.
 */
struct tw_index {
	atomic_uint refs;
	size_t n_types;
	struct tw_type *types;
	size_t n_listed;
	uint32_t *listed, *by_id; /* the items of all types, in the order of the types */
	size_t n_items;           /* of positions */
	uint32_t *positions;      /* in the lists of their types, by handle; UINT32_MAX: in none */
	size_t n_uuids;
	struct tw_type_uuid *uuids; /* types ascending */
	int known[TW_N_UUIDS];      /* type numbers; -1: the map has none */
	uint32_t n_autos;
	uint32_t *autos; /* auto-mapper items by group, layer and position; short ones are none */
	uint32_t n_homes;
	struct tw_home *homes; /* of layers, by position */
	bool tangents;         /* an envelope has points with tangents (item/points.h) */
};

/* Pictures of the whole map, as files of the mount. */
enum tw_picture { TW_PICTURE_PREVIEW, TW_PICTURE_ENTITIES, TW_PICTURES };

struct tw_names;

/* What all versions of a mounted map share; ref-counted, lives as long as any of them. */
struct tw_shared {
	atomic_uint refs;
	struct budget *budget; /* borrowed, as is store */
	struct store *store;
	void (*note)(void *arg, const char *line); /* may be NULL */
	void *note_arg;
	enum { TW_RAW_RO, TW_RAW_RW, TW_RAW_OFF } raw;
	bool packed;      /* images are shown compressed (codec/image/png_pack.h) */
	uint32_t preview; /* pixels of the longest side of pictures in the mount; 0: there are none
			   */
	struct blob *pictures[TW_PICTURES]; /* without content: what is derived is the picture */
	struct blob *points; /* without content, too: of it where the texts of many points begin */
	int (*image)(
		void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
	void *image_arg;  /* of format_context */
	bool typed;       /* the typed view exists (rule 1), decided at open for the whole mount */
	bool fresh;       /* made of no file: what a game needs is added at the save */
	int file_version; /* 3 or 4, of the container */
	size_t n_blobs;   /* data items that the file had: higher handles are new */
	struct tw_names *names; /* names/mounted.h; owned */
	void (*free_names)(struct tw_names *n);
};

/* An image that was put while a map is built: from its pixels OPAQUE bits of tiles follow, which
 * finalize changes once (item/opaque.h). */
struct tw_put_image {
	uint32_t image;            /* position */
	struct parsed *parsed;     /* owned reference, as is before */
	struct blob *before;       /* the pixels that it had; NULL: none that could be shown */
	uint32_t w, h;             /* ... their size */
	const struct tw_map *like; /* apply's; borrowed until finalize */
};

struct tw_map {
	struct snapshot base; /* first: a struct snapshot * is a struct tw_map * */
	struct tw_shared *shared;
	uint64_t serial; /* no other one has it, of this map or another */
	struct tw_index *index;
	struct tw_index *origin; /* of a finalized map: the index of the mounted one, for its ids */
	struct tw_item *items;
	size_t n_items;
	struct blob **blobs; /* NULL: left the map */
	size_t n_blobs;
	struct file *file; /* where the unchanged blobs stand; owned reference */
	uint64_t trailing; /* bytes of it behind the last data item: no save writes them */
	bool rewritten;    /* a save writes the file even if no item and no blob differs */
	struct tw_put_image *put_images;
	size_t n_put_images, room_put_images;
};

/* Gives the item of a map that is being made other integers (taken), or those that it has with one
 * changed (-ENOMEM). */
static inline void tw_item_ints(struct tw_item *it, struct tw_ints *take)
{
	tw_ints_unref(it->ints);
	it->ints = take;
}
int tw_item_set(struct tw_item *it, uint32_t field, int32_t value);

static inline const struct tw_map *tw_map_of(const struct snapshot *s)
{
	return (const struct tw_map *)s;
}

struct tw_map *tw_map_new(struct tw_shared *sh); /* takes the reference; empty */
/* Notes it in m; takes the references of new ones. -ENOMEM. */
int tw_map_put_image(struct tw_map *m, const struct tw_put_image *p);
void tw_map_clear_put_images(struct tw_map *m);
/* A copy to write to, which shares items' integers and blobs with m. NULL: no memory. */
struct tw_map *tw_map_copy(const struct tw_map *m);

/*
 * The calls below change a map that tw_map_new or tw_map_copy gave; the rest of the room goes
 * through change.h. They take the reference also on failure (-ENOMEM; so is a NULL one).
 */
int tw_map_add_item(struct tw_map *m, uint16_t type, uint16_t id, struct tw_ints *take,
	uint32_t *ret); /* index is rebuilt by tw_map_reindex */
int tw_map_add_blob(struct tw_map *m, struct blob *take, uint32_t *ret);
/* A number for a blob that comes later: until then it is one that left the map. */
int tw_map_reserve_blob(struct tw_map *m, uint32_t *ret);
/* After items were added or flagged, or got integers that the index shows. On failure the
 * map is good for nothing more. */
int tw_map_reindex(struct tw_map *m);
/* Would the index be another if the item had the integers and the extra of `then`? */
bool tw_index_differs(const struct tw_map *m, const struct tw_item *it, const struct tw_item *then);
/* The parts of tw_map_reindex, of a map whose m->index has the lists of all types. -ENOMEM. */
int tw_index_uuids(struct tw_map *m);  /* uuids.c */
int tw_index_groups(struct tw_map *m); /* groups.c */
/* The items of a type in another order: `items` holds the handles of all of them. After this the
 * map is only written, never edited. -ENOMEM. */
int tw_map_order(struct tw_map *m, unsigned type, const uint32_t *items);

struct tw_shared *tw_shared_ref(struct tw_shared *sh);
void tw_shared_unref(struct tw_shared *sh);
DEFINE_CLEANUP(struct tw_shared, tw_shared_unref);

struct tw_index *tw_index_ref(struct tw_index *x);
void tw_index_unref(struct tw_index *x);
/* The list of a type, NULL where it has no item. */
const struct tw_type *tw_type(const struct tw_map *m, unsigned type);
/* The place in x->types of the first one of this number or a greater one. */
size_t tw_index_from(const struct tw_index *x, uint64_t type);
static inline uint32_t tw_count(const struct tw_map *m, unsigned type)
{
	const struct tw_type *t = tw_type(m, type);

	return t ? t->n : 0;
}
/* How many of them were not made since the mount. References in items count among these. */
uint32_t tw_count_mounted(const struct tw_map *m, unsigned type);
/* Handle of the item at a position of its type; -ENOENT where there is none. */
int tw_at(const struct tw_map *m, unsigned type, int64_t position, uint32_t *ret);
/* The item itself, or NULL. */
const struct tw_item *tw_item_at(const struct tw_map *m, unsigned type, int64_t position);
/* The position of a handle in the list of its type; -1 where it left. */
int64_t tw_position(const struct tw_map *m, uint32_t item);
/* ... in an index, of whichever version; -1: it is not there. */
int64_t tw_index_position(const struct tw_index *x, uint32_t item);

/* Integer i of the item, or `absent` where the item is too short. */
static inline int32_t tw_int(const struct tw_item *it, uint32_t i, int32_t absent)
{
	return i < it->ints->n ? it->ints->v[i] : absent;
}

/* The blob that integer `field` of the item names, NULL where it names none (-1, out of range, too
 * short, or the blob left the map). Not a new reference. */
struct blob *tw_blob_of(const struct tw_map *m, const struct tw_item *it, uint32_t field);

/*
 * The number of a UUID type in this map, -1 where it has none. A type is a UUID type when an index
 * item (type 0xffff) of its number has 4 integers; the first such item counts (rule 22).
 */
int tw_uuid_type(const struct tw_map *m, enum tw_uuid what);
/* Its items, and the one at a position; NULL: none. */
const struct tw_type *tw_uuid_items(const struct tw_map *m, enum tw_uuid what);
const struct tw_item *tw_uuid_item(const struct tw_map *m, enum tw_uuid what, int64_t position);
/* The UUID of a type as 16 bytes; false where it is none. */
bool tw_type_uuid(const struct tw_index *x, unsigned type, uint8_t ret[16]);
/* The auto-mapper's items for a layer of a group, by its number there: how many, and their handles
 * in the order of the map. */
uint32_t tw_autos_of(const struct tw_map *m, uint32_t group, int64_t layer, const uint32_t **ret);
bool tw_known_uuid(const uint8_t uuid[16]);
const uint8_t *tw_uuid_bytes(enum tw_uuid what); /* 16 of them */

/* The first version item of value 1 is there (type 0, id 0): without it there is only raw/. */
bool tw_is_typed(const struct tw_map *m);
