/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/external.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/metadata.h"
#include "base/disk/mountinfo.h"
#include "vfs/files/companion.h"
#include "vfs/files/sidecar.h"

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Setting the mtime back changes the ctime. */
static bool is_untouched(const struct stat *now, const struct stat *opened)
{
	return now->st_dev == opened->st_dev && now->st_ino == opened->st_ino &&
	       now->st_size == opened->st_size && same_time(now->st_mtim, opened->st_mtim) &&
	       same_time(now->st_ctim, opened->st_ctim);
}

/* Make the kernel ask the server for the attributes of a file on a share, which it may have cached.
 * If name is "", the file is dirfd itself. */
static void refresh_attributes(int dirfd, const char *name)
{
	struct statx now;

	(void)statx(dirfd, name, AT_STATX_FORCE_SYNC | (name[0] ? 0 : AT_EMPTY_PATH),
		STATX_BASIC_STATS, &now);
}

bool external_is_link(const struct volume *vol, const char *name)
{
	struct stat st;

	return fstatat(vol->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static bool is_untouched_at(const struct volume *vol, const char *name, const struct stat *opened)
{
	struct stat st;

	refresh_attributes(vol->dirfd, name);
	return fstatat(vol->dirfd, name, &st, 0) == 0 && is_untouched(&st, opened);
}

/* How the attributes of an open file changed. */
enum trace {
	TRACE_NONE,
	TRACE_RIGHTS, /* mode, owner, links or extended attributes changed; size and mtime did not
		       */
	TRACE_OTHER,
};

static enum trace trace_of(const struct volume *vol, unsigned i)
{
	const struct stat *then = i ? &vol->companion_stat : &vol->map_stat;
	int fd = vol->source.files[i]->fd;
	uint32_t attributes = 0;
	struct stat st;

	refresh_attributes(fd, "");
	if (fstat(fd, &st) < 0)
		return TRACE_OTHER;
	if (is_untouched(&st, then))
		return TRACE_NONE;
	if (st.st_size != then->st_size || !same_time(st.st_mtim, then->st_mtim))
		return TRACE_OTHER;
	if (st.st_mode != then->st_mode || st.st_uid != then->st_uid || st.st_gid != then->st_gid ||
		st.st_nlink != then->st_nlink)
		return TRACE_RIGHTS;
	return metadata_checksum(fd, &attributes) == 0 && attributes != vol->attributes[i]
		       ? TRACE_RIGHTS
		       : TRACE_OTHER;
}

/* Does a file have this trace whose identity does not cover all bytes? */
static bool has_large(const struct volume *vol, enum trace trace)
{
	for (unsigned i = 0; i < vol->source.n_files; i++)
		if (!identity_is_whole(vol->source.sizes[i]) && trace_of(vol, i) == trace)
			return true;
	return false;
}

bool external_is_doubtful(const struct volume *vol)
{
	return has_large(vol, TRACE_RIGHTS);
}

bool external_is_in_place(const struct volume *vol)
{
	const struct stat *opened[FORMAT_FILES_MAX] = {&vol->map_stat, &vol->companion_stat};
	char identity[IDENTITY_SIZE];
	bool all = true;

	for (unsigned i = 0; i < vol->source.n_files; i++)
		all = all && trace_of(vol, i) == TRACE_NONE;
	/* A share's client may cache attributes (sshfs: for 20 s): compare the content. */
	if (all && mountinfo_kind(vol->dirfd) != MOUNT_SHARE)
		return false;
	if (has_large(vol, TRACE_OTHER))
		return true;
	/* A change of mode, links or times is harmless, and so are appended bytes. */
	return companion_identity_as(&vol->source, opened, identity, NULL) < 0 ||
	       strcmp(identity, vol->identity) != 0;
}

const char *external_reason(enum external_change outside)
{
	switch (outside) {
	case EXTERNAL_NONE:
		return NULL;
	case EXTERNAL_REMOVED:
		return "the map was removed or renamed meanwhile";
	case EXTERNAL_LINK:
		return "a symbolic link replaced the map meanwhile";
	default:
		return "another program changed the map meanwhile";
	}
}

enum external_change external_check(const struct volume *vol)
{
	CLEANUP(file_unref) struct file *f = NULL;
	char identity[IDENTITY_SIZE];
	bool gone;
	int fd;

	/* First open the file: on most shares that makes the kernel drop its cache of it. */
	fd = openat(vol->dirfd, vol->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	gone = fd < 0 && (errno == ENOENT || errno == ESTALE);
	f = fd < 0 ? NULL : file_new(fd);
	if (external_is_in_place(vol))
		return EXTERNAL_IN_PLACE;
	if (external_is_link(vol, vol->name))
		return EXTERNAL_LINK;
	if (gone)
		return EXTERNAL_REMOVED;
	if (mountinfo_kind(vol->dirfd) != MOUNT_SHARE &&
		is_untouched_at(vol, vol->name, &vol->map_stat) &&
		(vol->source.n_files < 2 ||
			is_untouched_at(vol, vol->companion, &vol->companion_stat)))
		return EXTERNAL_NONE;
	/* Only now: the companion may have been a link when the map was opened. */
	if (vol->source.n_files > 1 && external_is_link(vol, vol->companion))
		return EXTERNAL_LINK;
	/* A file that was copied back or touched has the same content: no conflict. */
	return f && companion_identity(vol->dirfd, vol->name, f, identity, NULL) == 0 &&
			       strcmp(identity, vol->identity) == 0
		       ? EXTERNAL_NONE
		       : EXTERNAL_REPLACED;
}
