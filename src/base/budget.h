/* SPDX-License-Identifier: Zlib */
/*
 * budget: a cache of decoded spans with a limit on their total size.
 *
 * A slot, initially zero, is a member of the object whose decoded form it caches. budget_get
 * returns the cached span, or calls load; other threads wait for a running load. After each call
 * the budget drops the least recently used spans until the rest is within the limit. It does not
 * drop a span that has other references, nor a kept one (budget_get_kept). So the total is at most
 * the larger of the limit and the size of referenced spans, plus the kept ones. A failed load is
 * not cached: each thread that waited for it calls load itself. Thread-safe.
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
	TAILQ_ENTRY(budget_slot) lru_link, kept_link; /* in use if value is set; if is_kept */
	size_t announced; /* bytes that the running load will take (budget_make_room) */
	bool is_loading;
	bool is_kept;
};

/* At most BUDGET_KEPT slots are kept. If they exceed BUDGET_KEPT_SIZE bytes, the oldest become
 * ordinary slots, until the rest has that size or is BUDGET_KEPT_LEAST slots. */
enum { BUDGET_KEPT = 8, BUDGET_KEPT_LEAST = 3, BUDGET_KEPT_SIZE = 12 << 20 };

struct budget *budget_create(size_t limit);
void budget_destroy(struct budget *b); /* drop all slots before */
DEFINE_CLEANUP(struct budget, budget_destroy);

/* Decode a span; *ret is a reference for the budget. Runs in budget_get, without a lock. */
typedef int (*budget_load_fn)(void *arg, struct bytes **ret, struct error *e);
/* Return a new reference to the slot's span, calling load if it is not cached. */
int budget_get(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e);

/* Like budget_get, but keep the span, beyond the limit, until enough other spans are kept after it.
 * So the parts of a file that is read piece by piece stay cached between two reads. */
int budget_get_kept(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e);

/*
 * Announce that the running load of a slot will take n bytes, and drop unreferenced spans to make
 * room. If the announced bytes of other loads and n exceed the limit, first wait for those loads.
 * Call it once in a load, and request no other slot in that load afterwards (deadlock).
 */
void budget_make_room(struct budget *b, struct budget_slot *slot, size_t n);

/* Return a new reference to the slot's span after a running load; NULL if it is not cached. */
struct bytes *budget_find(struct budget *b, struct budget_slot *slot);

/* Wait for a running load, and empty the slot. Call it before the object with the slot is freed. */
void budget_drop(struct budget *b, struct budget_slot *slot);

size_t budget_used(struct budget *b); /* bytes of all cached spans, also kept ones */
size_t budget_limit(const struct budget *b);
