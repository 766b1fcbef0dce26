/* SPDX-License-Identifier: Zlib */
/*
 * content: the bytes of one file of an archive, with what the manifest says of them.
 *
 * Immutable but for what is remembered of them, and ref-counted. Any thread.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "codec/blob.h"
#include "formats/format.h"
#include "formats/torchlight/text/names.h"
#include "formats/torchlight/wire/pak.h"

enum tl_soundness { TL_UNCHECKED, TL_SOUND, TL_DAMAGED };

/* How an entry is shown in this mount (lens/view.h). */
enum tl_view { TL_UNSEEN, TL_BYTES, TL_TEXT };

struct tl_content {
	atomic_uint refs;
	struct blob *blob;
	uint32_t crc;
	uint64_t filetime;
	struct names *names; /* by which its text is shown; NULL: those of the mount */
	unsigned small_line; /* of the text that it was compiled from (struct compiled_remarks) */
	atomic_int state;    /* enum tl_soundness: whether the bytes have the CRC */
	struct budget *budget;
	struct budget_slot slot;    /* the text */
	pthread_mutex_t looking;    /* held by who finds out the rest, which is done once */
	_Atomic(enum tl_view) view; /* set last */
	uint64_t size;              /* as it is shown */
	char *note;                 /* what a person should know of the view, or NULL */
};

/* Of a file of an archive. -EIO: the block is none, or not as long as the manifest says. */
int tl_content_stored(const struct extent *section, const struct manifest_entry *x,
	struct budget *budget, struct tl_content **ret, struct error *e);
struct tl_content *tl_content_ref(struct tl_content *c);
void tl_content_unref(struct tl_content *c);
DEFINE_CLEANUP(struct tl_content, tl_content_unref);

/* Have the bytes the CRC that the manifest says? -EIO. Found once and remembered. */
int tl_content_check(struct tl_content *c, struct error *e);
/* All of them, checked. More than max is -EFBIG. */
int tl_content_load(struct tl_content *c, uint64_t max, struct bytes **ret, struct error *e);
/* A range, checked. */
int tl_content_read(struct tl_content *c, uint64_t off, void *dst, size_t n, struct error *e);

/* New bytes, compressed as the game's tool would for a file of this type, kept in the store. */
int tl_content_keep(struct store *store, struct budget *budget, const struct extent *x,
	uint8_t type, struct tl_content **ret, struct error *e);

/* The same bytes, as a text that is shown by these names (NULL: those of the mount); the same
 * object if it is. NULL: no memory. */
struct tl_content *tl_content_shown_by(struct tl_content *c, struct names *names);

struct timespec tl_time(uint64_t filetime);
uint64_t tl_filetime(const struct timespec *t); /* never 0, which says that there is none */
struct timespec tl_kept_time(struct timespec t);
