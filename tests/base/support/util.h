/* SPDX-License-Identifier: Zlib */
/*
 * Shared by the tests of this folder and of others: a temporary directory, and a disk that fails.
 */
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

/* Create rooms in memory, unless $TMPDIR is set; for tests that need no real disk. */
void rooms_in_memory(void);
/* A new empty directory below $TMPDIR, open. room_remove removes it with all files. */
struct room {
	char path[256];
	int fd;
};

void room_make(struct room *r);
void room_remove(struct room *r);
/* Setup and teardown for cmocka; *state is a struct room. */
int room_setup(void **state);
int room_teardown(void **state);

void put_file(int dirfd, const char *name, const void *data, size_t n);
struct bytes *get_file(int dirfd, const char *name); /* NULL if the file does not exist */
unsigned count_files(int dirfd);
/* Trust in files of this user, for a map with mode 0644. */
struct trust own_files(int dirfd);
bool bytes_equal_data(const struct bytes *b, const void *data, size_t n);
/* Fill with n bytes without a short period. */
void fill_bytes(uint8_t *p, size_t n, uint32_t seed);
/*
 * Number of random sequences to run: MAPFS_TEST_SEQUENCES, or all with MAPFS_TEST_ALL=1, otherwise
 * a share.
 */
uint32_t sequences_to_run(uint32_t all, uint32_t share);

/* Makes the at-th operation from now (0 is the first) fail with `code`. -1 only counts. */
struct fault {
	int at;
	int code;
	int seen;
	bool and_after; /* all later operations fail too */
	bool hit;
	enum io_op last; /* the operation that failed */
};
/* readdir fails with EIO after this many calls; negative: it does not fail. */
void fail_reads_after(int calls);
void fault_set(struct fault *f);
void fault_clear(void);
