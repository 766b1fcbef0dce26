/* SPDX-License-Identifier: Zlib */
/*
 * content: the bytes of one file of an archive, with what the manifest says about them.
 *
 * The bytes are immutable. The other results (soundness, view, text) are computed once, when they
 * are needed, and kept. Ref-counted; usable on any thread.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "codec/blob.h"
#include "formats/format.h"
#include "formats/torchlight/text/names.h"
#include "formats/torchlight/wire/pak.h"

enum tl_soundness { TL_UNCHECKED, TL_SOUND, TL_DAMAGED };

/* How a mount shows an entry (lens/view.h). TL_UNSEEN: not determined yet. */
enum tl_view { TL_UNSEEN, TL_BYTES, TL_TEXT };

struct tl_content {
	atomic_uint refs;
	struct blob *blob;
	uint32_t crc;               /* of the bytes; 0: unknown */
	uint64_t filetime;          /* as in the manifest; 0: none */
	struct names *names;        /* the dictionary for its text; NULL: that of the mount */
	unsigned small_line;        /* first line of its text with a type in lower case; 0: none */
	atomic_int state;           /* enum tl_soundness: whether the bytes have the CRC */
	struct budget *budget;      /* borrowed, or NULL */
	struct budget_slot slot;    /* the decoded text */
	pthread_mutex_t view_lock;  /* held while the members below are determined */
	_Atomic(enum tl_view) view; /* set after size and note */
	uint64_t size;              /* of the file in the mount */
	char *note;                 /* for the user, about the view; or NULL */
};

/* Make the content of file x from its block in the PAK section. budget (or NULL) must outlive
 * it. -EIO: no valid block of the manifest's size. A failure keeps *ret or sets it to NULL. */
int tl_content_stored(const struct extent *section, const struct manifest_entry *x,
	struct budget *budget, struct tl_content **ret, struct error *e);
struct tl_content *tl_content_ref(struct tl_content *c);
void tl_content_unref(struct tl_content *c);
DEFINE_CLEANUP(struct tl_content, tl_content_unref);

/* Check that the bytes have the CRC of the manifest, unless that is 0. -EIO. Success is cached. */
int tl_content_check(struct tl_content *c, struct error *e);
/* Load all bytes, after a check. -EFBIG if there are more than max. */
int tl_content_load(struct tl_content *c, uint64_t max, struct bytes **ret, struct error *e);
/* Read a range, after a check of the whole file. -EINVAL: the range reaches past the end. */
int tl_content_read(struct tl_content *c, uint64_t off, void *dst, size_t n, struct error *e);

/* Put new bytes into the store, compressed as the game's tool compresses a file of this type. The
 * time is now. -EINVAL: more than UINT32_MAX bytes. A failure keeps *ret or sets it to NULL. */
int tl_content_store(struct store *store, struct budget *budget, const struct extent *x,
	uint8_t type, struct tl_content **ret, struct error *e);

/* Content with the bytes of c, which are sound, whose text uses the dictionary `names` (NULL: that
 * of the mount). A new reference to c if c already uses it. NULL if memory is exhausted. */
struct tl_content *tl_content_with_names(struct tl_content *c, struct names *names);

struct timespec tl_time(uint64_t filetime);      /* of 0, which means no time: 1601 */
uint64_t tl_filetime(const struct timespec *t);  /* never 0, because 0 means no time */
struct timespec tl_kept_time(struct timespec t); /* rounds down to 100 ns (format.kept_time) */
