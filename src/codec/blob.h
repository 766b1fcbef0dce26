/* SPDX-License-Identifier: Zlib */
/*
 * blob: a piece of a map's data, kept as it is stored and decoded only when somebody asks.
 *
 * Immutable and ref-counted; all functions may be called on any thread. What fits the budget is
 * inflated once, whole, whoever asks for which part, and cached there until others need the room.
 * What was pushed out before its end was read is inflated in stretches from then on, until that is
 * (codec/zlib/inflate.h); so is what is larger, after one pass that proves it and lays checkpoints.
 * So memory stays bounded whatever is read. The checkpoints and the stretches used last stay beside
 * the budget (budget_get_kept), so that to read from begin to end inflates it twice at most,
 * however small the budget and the pieces are, and whoever reads what else in turn.
 *
 * A composed blob has a recipe. The first reader has it make the stored bytes, which are then kept.
 *
 * Errors: -EIO where the stored bytes do not yield exactly the declared size; the text says why. Of
 * a composed blob also those of its recipe.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/disk/file.h"
#include "base/error.h"
#include "codec/image/png.h"
#include "codec/zlib/inflate.h"

enum blob_coding {
	BLOB_RAW,  /* stored as they are: the extent has `size` bytes or more */
	BLOB_ZLIB, /* a zlib stream */
};

/*
 * How to make the stored bytes of a composed blob. make is called until it succeeds once, by one
 * thread at a time. *ret is a zlib stream, and the blob consumes its reference; *ret_size is the
 * decoded size. make must not read the blob itself. free is called with the last reference to the
 * blob.
 */
struct blob_recipe {
	int (*make)(struct blob_recipe *r, struct extent *ret, uint64_t *ret_size, struct error *e);
	void (*free)(struct blob_recipe *r);
};

#define BLOB_SIZE_UNKNOWN UINT64_MAX

struct blob {
	/* For everybody to read; of a composed blob `stored` only once it was made (blob_make). */
	struct extent stored;
	enum blob_coding coding;
	uint64_t size;              /* declared, decoded; if `unsized` only once it was made */
	struct blob_recipe *recipe; /* of a composed blob; else NULL */
	bool unsized;               /* a composed blob whose size is known only once it was made */
	struct png_memo png;        /* for png_file_read of this blob's pixels */

	/* The rest is blob.c's. */
	atomic_uint refs;
	atomic_bool made; /* `stored` and `size` do not change any more */
	pthread_mutex_t making;
	atomic_bool sound, damaged; /* as blob_check found it */
	struct budget *budget;
	struct budget_slot slot;        /* all of it */
	atomic_bool begun;              /* ... was inflated, and nobody has read its end since */
	struct budget_slot checkpoints; /* for stretches */
	struct budget_slot *stretches;  /* one for each; NULL: nobody needed them yet */
	struct budget_slot derived;
	struct budget_slot *parts; /* of one thing that is derived; NULL: nobody needed them yet */
	size_t n_parts;
	uint64_t parts_key;
	struct {
		uint64_t key, value;
		bool set;
	} memo;
	pthread_mutex_t lock; /* over `stretches`, `parts` and memo; never held for long */
};

/*
 * Takes a reference of its own on what stored holds. budget may be NULL (nothing is cached, so it
 * is to be read whole or by blob_each), else it must outlive the blob. NULL when memory is short.
 * The blob need not be sound.
 */
struct blob *blob_new(
	const struct extent *stored, enum blob_coding coding, uint64_t size, struct budget *budget);
/*
 * A composed blob: its stored bytes are made when they are first needed, and never again. The calls
 * below that read content need them; blob_check does not, because what a recipe makes is sound.
 * Consumes the recipe, also on failure. size: the decoded size, or BLOB_SIZE_UNKNOWN if only making
 * it tells.
 */
struct blob *blob_new_composed(struct blob_recipe *take, uint64_t size, struct budget *budget);
/* Make the stored bytes, if they are not made yet. Errors are those of the recipe. */
int blob_make(struct blob *b, struct error *e);
static inline bool blob_is_made(const struct blob *b)
{
	return atomic_load_explicit(&b->made, memory_order_acquire);
}
/* The decoded size without making anything; BLOB_SIZE_UNKNOWN if only that tells. */
static inline uint64_t blob_size(const struct blob *b)
{
	return b->unsized && !blob_is_made(b) ? BLOB_SIZE_UNKNOWN : b->size;
}
/* How many composed blobs this process has made: for tests. */
uint64_t blob_made_total(void);

/* A raw blob in memory; takes the reference b (also on failure). NULL gives NULL, so that a failed
 * bytes_copy can be passed on. */
struct blob *blob_of_bytes(struct bytes *b, struct budget *budget);
struct blob *blob_ref(struct blob *b); /* NULL is fine */
void blob_unref(struct blob *b);       /* NULL is fine */
DEFINE_CLEANUP(struct blob, blob_unref);

/* All of it in memory, a new reference; through the budget's cache, whatever the size. */
int blob_load(struct blob *b, struct bytes **ret, struct error *e);

/* The same for who reads the part of it that ends at `end`, where it is read whole; else *ret is
 * NULL, and that part is blob_read's to give. */
int blob_hold(struct blob *b, uint64_t end, struct bytes **ret, struct error *e);

/* Exactly bytes [off, off + n); past the size is -EINVAL. */
int blob_read(struct blob *b, uint64_t off, void *dst, size_t n, struct error *e);
/* The same as a codec_read_fn: arg is the struct blob. */
int blob_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);

/* Is it small enough to be decoded and cached at once? Else a part costs no more memory than a
 * stretch, as it does of what was pushed out. */
bool blob_is_whole(const struct blob *b);

/* The first n bytes, or all where there are fewer; *ret_got says how many. Never decodes further,
 * caches nothing: for names. With n >= size a wrong length is noticed, else not. */
int blob_prefix(struct blob *b, void *dst, size_t n, size_t *ret_got, struct error *e);

/* All bytes in order, in one or several chunks, in bounded memory. A negative errno from fn stops
 * and is returned. The whole is known to be sound only when this returned 0. */
int blob_each(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e);

/* Do the stored bytes yield exactly the declared size? The first time all of them are decoded, and
 * cached as for reading; yes is remembered. */
int blob_check(struct blob *b, struct error *e);
/* Did it find that they do not? */
bool blob_is_damaged(const struct blob *b);

/* A small fact that costs a decoding to find, such as a file's size, by a key of the caller's
 * choosing: the last one that was remembered is known. */
void blob_remember(struct blob *b, uint64_t key, uint64_t value);
bool blob_recall(struct blob *b, uint64_t key, uint64_t *ret);

/*
 * What it takes time to find from the content, such as where the parts of a long text begin: made
 * by make, which many may wait for, and cached in the budget. Its first 8 bytes are the key, in
 * the order of this machine; a blob keeps one at a time.
 */
int blob_derive(struct blob *b, uint64_t key, budget_load_fn make, void *arg, struct bytes **ret,
	struct error *e);

/* The same of one of n parts of it. A blob keeps the parts of the first key that is asked for;
 * those of others are made each time. */
int blob_derive_part(struct blob *b, uint64_t key, size_t n, size_t i, budget_load_fn make,
	void *arg, struct bytes **ret, struct error *e);
