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
 * Errors: -EIO where the stored bytes do not yield exactly the declared size; the text says why.
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

struct blob {
	/* For everybody to read. */
	struct extent stored;
	enum blob_coding coding;
	uint64_t size;       /* declared, decoded */
	struct png_memo png; /* for png_file_read of this blob's pixels */

	/* The rest is blob.c's. */
	atomic_uint refs;
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
