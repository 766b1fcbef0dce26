/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/durable/pair.h"
#include "vfs/files/companion.h"
#include "vfs/offline/place.h"
#include "vfs/offline/streams.h"
#include "vfs/volume/finish.h"

static int locate_new(struct out *o, struct error *e)
{
	const char *name;
	int r = place_open_parent(o->path, &o->dirfd, &name, e);

	if (r == 0)
		strcpy(o->name, name);
	return r;
}

/* Standard output has no directory; the temporary file needs one. */
static int locate_stream(struct out *o, struct error *e)
{
	strcpy(o->name, o->path);
	o->dirfd = streams_directory(e);
	return o->dirfd < 0 ? o->dirfd : 0;
}

/* Find the second file by the map's name, since nothing is parsed outside the sandbox. */
static int find_second(struct out *o, struct error *e)
{
	const struct format *f = volume_format_for(NULL, o->name);
	struct source there = {.name = o->name};
	int r;

	if (!f || !f->companion)
		return 0;
	r = companion_open(o->dirfd, f, o->name, &there, o->second, e);
	o->second_held = there.files[1];
	if (r == 0 && o->second_held && !o->existing)
		r = error_set(e, -EEXIST, "%s already exists", o->second);
	if (r == 0 && o->second_held && fstat(o->second_held->fd, &o->second_opened) < 0)
		r = error_errno(e, "%s", o->second);
	if (r == 0 && !o->second_held && !f->companion(o->name, 0, o->second))
		r = error_set(e, -ENAMETOOLONG, "the name of its second file is too long");
	return r;
}

/* Remove temporary files of commands that were killed. */
static void sweep_leftovers(const struct out *o)
{
	const struct trust *trust = &o->existing->vol->trust;
	char marker[NAME_MAX + 1];

	replace_remove_leftovers(trust, o->name);
	if (!o->second[0])
		return;
	pair_marker_name(marker, o->name);
	replace_remove_leftovers(trust, o->second);
	replace_remove_leftovers(trust, marker);
}

int out_begin_held(struct out *o, const char *path, struct error *e)
{
	int r;

	o->path = path;
	o->dirfd = fcntl(o->existing->vol->dirfd, F_DUPFD_CLOEXEC, 3);
	strcpy(o->name, o->existing->vol->name);
	if (o->dirfd < 0)
		return error_errno(e, "cannot open its directory");
	if (finish_is_pending(o->existing->vol))
		return finish_report_pending(e);
	r = find_second(o, e);
	if (r == 0)
		sweep_leftovers(o);
	return r;
}

int out_begin(struct out *o, const char *path, const struct vfs_options *how, struct error *e)
{
	struct stat st;
	int r;

	*o = (struct out){.path = path, .dirfd = -1};
	if (streams_named(path))
		return locate_stream(o, e);
	if (lstat(path, &st) < 0 && errno == ENOENT) {
		r = locate_new(o, e);
		return r < 0 ? r : find_second(o, e);
	}
	r = offline_open(&o->own_existing, path, how, e);
	o->existing = r < 0 ? NULL : &o->own_existing;
	return r < 0 ? r : out_begin_held(o, path, e);
}

int out_check(const struct out *o, const struct format *format, struct error *e)
{
	const struct format *f = NULL;
	struct source there;
	int r;

	if (format->companion && streams_named(o->path))
		return error_set(e, -EINVAL, "cannot write a map of two files to standard output");
	if (format->companion && !o->second[0])
		return error_set(e, -EINVAL, "invalid name for a map of two files");
	if (!o->existing || o->existing->vol->source.sizes[0] == 0)
		return 0;
	there = o->existing->vol->source;
	/* Without a second file, the name proves nothing: decide by the content. */
	if (!o->second_held)
		there.name = "";
	r = format_find(&there, &f, e);
	if (r == -EINVAL)
		return error_set(e, r, "already exists and is not a map; not overwritten");
	if (r == 0 && f != format)
		return error_set(e, -EINVAL, "already exists in another format; not overwritten");
	return r;
}

static void drop_files(struct out *o)
{
	for (int i = FORMAT_FILES_MAX; i-- > 0;)
		replace_destroy(TAKE(o->files[i]));
}

/* Create as many new files as the map has. */
static int begin_files(struct out *o, const struct source *map, struct error *e)
{
	/* The copy for standard output is in TMPDIR: give it the map's permissions. */
	int like = o->existing              ? o->existing->vol->source.files[0]->fd
		   : streams_named(o->path) ? map->files[0]->fd
					    : -1;
	int r;

	drop_files(o);
	r = replace_begin(o->dirfd, o->name, like, &o->files[0], e);
	if (r < 0 || !map->files[1])
		return r;
	like = o->second_held ? o->second_held->fd : -1;
	return replace_begin(o->dirfd, o->second, like, &o->files[1], e);
}

int out_copy(struct out *o, const struct source *from, struct error *e)
{
	int r = begin_files(o, from, e);

	for (int i = 0; r == 0 && i < FORMAT_FILES_MAX && from->files[i]; i++) {
		CLEANUP_EXTENT struct extent all = EXTENT_INIT;
		struct stat st;

		if (fstat(from->files[i]->fd, &st) < 0)
			return error_errno(e, "cannot stat");
		all = extent_of_file(file_ref(from->files[i]), 0, (uint64_t)st.st_size);
		replace_copy(o->files[i], &all);
		r = replace_close(o->files[i], e);
	}
	return r;
}

int out_write(struct out *o, struct save_job *job, struct error *e)
{
	int r = save_check(job, e);

	if (r == 0)
		r = begin_files(o, &job->vol->source, e);
	return r < 0 ? r : save_encode(job, o->files, e);
}

int out_open(struct out *o, struct offline *t, const char *shown, const struct vfs_options *how,
	struct error *e)
{
	o->opened = TAKE(o->files[0]);
	return offline_open_at(t, o->dirfd, replace_temporary(o->opened), shown, how, e);
}

/* Check that the file is unchanged or, if `was` is NULL, still missing. */
static int check_unchanged(
	const struct out *o, const char *name, const struct stat *was, struct error *e)
{
	struct stat st;
	bool there = fstatat(o->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (there == !!was && (!there || (st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
						 st.st_size == was->st_size &&
						 st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
						 st.st_mtim.tv_nsec == was->st_mtim.tv_nsec)))
		return 0;
	return error_set(e, -ESTALE, "another program changed it meanwhile; nothing is written");
}

int out_commit(struct out *o, struct error *e)
{
	struct replace *first = o->files[0], *second = o->files[1];
	CLEANUP(file_unref) struct file *whole = NULL;
	int r = 0;

	if (streams_named(o->path)) {
		whole = replace_file(first);
		return streams_output(whole->fd, e);
	}
	for (int i = 0; r == 0 && i < FORMAT_FILES_MAX && o->files[i]; i++)
		r = replace_sync(o->files[i], e);
	if (r == 0)
		r = check_unchanged(
			o, o->name, o->existing ? &o->existing->vol->map_stat : NULL, e);
	if (r == 0 && second)
		r = check_unchanged(o, o->second, o->second_held ? &o->second_opened : NULL, e);
	if (r < 0)
		return r;
	r = second ? pair_commit(first, second, o->name, true, e)
		   : replace_commit(first, true, NULL, e);
	o->is_committed = replace_is_committed(first);
	return r;
}

struct sandbox_rule out_rule(const struct out *o)
{
	return offline_rule(o->dirfd, SANDBOX_WRITABLE);
}

void out_finish(struct out *o)
{
	drop_files(o);
	replace_destroy(TAKE(o->opened));
	file_unref(TAKE(o->second_held));
	offline_close(&o->own_existing);
	if (o->dirfd >= 0)
		close(o->dirfd);
	o->dirfd = -1;
}
