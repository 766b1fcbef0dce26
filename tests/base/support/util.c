/* SPDX-License-Identifier: Zlib */
#include "util.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void rooms_in_memory(void)
{
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
}

void room_make(struct room *r)
{
	const char *base = getenv("TMPDIR");

	snprintf(r->path, sizeof(r->path), "%s/mapfs-test-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(r->path));
	r->fd = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(r->fd >= 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void room_remove(struct room *r)
{
	close(r->fd);
	nftw(r->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int room_setup(void **state)
{
	struct room *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	room_make(r);
	*state = r;
	return 0;
}

int room_teardown(void **state)
{
	fault_clear();
	room_remove(*state);
	free(*state);
	return 0;
}

struct trust own_files(int dirfd)
{
	return (struct trust){dirfd, geteuid(), getegid(), 0644};
}

void put_file(int dirfd, const char *name, const void *data, size_t n)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
}

struct bytes *get_file(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY);
	struct bytes *b;
	struct stat st;
	uint8_t *to;

	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	b = bytes_new((size_t)st.st_size, &to);
	assert_non_null(b);
	assert_int_equal(read(fd, to, b->size), b->size);
	close(fd);
	return b;
}

unsigned count_files(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY);
	DIR *d = fdopendir(fd);
	const struct dirent *entry;
	unsigned n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(d);
	return n;
}

bool bytes_equal_data(const struct bytes *b, const void *data, size_t n)
{
	return b && b->size == n && memcmp(b->data, data, n) == 0;
}

void fill_bytes(uint8_t *p, size_t n, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = (uint8_t)(x >> 24);
	}
}

uint32_t sequences_to_run(uint32_t all, uint32_t share)
{
	const char *n = getenv("MAPFS_TEST_SEQUENCES"), *whole = getenv("MAPFS_TEST_ALL");

	if (n)
		return (uint32_t)strtoul(n, NULL, 10);
	return whole && strcmp(whole, "1") == 0 ? all : share;
}

static int fault_hook(struct io_call *c, void *arg)
{
	struct fault *f = arg;
	int mine = f->seen++;

	if (f->at < 0 || mine < f->at || (mine > f->at && !f->and_after))
		return 0;
	if (!f->hit)
		f->last = c->op;
	f->hit = true;
	return f->code;
}

void fault_set(struct fault *f)
{
	io_set_hook(fault_hook, f);
}

void fault_clear(void)
{
	io_set_hook(NULL, NULL);
}

static atomic_int reads_left = -1;

void fail_reads_after(int calls)
{
	reads_left = calls;
}

/* Replaces the library's function, which is called readdir64 if file sizes need 64 bits. */
struct dirent *readdir(DIR *dir)
{
	struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir64");

	if (reads_left == 0) {
		errno = EIO;
		return NULL;
	}
	if (reads_left > 0)
		reads_left--;
	return real(dir);
}
