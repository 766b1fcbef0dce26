/* SPDX-License-Identifier: Zlib */
#include "base/budget.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct budget {
	pthread_mutex_t lock;
	pthread_cond_t loaded; /* some slot is not loading any more */
	size_t limit;
	size_t used;
	size_t coming; /* of all slots */
	struct budget_slot *oldest, *newest;
	struct budget_slot *kept[BUDGET_KEPT]; /* the one used last first */
	size_t n_kept, kept_size;
};

struct budget *budget_create(size_t limit)
{
	struct budget *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->limit = limit;
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

static void chain_remove(struct budget *b, struct budget_slot *slot)
{
	*(slot->older ? &slot->older->newer : &b->oldest) = slot->newer;
	*(slot->newer ? &slot->newer->older : &b->newest) = slot->older;
	slot->older = slot->newer = NULL;
}

static void chain_add(struct budget *b, struct budget_slot *slot)
{
	slot->older = b->newest;
	slot->newer = NULL;
	*(b->newest ? &b->newest->newer : &b->oldest) = slot;
	b->newest = slot;
}

static void release(struct budget *b, size_t i)
{
	struct budget_slot *slot = b->kept[i];

	slot->kept = false;
	b->kept_size -= slot->value->size;
	b->n_kept--;
	memmove(&b->kept[i], &b->kept[i + 1], (b->n_kept - i) * sizeof(b->kept[0]));
}

static void slot_release(struct budget *b, struct budget_slot *slot)
{
	for (size_t i = 0; slot->kept && i < b->n_kept; i++) {
		if (b->kept[i] == slot)
			release(b, i);
	}
}

static void slot_keep(struct budget *b, struct budget_slot *slot)
{
	slot_release(b, slot);
	if (b->n_kept == BUDGET_KEPT)
		release(b, b->n_kept - 1);
	memmove(&b->kept[1], &b->kept[0], b->n_kept * sizeof(b->kept[0]));
	b->kept[0] = slot;
	b->n_kept++;
	b->kept_size += slot->value->size;
	slot->kept = true;
	while (b->n_kept > BUDGET_KEPT_LEAST && b->kept_size > BUDGET_KEPT_SIZE)
		release(b, b->n_kept - 1);
}

static void slot_clear(struct budget *b, struct budget_slot *slot)
{
	slot_release(b, slot);
	chain_remove(b, slot);
	b->used -= slot->value->size;
	bytes_unref(TAKE(slot->value));
}

/* New references are made under the lock alone, so a count of one stays one while it is held. */
static bool held_elsewhere(struct bytes *v)
{
	return atomic_load_explicit(&v->refs, memory_order_acquire) > 1;
}

static void trim(struct budget *b)
{
	struct budget_slot *newer, *s = b->oldest;

	for (; s && b->used - b->kept_size + b->coming > b->limit; s = newer) {
		newer = s->newer;
		if (!s->kept && !held_elsewhere(s->value))
			slot_clear(b, s);
	}
}

/* Called and left with the lock held; load runs without it. */
static int slot_load(
	struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg, struct error *e)
{
	struct bytes *value = NULL;
	int r;

	slot->loading = true;
	pthread_mutex_unlock(&b->lock);
	r = load(arg, &value, e);
	pthread_mutex_lock(&b->lock);
	slot->loading = false;
	b->coming -= slot->coming;
	slot->coming = 0;
	if (r == 0) {
		slot->value = value;
		b->used += value->size;
		chain_add(b, slot);
	}
	pthread_cond_broadcast(&b->loaded);
	return r;
}

/* A new reference to what is cached, which was just used. */
static struct bytes *slot_use(struct budget *b, struct budget_slot *slot)
{
	if (slot != b->newest) {
		chain_remove(b, slot);
		chain_add(b, slot);
	}
	return bytes_ref(slot->value);
}

struct bytes *budget_find(struct budget *b, struct budget_slot *slot)
{
	struct bytes *found;

	pthread_mutex_lock(&b->lock);
	while (slot->loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	found = slot->value ? slot_use(b, slot) : NULL;
	trim(b);
	pthread_mutex_unlock(&b->lock);
	return found;
}

static int get(struct budget *b, struct budget_slot *slot, bool keep, budget_load_fn load,
	void *arg, struct bytes **ret, struct error *e)
{
	int r = 0;

	pthread_mutex_lock(&b->lock);
	while (slot->loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	/* Where another thread's load failed, this one tries for itself and gets the reason. */
	if (!slot->value)
		r = slot_load(b, slot, load, arg, e);
	if (r == 0) {
		*ret = slot_use(b, slot);
		if (keep)
			slot_keep(b, slot);
		trim(b);
	}
	pthread_mutex_unlock(&b->lock);
	return r;
}

int budget_get(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e)
{
	return get(b, slot, false, load, arg, ret, e);
}

int budget_get_kept(struct budget *b, struct budget_slot *slot, budget_load_fn load, void *arg,
	struct bytes **ret, struct error *e)
{
	return get(b, slot, true, load, arg, ret, e);
}

void budget_make_room(struct budget *b, struct budget_slot *slot, size_t n)
{
	pthread_mutex_lock(&b->lock);
	while (b->coming && b->coming + n > b->limit)
		pthread_cond_wait(&b->loaded, &b->lock);
	slot->coming = n;
	b->coming += n;
	trim(b);
	pthread_mutex_unlock(&b->lock);
}

void budget_drop(struct budget *b, struct budget_slot *slot)
{
	pthread_mutex_lock(&b->lock);
	while (slot->loading)
		pthread_cond_wait(&b->loaded, &b->lock);
	if (slot->value)
		slot_clear(b, slot);
	trim(b);
	pthread_mutex_unlock(&b->lock);
}

void budget_trim(struct budget *b)
{
	pthread_mutex_lock(&b->lock);
	trim(b);
	pthread_mutex_unlock(&b->lock);
}

size_t budget_used(struct budget *b)
{
	size_t used;

	pthread_mutex_lock(&b->lock);
	trim(b);
	used = b->used;
	pthread_mutex_unlock(&b->lock);
	return used;
}

size_t budget_limit(const struct budget *b)
{
	return b->limit;
}
