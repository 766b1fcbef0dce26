/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/disk/io.h"

/* A file is freed only when none of its bytes are in use, so keep files small. */
enum { HELD_MAX = 16 << 20, FILE_MAX = 64 << 20 };

static int open_next_file(struct volume_store *s)
{
	int fd = io_tmpfile(s->store.spool_dirfd);

	if (fd < 0)
		return fd;
	file_unref(s->file);
	s->file_end = 0;
	s->file = file_new(fd);
	return s->file ? 0 : -ENOMEM;
}

static int write_locked(struct volume_store *s, const struct bytes *data, struct extent *ret)
{
	int r = 0;

	if (!s->file || s->file_end >= FILE_MAX)
		r = open_next_file(s);
	if (r == 0 && lseek(s->file->fd, (off_t)s->file_end, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		r = io_write(s->file->fd, data->data, data->size);
	if (r < 0)
		return r;
	*ret = extent_of_file(file_ref(s->file), s->file_end, data->size);
	s->file_end += data->size;
	return 0;
}

static int keep_bytes(
	struct store *store, const struct extent *data, struct extent *ret, struct error *e)
{
	struct volume_store *s = (struct volume_store *)store;
	CLEANUP(bytes_unref) struct bytes *all = NULL;
	int r;

	/* Bytes in a spool or in the journal stay there: the extent keeps the file. */
	if (!data->mem) {
		*ret = extent_ref(data);
		return 0;
	}
	r = extent_load(data, data->size, &all, e);
	if (r < 0)
		return r;
	pthread_mutex_lock(&s->lock);
	if (s->memory_used + data->size <= HELD_MAX) {
		s->memory_used += data->size;
		*ret = extent_ref(data);
	} else {
		r = write_locked(s, all, ret);
	}
	pthread_mutex_unlock(&s->lock);
	return r < 0 ? error_set(e, r, "cannot keep the closed file: %s", strerror(-r)) : 0;
}

void store_init(struct volume_store *s, int dirfd)
{
	*s = (struct volume_store){.store = {.keep = keep_bytes, .spool_dirfd = dirfd}};
	pthread_mutex_init(&s->lock, NULL);
}

void store_finish(struct volume_store *s)
{
	file_unref(s->file);
	pthread_mutex_destroy(&s->lock);
}
