/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/offline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/print.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/place.h"
#include "vfs/offline/streams.h"

void offline_print(const struct offline *t, const char *fmt, ...)
{
	CLEANUP(free) char *before = text_printf("mapfs: %s: ", t->file);
	va_list ap;

	va_start(ap, fmt);
	print_line_around(stderr, before ? before : "mapfs: ", fmt, ap, "");
	va_end(ap);
}

const char *offline_reason(const struct offline *t, int r)
{
	return r == -EIO && t->shown_error.code ? error_text(&t->shown_error) : strerror(-r);
}

static void print_note(void *arg, const char *line)
{
	offline_print(arg, "%s", line);
}

int offline_locate(const char *file, int *ret_dirfd, char **ret_name, struct error *e)
{
	CLEANUP(free) char *name = NULL;
	CLEANUP(close_fd) int dirfd = -1;
	struct stat st;
	int r;

	if (streams_named(file))
		return streams_input(ret_dirfd, ret_name, e);
	r = place_resolve(file, false, &dirfd, &name, e);
	if (r < 0)
		return r;
	if (!*name || (fstatat(dirfd, name, &st, 0) == 0 && S_ISDIR(st.st_mode)))
		return error_set(e, -EISDIR, "is a folder");
	*ret_dirfd = take_fd(&dirfd);
	*ret_name = TAKE(name);
	return 0;
}

static void init_offline(struct offline *t, const char *file)
{
	*t = (struct offline){.file = file};
}

/* Takes over dirfd. */
static int open_volume(struct offline *t, int dirfd, const char *name, const struct vfs_options *o,
	struct error *e)
{
	int r = volume_open(dirfd, name, o, &t->vol, e);

	if (r == 0 && t->vol->access == VOLUME_READ_ONLY && !o->read_only)
		r = error_set(e, -EROFS, "the map or its directory is not writable");
	return r;
}

int offline_open(struct offline *t, const char *file, const struct vfs_options *o, struct error *e)
{
	CLEANUP(free) char *name = NULL;
	int dirfd, r;

	init_offline(t, file);
	if (streams_named(file) && !o->read_only)
		return error_set(e, -EINVAL, "cannot write to standard input");
	r = offline_locate(file, &dirfd, &name, e);
	return r < 0 ? r : open_volume(t, dirfd, name, o, e);
}

/* Create a map for standard output. Other users must not read its temporary file. */
static int create_stream(
	struct offline *t, const char *format, const struct vfs_options *o, struct error *e)
{
	const struct format *f = volume_format_for(format, "");
	int dirfd;

	if (f && f->companion)
		return error_set(e, -EINVAL, "cannot write a map of two files to standard output");
	dirfd = streams_directory(e);
	(void)umask(S_IRWXG | S_IRWXO);
	return dirfd < 0 ? dirfd : volume_create(dirfd, "", format, o, &t->vol, e);
}

int offline_create(struct offline *t, const char *file, const char *format,
	const struct vfs_options *o, struct error *e)
{
	const char *name;
	int dirfd, r;

	init_offline(t, file);
	if (streams_named(file))
		return create_stream(t, format, o, e);
	r = place_open_parent(file, &dirfd, &name, e);
	return r < 0 ? r : volume_create(dirfd, name, format, o, &t->vol, e);
}

int offline_open_at(struct offline *t, int dirfd, const char *name, const char *file,
	const struct vfs_options *o, struct error *e)
{
	int own = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);

	init_offline(t, file);
	return own < 0 ? error_errno(e, "cannot open its directory")
		       : open_volume(t, own, name, o, e);
}

static void note_debug(void *arg, const char *line)
{
	if (*(const bool *)arg)
		print_line(stderr, "mapfs: %s", line);
}

struct sandbox_rule offline_rule(int dirfd, unsigned flags)
{
	struct stat st;
	bool own = fstat(dirfd, &st) == 0 && st.st_uid == geteuid();

	return (struct sandbox_rule){dirfd, flags | (own ? 0 : SANDBOX_KEEP_OWNERS)};
}

int offline_confine(struct offline *const *trees, size_t n, const struct sandbox_rule *further,
	size_t n_further, bool debug, struct error *e)
{
	CLEANUP(free)
	struct sandbox_rule *rules = calloc(n * VOLUME_RULES_MAX + n_further + 1, sizeof(*rules));
	unsigned flags = 0;
	size_t k = 0;

	if (!rules)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct volume *vol = trees[i]->vol;

		k += volume_rules(vol, rules + k);
		if (vol->access != VOLUME_READ_ONLY && !volume_is_own(vol))
			flags = SANDBOX_KEEP_OWNERS;
	}
	for (size_t i = 0; i < n_further; i++) {
		rules[k++] = further[i];
		flags |= further[i].flags & SANDBOX_KEEP_OWNERS;
	}
	return sandbox_enter(rules, k, flags, note_debug, &debug, e);
}

static int refuse_waiting(struct error *e)
{
	return error_set(e, VOLUME_LOCKED,
		"unsaved changes are in a journal beside it; mount and unmount it to save them, "
		"or use mapfs -u --discard to drop them");
}

static void find_waiting(void *arg, const struct journal_info *i)
{
	*(bool *)arg |= i->fits && !i->is_set_aside && !i->is_untrusted;
}

int offline_check_journal(const struct offline *t, struct error *e)
{
	bool waits = false;
	int r = journal_list(t->vol->dirfd, t->vol->name, find_waiting, &waits, e);

	return r == 0 && waits ? refuse_waiting(e) : r;
}

int offline_load(struct offline *t, struct error *e)
{
	int r = volume_load(t->vol, print_note, t, e);

	if (r == 0 && journal_exists(&t->vol->journal))
		r = refuse_waiting(e);
	if (r < 0)
		return r;
	r = overlay_create(t->vol->base, &t->overlay);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

void offline_close(struct offline *t)
{
	overlay_destroy(TAKE(t->overlay));
	volume_destroy(TAKE(t->vol));
}

bool offline_is_map(const struct offline *t, const struct stat *st)
{
	const struct source *src = &t->vol->source;
	struct stat own;

	for (unsigned i = 0; i < src->n_files; i++)
		if (fstat(src->files[i]->fd, &own) == 0 && own.st_dev == st->st_dev &&
			own.st_ino == st->st_ino)
			return true;
	return false;
}

static struct extent whole_file(struct file *f)
{
	struct stat st = {0};

	(void)fstat(f->fd, &st);
	return extent_of_file(file_ref(f), 0, (uint64_t)st.st_size);
}

bool offline_same(const struct source *a, const struct source *b)
{
	bool same = !a->files[1] == !b->files[1];

	for (int i = 0; same && i < FORMAT_FILES_MAX && a->files[i]; i++) {
		CLEANUP_EXTENT struct extent x = whole_file(a->files[i]);
		CLEANUP_EXTENT struct extent y = whole_file(b->files[i]);

		if (x.size != y.size || extent_equal(&x, &y, &same, NULL) < 0)
			same = false;
	}
	return same;
}

enum outcome offline_outcome(int r)
{
	return r == 0 ? OUTCOME_DONE : r == VOLUME_LOCKED ? OUTCOME_BUSY : OUTCOME_REFUSED;
}

enum outcome offline_write_outcome(int r)
{
	return io_is_full(r) ? OUTCOME_SAVE_FAILED : offline_outcome(r);
}

int offline_print_error(const struct offline *t, const char *path, int r)
{
	offline_print(t, "%s%s%s", path, path[0] ? ": " : "", offline_reason(t, r));
	return r;
}
