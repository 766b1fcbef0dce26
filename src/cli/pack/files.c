/* SPDX-License-Identifier: Zlib */
#include "cli/pack/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/disk/io.h"
#include "base/name.h"
#include "base/print.h"
#include "codec/text/text.h"
#include "vfs/offline/walk.h"

/* The path on disk of a copied file, by its oentry.serial. Returns NULL if it was not copied. */
static const char *find_source(const struct files *f, uint64_t number)
{
	return number < f->n ? f->sources[number] : NULL;
}

static int set_source(struct files *f, uint64_t number, const char *path)
{
	while (f->n <= number) {
		if (!array_reserve(f->sources, f->n, f->room))
			return -ENOMEM;
		f->sources[f->n++] = NULL;
	}
	free(f->sources[number]);
	f->sources[number] = strdup(path);
	return f->sources[number] ? 0 : -ENOMEM;
}

enum { DEPTH_MAX = 1000 };

struct copy {
	struct files *files;
	const char *path; /* of the current file, in the directory */
	const char *to;   /* of the current file, in the map */
};

/* Order names, ignoring case, so that a by-product comes after the file it was made of. */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int r = strcasecmp(x, y);

	return r ? r : strcmp(x, y);
}

static void count_file(struct files_count *count, const char *path)
{
	if (!count->n++)
		count->first = strdup(path);
}

/* The path in the map for a path on disk. The caller frees it. NULL if memory is exhausted. */
static char *place_file(const struct files *f, const char *path)
{
	char *to = mismatch_place(f->mismatch, path);

	for (char *c = to; c && *c && f->rules && f->rules->has_backslashes; c++)
		if (*c == '\\')
			*c = '/';
	return to;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_unpacked(const struct files *f, const char *path)
{
	const char *const *pattern = f->rules && !f->takes_all ? f->rules->excluded_names : NULL;

	while (pattern && *pattern && fnmatch(*pattern, last_part(path), FNM_CASEFOLD) != 0)
		pattern++;
	return pattern && *pattern;
}

static void report_file(const struct copy *c, size_t *count, const char *why)
{
	++*count;
	print_line(stderr, "mapfs: %s/%s: %s", c->files->shown, c->path, why);
}

static void report_failure(const struct copy *c, int r, const char *why)
{
	/* The file is read-only in all mounts. */
	if (r == -EACCES || r == -EROFS)
		c->files->unwritable++;
	else if (r == -EPERM)
		report_file(c, &c->files->left_out, "ignored: not part of a map");
	else if (r == -EINVAL && !utf8_valid(c->path, strlen(c->path)))
		report_file(c, &c->files->refused, "name is not UTF-8");
	else if (r == -ENOENT)
		report_file(c, &c->files->refused, "name is not a valid path in a map");
	else if (r == -ENAMETOOLONG)
		report_file(c, &c->files->left_out, "ignored: name is too long");
	else
		report_file(c, &c->files->refused, why);
}

void files_finish(struct files *f)
{
	free(f->derived.first);
	free(f->unpacked.first);
	free(f->split.first);
	for (size_t i = 0; i < f->n; i++)
		free(f->sources[i]);
	free(f->sources);
}

char *files_origin(void *arg, struct offline *t, const char *path)
{
	const struct files *f = arg;
	const char *from;
	struct offline_file a;

	if (offline_find(t, path, &a) < 0)
		return NULL;
	from = a.dentry.oentry ? find_source(f, a.dentry.oentry->serial) : NULL;
	return from ? text_printf("%s/%s", f->shown, from) : NULL;
}

/* Refuse the second of two files of the directory that are one file of the map. */
static int refuse_second(struct copy *c, const char *first)
{
	CLEANUP(free) char *why = text_printf("has the same path in the map as %s", first);

	if (!why)
		return -ENOMEM;
	report_file(c, &c->files->refused, why);
	return 0;
}

/* Remove a file without a meaning from the map at once, since there may be any number of them.
 * By-products are counted and reported together. */
static void drop_file(struct copy *c, bool derived)
{
	if (overlay_remove(c->files->tree->overlay, c->to, false) < 0)
		return;
	if (!derived)
		report_file(c, &c->files->left_out, "ignored: not part of a map");
	else
		count_file(&c->files->derived, c->path);
}

/* Record the source of a copied file. Drop a file without a meaning; refuse a second source. */
static int record_source(struct copy *c)
{
	enum change_class meaning;
	const char *first;
	struct offline_file a;
	int r = offline_find(c->files->tree, c->to, &a);

	/* Without an overlay entry it is as in the base: an old directory, or a read-only file. */
	if (r < 0 || !a.dentry.oentry)
		return r == -ENOENT ? 0 : r;
	meaning = a.dentry.is_dir ? CHANGE_OF_MAP : change_classify(c->files->tree, &a.dentry);
	if (meaning != CHANGE_OF_MAP) {
		drop_file(c, meaning == CHANGE_DERIVED);
		return 0;
	}
	first = a.dentry.is_dir ? NULL : find_source(c->files, a.dentry.oentry->serial);
	return first ? refuse_second(c, first)
		     : set_source(c->files, a.dentry.oentry->serial, c->path);
}

static int copy_file(struct copy *c, int fd, const struct stat *st)
{
	struct error e = ERROR_INIT;
	struct change_file s = {fd, 0};
	const struct timespec *mtime = c->files->tree->vol->format->kept_time ? &st->st_mtim : NULL;
	int r = st->st_size > FORMAT_SIZE_MAX /* too large for each format: do not read it */
			? error_set(&e, -EFBIG, "%s", strerror(EFBIG))
			: change_put(c->files->tree, c->to, change_from_file, &s, mtime, &e);

	if (s.failed)
		report_file(c, &c->files->unread, strerror(-s.failed));
	else if (r == 0)
		return record_source(c);
	else if (io_is_full(r))
		return r; /* the next files would fail too */
	else
		report_failure(c, r, error_text(&e));
	return 0;
}

/* Create the directories of a name with backslashes, which is a path in the map. */
static int make_split_dirs(struct copy *c, const char *name)
{
	CLEANUP(free) char *above = strndup(c->to, (size_t)(last_part(c->to) - c->to));

	if (!strchr(name, '\\') || !c->files->rules || !c->files->rules->has_backslashes)
		return 0;
	count_file(&c->files->split, c->path);
	return above ? overlay_mkdirs(c->files->tree->overlay, above) : -ENOMEM;
}

/* Record a source for the directories above a file, so that files_remove_others keeps them. */
static int set_source_of_parents(struct copy *c, const char *to)
{
	CLEANUP(free) char *below = text_printf("%s%s", to, *last_part(to) ? "" : "x");
	struct dentry d = {.parent = NULL};
	int r = below ? overlay_dentry_at(c->files->tree->overlay, below, &d) : -ENOMEM;

	for (struct oentry *u = d.parent; r == 0 && u->parent; u = u->parent)
		r = set_source(c->files, u->serial, c->path);
	return r == -ENOMEM ? r : 0;
}

static int copy_dir(struct copy *c, int fd, unsigned depth);

static int copy_entry(struct copy *c, int dirfd, const char *name, unsigned depth)
{
	CLEANUP(close_fd)
	int fd = io_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	const char *to = c->to;
	struct stat st;
	int r = 0;

	/* ELOOP: a symbolic link; ENXIO: a device or socket. */
	if (fd < 0 && fd != -ELOOP && fd != -ENXIO)
		r = fd;
	else if (fd >= 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r < 0) {
		report_file(c, &c->files->unread, strerror(-r));
		return 0;
	}
	if (fd < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		report_file(c, &c->files->left_out, "ignored: not a regular file or directory");
		return 0;
	}
	/* Skip the map that is written, if it is in the directory. */
	if (offline_is_map(c->files->tree, &st) || offline_is_map(c->files->held_map, &st))
		return 0;
	if (S_ISREG(st.st_mode) && is_unpacked(c->files, c->to)) {
		count_file(&c->files->unpacked, c->path);
		return 0;
	}
	r = make_split_dirs(c, name);
	/* Some zip programs create an empty file "NAME\" for a directory. */
	if (r == 0 && S_ISREG(st.st_mode) && !*last_part(c->to) && !st.st_size)
		return 0;
	if (r == 0 && S_ISREG(st.st_mode))
		return copy_file(c, fd, &st);
	if (r == 0)
		r = overlay_mkdirs(c->files->tree->overlay, c->to);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		report_failure(c, r, strerror(-r));
		return 0;
	}
	r = copy_dir(c, fd, depth + 1);
	c->to = to;
	return r < 0 ? r : record_source(c);
}

/* Copy a directory, in the order of the names, so that equal files give equal maps. */
static int copy_dir(struct copy *c, int fd, unsigned depth)
{
	CLEANUP_NAMES struct names names = {0};
	const char *above = c->path;
	int r = depth < DEPTH_MAX ? names_add_dir(&names, fd) : -ELOOP;

	if (r < 0 && r != -ENOMEM && depth) {
		report_file(c, &c->files->unread, strerror(-r));
		return 0;
	}
	if (r == 0 && names.n)
		qsort(names.items, names.n, sizeof(*names.items), compare_names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		CLEANUP(free) char *path = path_join(above, names.items[i]);
		CLEANUP(free) char *to = path ? place_file(c->files, path) : NULL;

		c->path = path;
		c->to = to;
		r = to ? copy_entry(c, fd, names.items[i], depth) : -ENOMEM;
		if (r == 0 && c->files->split.n)
			r = set_source_of_parents(c, to);
	}
	c->path = above;
	return r;
}

/* Print "DIR: 3 files are ignored ... (the first)". */
static void report_count(
	const struct files *f, const struct files_count *t, const char *one, const char *many)
{
	if (t->n)
		print_line(stderr, "mapfs: %s: %zu %s (%s)", f->shown, t->n, t->n == 1 ? one : many,
			t->first ? t->first : "");
}

static void report_counts(const struct files *f)
{
	if (f->unwritable)
		print_line(stderr, "mapfs: %s: %zu %s ignored: read-only in a mount", f->shown,
			f->unwritable, f->unwritable == 1 ? "file" : "files");
	report_count(f, &f->derived, "file ignored: made from other files of the map",
		"files ignored: made from other files of the map");
	report_count(f, &f->unpacked,
		"file ignored: the game's own tool does not pack it; use --all to pack it",
		"files ignored: the game's own tool does not pack them; use --all to pack them");
	report_count(f, &f->split, "name with backslashes is a path in the map",
		"names with backslashes are paths in the map");
}

int files_copy_in(struct files *f)
{
	struct copy c = {.files = f, .path = ""};
	int r = copy_dir(&c, f->dirfd, 0);

	report_counts(f);
	return r;
}

int files_report_replaced(struct files *f)
{
	CLEANUP_NAMES struct names paths = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->n; i++) {
		CLEANUP(free) char *to = f->sources[i] ? place_file(f, f->sources[i]) : NULL;
		struct offline_file a;

		if (!f->sources[i])
			continue;
		r = to ? offline_find(f->tree, to, &a) : -ENOMEM;
		if (r == -ENOENT)
			r = names_add(&paths, f->sources[i]);
	}
	names_sort(&paths);
	for (size_t i = 0; i < paths.n; i++)
		print_line(stderr, "mapfs: %s/%s: ignored: another file has its place", f->shown,
			paths.items[i]);
	f->left_out += paths.n;
	return r;
}

struct others {
	const struct files *f;
	bool is_root_unwritable; /* the root is read-only, so modes tell nothing */
	struct names removed;    /* paths */
};

static int find_other(void *arg, const char *path, const struct offline_file *a)
{
	struct others *o = arg;
	struct stat st;
	int fd, r;

	if (!path[0]) {
		o->is_root_unwritable = !(a->mode & 0222);
		return 0;
	}
	/* The collection was emptied: all that is in it was copied. */
	if (mismatch_has(o->f->mismatch, path))
		return WALK_PAST;
	if (a->dentry.oentry && find_source(o->f, a->dentry.oentry->serial))
		return 0;
	fd = !S_ISDIR(a->mode) && is_unpacked(o->f, path)
		     ? -ENOENT
		     : io_openat(o->f->dirfd, path, O_PATH | O_NOFOLLOW, 0);
	if (fd >= 0) {
		bool same = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) == S_ISDIR(a->mode);

		close(fd);
		return same ? 0 : -EEXIST;
	}
	if (fd != -ENOENT && fd != -ENOTDIR)
		return fd;
	/* Keep read-only files, such as raw/: they follow from the others. */
	if (!(a->mode & 0222) && !o->is_root_unwritable)
		return WALK_PAST;
	r = names_add(&o->removed, path);
	return r < 0 ? r : WALK_PAST;
}

int files_remove_others(const struct files *f)
{
	struct others o = {.f = f};
	int r = offline_walk(f->tree, "", find_other, NULL, &o);

	for (size_t i = 0; r == 0 && i < o.removed.n; i++) {
		r = change_remove_tree(f->tree, o.removed.items[i]);
		/* Mandatory and read-only entries stay. */
		if (r == -EPERM || r == -EACCES || r == -EROFS || r == -ENOTEMPTY)
			r = 0;
	}
	names_finish(&o.removed);
	return r;
}
