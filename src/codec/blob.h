/* SPDX-License-Identifier: Zlib */
/*
 * blob: bytes of a map that are stored encoded, and decoded when they are read.
 *
 * A blob is immutable and reference-counted; all functions may be called on any thread. The first
 * read of a blob that fits the budget inflates all of it, and caches the result in the budget until
 * others need the room. If the cache drops the blob before its end was read, reads inflate it in
 * stretches from then on (codec/zlib/inflate.h), until one reaches the end. A larger blob is always
 * read in stretches, after one pass that verifies it and makes checkpoints. So memory is bounded.
 * The checkpoints and the last used stretches are kept beside the budget (budget_get_kept). Reading
 * a blob from begin to end therefore inflates it at most twice, even with a small budget, small
 * reads, and other readers in between.
 *
 * A composed blob has a recipe. The first read calls the recipe to materialize the stored bytes,
 * which are then kept.
 *
 * Errors: -EIO if the stored bytes do not yield exactly the declared size; the text says why. For a
 * composed blob also the errors of its recipe. Functions that return a blob return NULL if memory
 * is exhausted.
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
	BLOB_RAW,  /* not encoded; the extent has `size` bytes or more */
	BLOB_ZLIB, /* a zlib stream */
};

/*
 * The recipe of a composed blob. make makes the stored bytes: *ret is a zlib stream, whose
 * reference the blob consumes, and *ret_size its decoded size. It is called until it succeeds once,
 * on one thread at a time, and must not read the blob. free is called when the last reference to
 * the blob is dropped, not before.
 */
struct blob_recipe {
	int (*make)(struct blob_recipe *r, struct extent *ret, uint64_t *ret_size, struct error *e);
	void (*free)(struct blob_recipe *r);
};

#define BLOB_SIZE_UNKNOWN UINT64_MAX

struct blob {
	/* Public, read-only. `stored` of a composed blob is valid after blob_materialize. */
	struct extent stored;
	enum blob_coding coding;
	uint64_t size;              /* declared size of the decoded bytes; see is_size_unknown */
	struct blob_recipe *recipe; /* of a composed blob; else NULL */
	bool is_size_unknown; /* the size of a composed blob is known after blob_materialize only */
	struct png_memo png;  /* for png_file_read of this blob's pixels; has a lock */

	/* Private to blob*.c. */
	atomic_uint refs;
	atomic_bool is_made; /* `stored` and `size` are final */
	pthread_mutex_t make_lock;
	atomic_bool is_sound, is_damaged; /* results of verifying the stored bytes */
	struct budget *budget;
	struct budget_slot slot;        /* all decoded bytes */
	atomic_bool is_unfinished;      /* decoded whole, and not read to the end since */
	struct budget_slot checkpoints; /* for stretches */
	struct budget_slot *stretches;  /* one for each stretch; NULL before the first use */
	struct budget_slot derived;     /* for blob_derive */
	struct budget_slot *parts;      /* for blob_derive_part; NULL before the first use */
	size_t n_parts;
	uint64_t parts_key;
	struct {
		uint64_t key, value;
		bool set;
	} memo;
	pthread_mutex_t lock; /* protects `stretches`, `parts` and `memo`; held briefly */
};

/*
 * Create a blob of stored bytes, which are not verified. Takes its own reference to them. budget
 * must outlive the blob. If it is NULL, nothing is cached: read the blob whole, or by
 * blob_for_each_chunk.
 */
struct blob *blob_new(
	const struct extent *stored, enum blob_coding coding, uint64_t size, struct budget *budget);
/*
 * Create a composed blob. Every function below that reads content materializes it; blob_check does
 * not, because a recipe never makes damaged bytes. Consumes the recipe, also on failure. size: the
 * decoded size, or BLOB_SIZE_UNKNOWN if only materializing can tell. budget: as for blob_new.
 */
struct blob *blob_new_composed(struct blob_recipe *take, uint64_t size, struct budget *budget);
/* Materialize a composed blob, if that has not happened yet. Errors are those of the recipe. */
int blob_materialize(struct blob *b, struct error *e);
/* Has that happened? True for any other blob. */
static inline bool blob_is_materialized(const struct blob *b)
{
	return atomic_load_explicit(&b->is_made, memory_order_acquire);
}
/* The decoded size, or BLOB_SIZE_UNKNOWN before a blob of unknown size is materialized. */
static inline uint64_t blob_size(const struct blob *b)
{
	return b->is_size_unknown && !blob_is_materialized(b) ? BLOB_SIZE_UNKNOWN : b->size;
}
/* Number of composed blobs that this process has materialized, for tests. */
uint64_t blob_materialized_total(void);

/* Create a raw blob of bytes in memory. Consumes the reference b, also on failure. Returns NULL if
 * b is NULL, so that callers need not check bytes_copy. */
struct blob *blob_of_bytes(struct bytes *b, struct budget *budget);
struct blob *blob_ref(struct blob *b); /* NULL is fine */
void blob_unref(struct blob *b);
DEFINE_CLEANUP(struct blob, blob_unref);

/* Load all decoded bytes into memory, through the budget's cache, whatever the size. *ret is a new
 * reference. */
int blob_load(struct blob *b, struct bytes **ret, struct error *e);

/* Load all decoded bytes if they are cached, or if blob_read would inflate all of them. *ret is a
 * new reference; NULL: use blob_read. end: where the caller's read ends. */
int blob_load_for_read(struct blob *b, uint64_t end, struct bytes **ret, struct error *e);

/* Read decoded bytes [off, off + n). -EINVAL past the size. */
int blob_read(struct blob *b, uint64_t off, void *dst, size_t n, struct error *e);
/* blob_read as a codec_read_fn; arg is the struct blob. */
int blob_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);

/* Is the blob small enough to be decoded whole? Else it is read in stretches. The bound is the
 * budget's limit, or one stretch if that is more; 16 MiB without a budget. Needs a known size. */
bool blob_is_whole(const struct blob *b);

/* Decode the first n bytes, or all if there are fewer; *ret_got is their number. Neither reads
 * nor fills the cache; for names. The size of a zlib stream is checked only if n >= size. */
int blob_prefix(struct blob *b, void *dst, size_t n, size_t *ret_got, struct error *e);

/* Pass all decoded bytes to fn(arg, data, n, e), in order, in chunks (none for an empty blob), in
 * bounded memory. Returns the first negative errno of fn. Damage may be found after fn got data. */
int blob_for_each_chunk(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e);

/* Verify that the stored bytes yield exactly the declared size. The first call decodes all of them,
 * and caches them like a read; success is remembered. 0 for a blob that is not materialized. */
int blob_check(struct blob *b, struct error *e);
/* Has blob_check found damage? Other functions that find it do not record it. */
bool blob_is_damaged(const struct blob *b);

/* Remember a number that took a decoding to find, such as a file's size, under a key. A blob
 * remembers the last one only; blob_recall returns false if that has another key. */
void blob_remember(struct blob *b, uint64_t key, uint64_t value);
bool blob_recall(struct blob *b, uint64_t key, uint64_t *ret);

/*
 * Get bytes that take time to derive from the content, such as the index of a long text. make makes
 * them, while other callers wait, and the budget caches them. They begin with the key, 8 bytes in
 * host order. A blob caches the bytes of one key at a time, and none without a budget.
 */
int blob_derive(struct blob *b, uint64_t key, budget_load_fn make, void *arg, struct bytes **ret,
	struct error *e);

/* Get derived part i of n, which is fixed for a key, like blob_derive, but the bytes need not begin
 * with the key. Only parts of the first key ever used are cached; others are made for each call. */
int blob_derive_part(struct blob *b, uint64_t key, size_t n, size_t i, budget_load_fn make,
	void *arg, struct bytes **ret, struct error *e);
