/* SPDX-License-Identifier: Zlib */
/*
 * budget: a bounded cache of decoded spans, least recently used first.
 *
 * A slot lives in the object whose decoded form it caches. budget_get returns the cached span or
 * calls load once (other threads that ask meanwhile wait for it). Spans that somebody holds are
 * pinned: they count, but only unheld ones are dropped, so the resident size is at most
 * max(limit, what is held), counted at the end of each call below, and what is kept (see
 * budget_get_kept). A load that fails is not cached: those who waited for it load for themselves.
 * Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "base/bytes.h"
#include "base/error.h"

struct budget;

struct budget_slot {
	struct bytes *value;
	TAILQ_ENTRY(budget_slot) used, keeps; /* while value is set; while kept is */
	size_t coming;                        /* what its load is about to take */
	bool loading;
	bool kept;
};

/* Slots that are kept at most; with more than BUDGET_KEPT_SIZE bytes, BUDGET_KEPT_LEAST of them. */
enum { BUDGET_KEPT = 8, BUDGET_KEPT_LEAST = 3, BUDGET_KEPT_SIZE = 12 << 20 };

struct budget *budget_create(size_t limit);
void budget_destroy(struct budget *b); /* every slot must have been dropped */
DEFINE_CLEANUP(struct budget, budget_destroy);

typedef int (*budget_load_fn)(void *arg, struct bytes **ret, struct error *e);
int budget_get(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e);

/*
 * The same for the parts of what is read piece by piece, which must outlast the time between two
 * pieces however small the limit is: those used last stay, beside the limit.
 */
int budget_get_kept(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e);

/*
 * For the load of a slot that is about to take n bytes beside what is cached: drops what is held no
 * more, and first waits for other loads that said so, if the limit is not for them and this one
 * together. Such a load asks for no other slot from there on.
 */
void budget_make_room(struct budget *b, struct budget_slot *slot, size_t n);

/* What is cached, or NULL. */
struct bytes *budget_find(struct budget *b, struct budget_slot *slot);

/* Forget a slot before its owner goes. */
void budget_drop(struct budget *b, struct budget_slot *slot);

size_t budget_used(struct budget *b);
size_t budget_limit(const struct budget *b);
