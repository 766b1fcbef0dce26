/* SPDX-License-Identifier: Zlib */
/*
 * benchmark-limit: what the same work costs without a mount. For contrib/bench.
 *
 *     benchmark-limit inflate MAP          every blob of a Teeworlds map, one after the other
 *     benchmark-limit images MAP           those of its images
 *     benchmark-limit blob MAP N           one of them
 *     benchmark-limit sizes FILE THREADS   the lengths of all files that a mount of it would show
 *     benchmark-limit decode PNG ...       the pixels of these files
 *     benchmark-limit pack PNG ...         ... and those compressed, as a map holds them
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "formats/teeworlds/format.h"
#include "formats/teeworlds/model/fields.h"

enum { BUDGET = 1 << 30 };

static const char *const no_options[] = {NULL};

static void fail(const struct error *e)
{
	fprintf(stderr, "%s\n", error_text(e));
	exit(1);
}

static struct snapshot *open_map(const char *path)
{
	static struct store store = {.spool_dirfd = -1};
	struct format_context ctx = {
		.budget = budget_create(BUDGET), .store = &store, .options = no_options};
	struct source source = {.n_files = 1, .name = strrchr(path, '/')};
	const struct format *format = NULL;
	struct error e = ERROR_INIT;
	struct snapshot *s = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	source.name = source.name ? source.name + 1 : path;
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		exit(1);
	}
	source.files[0] = file_new(fd);
	source.sizes[0] = (uint64_t)st.st_size;
	if (!ctx.budget || !source.files[0] || format_find(&source, &format, &e) < 0 ||
		format->open(&source, &ctx, &s, &e) < 0)
		fail(&e);
	return s;
}

static void inflate_blob(const struct blob *b)
{
	CLEANUP(bytes_unref) struct bytes *all = NULL;
	struct error e = ERROR_INIT;

	if (b && b->coding == BLOB_ZLIB && inflate_all(&b->stored, b->size, &all, &e) < 0)
		fail(&e);
}

static void inflate_images(const struct tw_map *m)
{
	for (uint32_t i = 0; i < tw_count(m, TW_IMAGE); i++)
		inflate_blob(tw_get_blob(m, tw_item_at(m, TW_IMAGE, i), TW_IMG_DATA));
}

/* The files of a map, for several threads to ask for their lengths. */
struct list {
	struct snapshot *s;
	entry_id *ids;
	size_t n, room;
	atomic_size_t next;
};

static void walk(struct list *l, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;

	while (l->s->format->list(l->s, dir, &cookie, name, &en, NULL) > 0) {
		if (en.is_dir) {
			walk(l, en.id);
			continue;
		}
		if (l->n == l->room) {
			l->room = l->room ? 2 * l->room : 1024;
			l->ids = realloc(l->ids, l->room * sizeof(*l->ids));
			if (!l->ids)
				abort();
		}
		l->ids[l->n++] = en.id;
	}
}

static void *find_sizes(void *arg)
{
	struct list *l = arg;
	uint64_t size;
	size_t i;

	while ((i = atomic_fetch_add(&l->next, 1)) < l->n)
		(void)snapshot_size(l->s, l->ids[i], &size, NULL);
	return NULL;
}

static void sizes(struct snapshot *s, unsigned n)
{
	struct list l = {.s = s};
	pthread_t threads[64];

	walk(&l, ENTRY_ROOT);
	for (unsigned i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, find_sizes, &l);
	for (unsigned i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	free(l.ids);
}

static int begin(void *arg, uint32_t w, uint32_t, struct error *)
{
	*(uint32_t *)arg = w;
	return 0;
}

/* Rows of pixels, kept where they are to be compressed. */
struct pixels {
	uint32_t w; /* first */
	struct spool *spool;
};

static int take_row(void *arg, uint32_t, const uint8_t *rgba, struct error *e)
{
	struct pixels *p = arg;

	return p->spool ? spool_append(p->spool, rgba, 4 * (size_t)p->w, e) : 0;
}

static void decode(const char *path, bool pack)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct pixels p = {.spool = pack ? spool_create(AT_FDCWD) : NULL};
	const struct png_sink sink = {.begin = begin, .row = take_row, .arg = &p};
	struct extent file, plain = EXTENT_INIT, packed = EXTENT_INIT;
	struct error e = ERROR_INIT;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		exit(1);
	}
	file = extent_of_file(file_new(fd), 0, (uint64_t)st.st_size);
	if (png_decode(&file, &sink, &e) < 0 ||
		(pack && (spool_extent(p.spool, &plain, &e) < 0 ||
				 deflate_all(&plain, AT_FDCWD, &packed, &e) < 0)))
		fail(&e);
	extent_finish(&file);
	extent_finish(&plain);
	extent_finish(&packed);
	spool_destroy(p.spool);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	struct snapshot *s;
	const struct tw_map *m;

	if (argc < 3)
		return 1;
	if (strcmp(what, "decode") == 0 || strcmp(what, "pack") == 0) {
		for (int i = 2; i < argc; i++)
			decode(argv[i], *what == 'p');
		return 0;
	}
	s = open_map(argv[2]);
	m = s->format == &format_teeworlds ? tw_map_of(s) : NULL;
	if (strcmp(what, "sizes") == 0 && argc == 4)
		sizes(s, (unsigned)atoi(argv[3]));
	else if (strcmp(what, "inflate") == 0 && m)
		for (size_t i = 0; i < m->n_blobs; i++)
			inflate_blob(m->blobs[i]);
	else if (strcmp(what, "images") == 0 && m)
		inflate_images(m);
	else if (strcmp(what, "blob") == 0 && m && argc == 4 && (size_t)atoi(argv[3]) < m->n_blobs)
		inflate_blob(m->blobs[atoi(argv[3])]);
	else
		return 1;
	return 0;
}
