/* SPDX-License-Identifier: Zlib */
#include "codec/memos.h"

#include <string.h>

void memos_init(struct memos *m)
{
	memset(m, 0, sizeof(*m));
	pthread_mutex_init(&m->lock, NULL);
}

void memos_finish(struct memos *m)
{
	pthread_mutex_destroy(&m->lock);
}

/* The caller holds the lock. MEMOS_MAX: it is not there. */
static unsigned find(const struct memos *m, uint64_t key)
{
	unsigned at = 0;

	while (at < MEMOS_MAX && !(m->all[at].set && m->all[at].key == key))
		at++;
	return at;
}

void memos_set(struct memos *m, uint64_t key, uint64_t value)
{
	unsigned at;

	pthread_mutex_lock(&m->lock);
	at = find(m, key);
	if (at == MEMOS_MAX)
		at = m->next++ % MEMOS_MAX;
	m->all[at].key = key;
	m->all[at].value = value;
	m->all[at].set = true;
	pthread_mutex_unlock(&m->lock);
}

bool memos_find(struct memos *m, uint64_t key, uint64_t *ret)
{
	unsigned at;

	pthread_mutex_lock(&m->lock);
	at = find(m, key);
	if (at < MEMOS_MAX)
		*ret = m->all[at].value;
	pthread_mutex_unlock(&m->lock);
	return at < MEMOS_MAX;
}
