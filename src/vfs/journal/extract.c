/* SPDX-License-Identifier: Zlib */
/*
 * What `mapfs recover --extract` copies out. The records are read twice: first for what each file
 * is called at the end, and which record has its last content; then those contents are copied.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/io.h"
#include "base/hash.h"
#include "base/name.h"
#include "vfs/journal/read.h"

/* A file that was closed. */
struct closed {
	struct hash_link link; /* by its path, while it is one of files; first */
	char *path;            /* what it is called at the end */
	size_t first, last;    /* the numbers of its records, and of those that have its content: */
	size_t put, refused;   /* the last one, and what was refused since; 0: none */
	bool replaced;
};

struct extraction {
	int outdirfd;
	const char *file;
	void (*line)(void *arg, const char *path, const char *what);
	void *arg;
	struct hash files;
	struct closed **of; /* by the number of a record, from 1; most are NULL */
	size_t n, room;
};

static struct closed *find(const struct extraction *x, const char *path)
{
	struct hash_link *l = hash_find(&x->files, hash_text(0, path));

	while (l && strcmp(((struct closed *)l)->path, path) != 0)
		l = hash_again(l);
	return (struct closed *)l;
}

static struct closed *need(struct extraction *x, const char *path)
{
	struct closed *f = find(x, path);

	if (f || !hash_room(&x->files) || !(f = calloc(1, sizeof(*f))))
		return f;
	f->path = strdup(path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->first = x->n;
	hash_add(&x->files, &f->link, hash_text(0, path));
	return f;
}

static int note_content(struct extraction *x, const struct journal_record *rec)
{
	struct closed *f = need(x, rec->texts[0]);

	if (!f)
		return -ENOMEM;
	x->of[x->n] = f;
	f->last = x->n;
	f->refused = rec->type == JOURNAL_DRAFT ? x->n : 0;
	if (rec->type == JOURNAL_PUT)
		f->put = x->n;
	return 0;
}

static void note_drop(struct extraction *x, const char *path)
{
	struct closed *f = find(x, path);

	if (f)
		f->refused = 0;
}

/* Its path begins with that of `from`, which is called `to` from now on. */
static int move(struct extraction *x, struct closed *f, size_t from, const char *to)
{
	char path[PATH_MAX];
	struct closed *there;
	int n = snprintf(path, sizeof(path), "%s%s", to, f->path + from);

	if (n < 0 || (size_t)n >= sizeof(path))
		return 0; /* no mount has such a path */
	there = find(x, path);
	if (there == f)
		return 0;
	if (there) {
		there->replaced = true;
		hash_remove(&x->files, &there->link);
	}
	hash_remove(&x->files, &f->link);
	free(f->path);
	f->path = strdup(path);
	f->replaced = !f->path;
	if (f->path)
		hash_add(&x->files, &f->link, hash_text(0, path));
	return f->path ? 0 : -ENOMEM;
}

static int note_rename(struct extraction *x, const char *from, const char *to)
{
	struct closed *f = find(x, from);
	size_t n = strlen(from);
	int r = 0;

	if (f)
		return move(x, f, n, to);
	/* A directory. In the order of the records: what is found in the table changes with it. */
	for (size_t i = 1; r == 0 && i < x->n; i++) {
		f = x->of[i];
		if (f && f->first == i && !f->replaced && strncmp(f->path, from, n) == 0 &&
			f->path[n] == '/')
			r = move(x, f, n, to);
	}
	return r;
}

static int note(struct extraction *x, const struct journal_record *rec, struct error *e)
{
	int r = 0;

	if (!array_room(x->of, x->n + 1, x->room))
		return error_set(e, -ENOMEM, "out of memory");
	x->of[++x->n] = NULL;
	if (rec->damaged)
		return 0;
	if (rec->type == JOURNAL_PUT || rec->type == JOURNAL_DRAFT)
		r = note_content(x, rec);
	else if (rec->type == JOURNAL_DROP)
		note_drop(x, rec->texts[0]);
	else if (rec->type == JOURNAL_RENAME)
		r = note_rename(x, rec->texts[0], rec->texts[1]);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

/* No file stands where a directory is: what was there before is gone. */
static void clear_way(const struct extraction *x, struct closed *f)
{
	for (char *at = strchr(f->path, '/'); at && !f->replaced; at = strchr(at + 1, '/')) {
		struct closed *above;

		*at = '\0';
		above = find(x, f->path);
		*at = '/';
		if (above)
			(above->last < f->last ? above : f)->replaced = true;
	}
}

static void clear_ways(const struct extraction *x)
{
	for (size_t i = 1; i <= x->n; i++)
		if (x->of[i] && x->of[i]->last == i && !x->of[i]->replaced)
			clear_way(x, x->of[i]);
}

static int open_dir(void *, int dirfd, const char *name, struct error *e)
{
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

static int copy_out(int outdirfd, const char *path, const struct extent *content, struct error *e)
{
	CLEANUP(close_fd) int parent = -1, out = -1;
	char base[NAME_MAX + 1];
	uint8_t chunk[64 << 10];
	int r;

	parent = path_open_parent(outdirfd, path, open_dir, NULL, base, e);
	if (parent < 0)
		return parent;
	out = io_openat(parent, base, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	if (out < 0)
		return error_set(e, out, "%s: %s", path, strerror(-out));
	for (uint64_t off = 0; off < content->size;) {
		size_t n = content->size - off < sizeof(chunk) ? (size_t)(content->size - off)
							       : sizeof(chunk);

		r = extent_read(content, off, chunk, n, e);
		if (r < 0)
			return r;
		r = io_write(out, chunk, n);
		if (r < 0)
			return error_set(e, r, "%s: %s", path, strerror(-r));
		off += n;
	}
	return 0;
}

/* The record of that number: is it the last content of a file? */
static const struct closed *last_of(const struct extraction *x, size_t number)
{
	const struct closed *f = number <= x->n ? x->of[number] : NULL;

	return f && !f->replaced && number == (f->refused ? f->refused : f->put) ? f : NULL;
}

static int extract_content(const struct extraction *x, const struct closed *f,
	const struct journal_record *rec, struct error *e)
{
	int r = !f || x->outdirfd < 0 ? 0 : copy_out(x->outdirfd, f->path, &rec->content, e);

	if (f && r == 0)
		x->line(x->arg, f->path, rec->type == JOURNAL_PUT ? "applied" : rec->texts[1]);
	return r;
}

static int extract_one(const struct extraction *x, size_t number, const struct journal_record *rec,
	struct error *e)
{
	char what[PATH_MAX + 32];

	if (rec->damaged) {
		x->line(x->arg, x->file, "is damaged: something is missing here");
		return 0;
	}
	switch (rec->type) {
	case JOURNAL_PUT:
	case JOURNAL_DRAFT:
		return extract_content(x, last_of(x, number), rec, e);
	case JOURNAL_MKDIR:
		x->line(x->arg, rec->texts[0], "made");
		return 0;
	case JOURNAL_REMOVE:
		x->line(x->arg, rec->texts[0], "removed");
		return 0;
	case JOURNAL_RENAME:
		snprintf(what, sizeof(what), "renamed to %s", rec->texts[1]);
		x->line(x->arg, rec->texts[0], what);
		return 0;
	default:
		return 0;
	}
}

static int read_all(struct extraction *x, struct reclog *log, bool copying, struct error *e)
{
	struct journal_record rec;
	struct reclog_pos pos = {0};
	bool torn = false;
	size_t number = 0;
	int r;

	while ((r = journal_record_next(log, &pos, &rec, &torn, e)) > 0) {
		r = copying ? extract_one(x, ++number, &rec, e) : note(x, &rec, e);
		journal_record_finish(&rec);
		if (r < 0)
			return r;
	}
	if (r == 0 && torn && copying)
		x->line(x->arg, x->file, "ends in a record that was not finished");
	return r;
}

static void finish(struct extraction *x)
{
	for (size_t i = 1; i <= x->n; i++) {
		struct closed *f = x->of[i];

		/* The others point to it; so the last one frees it. */
		if (f && f->last == i) {
			free(f->path);
			free(f);
		}
	}
	free(x->of);
	hash_finish(&x->files);
}

int journal_extract(int dirfd, const char *file, int outdirfd,
	void (*line)(void *arg, const char *path, const char *what), void *arg, struct error *e)
{
	struct extraction x = {outdirfd, file, line, arg, {0}, NULL, 0, 0};
	CLEANUP(reclog_close) struct reclog *log = NULL;
	int r = reclog_open_readonly(dirfd, file, &log, e);

	if (r == 0)
		r = read_all(&x, log, false, e);
	clear_ways(&x);
	if (r == 0)
		r = read_all(&x, log, true, e);
	finish(&x);
	return r;
}
