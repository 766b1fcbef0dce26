/* SPDX-License-Identifier: Zlib */
/* What the tests of this room share: a directory of their own, and a disk that fails. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/disk/io.h"
#include "base/disk/trust.h"

/* For tests that are about no disk: rooms are made in memory, unless $TMPDIR says where. */
void rooms_in_memory(void);
/* A new empty directory below $TMPDIR, open; removed with all it holds by room_remove. */
struct room {
	char path[256];
	int fd;
};

void room_make(struct room *r);
void room_remove(struct room *r);
/* cmocka's setup and teardown: *state is a struct room. */
int room_setup(void **state);
int room_teardown(void **state);

void put_file(int dirfd, const char *name, const void *data, size_t n);
struct bytes *get_file(int dirfd, const char *name); /* NULL: there is none */
unsigned count_files(int dirfd);
/* In what this user has put there, for a map with mode 0644. */
struct trust own_files(int dirfd);
bool same(const struct bytes *b, const void *data, size_t n);
/* n bytes that no short period repeats. */
void fill(uint8_t *p, size_t n, uint32_t seed);
/* How many random sequences to run: a share; all with MAPFS_TEST_ALL=1; or MAPFS_TEST_SEQUENCES. */
uint32_t sequences_to_run(uint32_t all, uint32_t share);

/* Lets the at-th operation from now (0 is the first) fail with code; -1: none, only count. */
struct fault {
	int at;
	int code;
	int seen;
	bool and_after; /* all that come later fail too */
	bool hit;
	enum io_op last; /* what the failed one was */
};
/* readdir fails with EIO after so many calls; negative: no more. */
void fail_reads_after(int calls);
void fault_set(struct fault *f);
void fault_clear(void);
