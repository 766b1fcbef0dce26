/* SPDX-License-Identifier: Zlib */
#include "base/budget.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct budget {
	pthread_mutex_t lock;
	pthread_cond_t loaded; /* a load has ended */
	size_t limit;
	size_t used;
	size_t announced;                /* sum over all slots */
	TAILQ_HEAD(, budget_slot) slots; /* least recently used first */
	TAILQ_HEAD(, budget_slot) kept;
	size_t n_kept, kept_size;
};

struct budget *budget_create(size_t limit)
{
	struct budget *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->limit = limit;
	TAILQ_INIT(&b->slots);
	TAILQ_INIT(&b->kept);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->loaded, NULL);
	return b;
}

void budget_destroy(struct budget *b)
{
	if (!b)
		return;
	pthread_cond_destroy(&b->loaded);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static void slot_release(struct budget *b, struct budget_slot *slot)
{
	if (!slot->is_kept)
		return;
	TAILQ_REMOVE(&b->kept, slot, kept_link);
	slot->is_kept = false;
	b->kept_size -= slot->value->size;
	b->n_kept--;
}

static void slot_keep(struct budget *b, struct budget_slot *slot)
{
	slot_release(b, slot);
	TAILQ_INSERT_TAIL(&b->kept, slot, kept_link);
	slot->is_kept = true;
	b->kept_size += slot->value->size;
	b->n_kept++;
	while (b->n_kept > BUDGET_KEPT ||
		(b->n_kept > BUDGET_KEPT_LEAST && b->kept_size > BUDGET_KEPT_SIZE))
		slot_release(b, TAILQ_FIRST(&b->kept));
}

static void slot_clear(struct budget *b, struct budget_slot *slot)
{
	slot_release(b, slot);
	TAILQ_REMOVE(&b->slots, slot, lru_link);
	b->used -= slot->value->size;
	bytes_unref(TAKE(slot->value));
}

/* Call with the lock held: only the budget can add a reference to a span that has just one. */
static bool is_held(struct bytes *v)
{
	return atomic_load_explicit(&v->refs, memory_order_acquire) > 1;
}

static void trim_slots(struct budget *b)
{
	struct budget_slot *next, *s = TAILQ_FIRST(&b->slots);

	for (; s && b->used - b->kept_size + b->announced > b->limit; s = next) {
		next = TAILQ_NEXT(s, lru_link);
		if (!s->is_kept && !is_held(s->value))
			slot_clear(b, s);
	}
}

/* Call with the lock held; it is released while load runs. */
static int slot_load(
	struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg, struct error *e)
{
	struct bytes *value = NULL;
	int r;

	slot->is_loading = true;
	pthread_mutex_unlock(&b->lock);
	r = load(arg, &value, e);
	pthread_mutex_lock(&b->lock);
	slot->is_loading = false;
	b->announced -= slot->announced;
	slot->announced = 0;
	if (r == 0) {
		slot->value = value;
		b->used += value->size;
		TAILQ_INSERT_TAIL(&b->slots, slot, lru_link);
	}
	pthread_cond_broadcast(&b->loaded);
	return r;
}

/* Return a new reference to the cached span and mark it as most recently used. */
static struct bytes *slot_use(struct budget *b, struct budget_slot *slot)
{
	TAILQ_REMOVE(&b->slots, slot, lru_link);
	TAILQ_INSERT_TAIL(&b->slots, slot, lru_link);
	return bytes_ref(slot->value);
}

struct bytes *budget_find(struct budget *b, struct budget_slot *slot)
{
	struct bytes *found;

	pthread_mutex_lock(&b->lock);
	while (slot->is_loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	found = slot->value ? slot_use(b, slot) : NULL;
	trim_slots(b);
	pthread_mutex_unlock(&b->lock);
	return found;
}

static int get_slot(struct budget *b, struct budget_slot *slot, bool keep, budget_load_fn load,
	void *arg, struct bytes **ret, struct error *e)
{
	int r = 0;

	pthread_mutex_lock(&b->lock);
	while (slot->is_loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	/* If the load of another thread failed, this thread loads, too, and gets the reason. */
	if (!slot->value)
		r = slot_load(b, slot, load, arg, e);
	if (r == 0) {
		*ret = slot_use(b, slot);
		if (keep)
			slot_keep(b, slot);
		trim_slots(b);
	}
	pthread_mutex_unlock(&b->lock);
	return r;
}

int budget_get(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e)
{
	return get_slot(b, slot, false, load, arg, ret, e);
}

int budget_get_kept(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e)
{
	return get_slot(b, slot, true, load, arg, ret, e);
}

void budget_make_room(struct budget *b, struct budget_slot *slot, size_t n)
{
	pthread_mutex_lock(&b->lock);
	while (b->announced && b->announced + n > b->limit)
		pthread_cond_wait(&b->loaded, &b->lock);
	slot->announced = n;
	b->announced += n;
	trim_slots(b);
	pthread_mutex_unlock(&b->lock);
}

void budget_drop(struct budget *b, struct budget_slot *slot)
{
	pthread_mutex_lock(&b->lock);
	while (slot->is_loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	if (slot->value)
		slot_clear(b, slot);
	trim_slots(b);
	pthread_mutex_unlock(&b->lock);
}

size_t budget_used(struct budget *b)
{
	size_t used;

	pthread_mutex_lock(&b->lock);
	trim_slots(b);
	used = b->used;
	pthread_mutex_unlock(&b->lock);
	return used;
}

size_t budget_limit(const struct budget *b)
{
	return b->limit;
}
