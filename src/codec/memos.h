/* SPDX-License-Identifier: Zlib */
/*
 * memos: small facts that cost a decoding to find (a table's size), by a key of the caller's
 * choosing. The last MEMOS_MAX ones are kept. Any thread.
 */
#ifndef CODEC_MEMOS_H
#define CODEC_MEMOS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MEMOS_MAX = 2 };

struct memos {
	pthread_mutex_t lock; /* never held for long */
	struct {
		uint64_t key, value;
		bool set;
	} all[MEMOS_MAX];
	unsigned next; /* the one that gives way, modulo MEMOS_MAX */
};

void memos_init(struct memos *m);
void memos_finish(struct memos *m);
void memos_set(struct memos *m, uint64_t key, uint64_t value);
/* false: it is not known. */
bool memos_find(struct memos *m, uint64_t key, uint64_t *ret);

#endif
