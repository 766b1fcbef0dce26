/* SPDX-License-Identifier: Zlib */
/* Does a map belong to this user? */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vfs/files/companion.h"
#include "vfs/volume/volume.h"

enum { GROUPS_MAX = 1 << 16 };

static bool is_our_group(gid_t gid)
{
	CLEANUP(free) gid_t *groups = calloc(GROUPS_MAX, sizeof(*groups));
	int n = groups ? getgroups(GROUPS_MAX, groups) : 0;

	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return gid == getegid();
}

static bool is_own(const struct stat *st, mode_t rights)
{
	return st->st_uid == geteuid() && (st->st_mode & rights) == rights &&
	       is_our_group(st->st_gid);
}

bool volume_is_own(const struct volume *vol)
{
	char name[NAME_MAX + 1];
	struct stat st;

	if (fstat(vol->dirfd, &st) < 0 || st.st_uid != geteuid() ||
		(st.st_mode & S_IRWXU) != S_IRWXU || !is_own(&vol->map_stat, S_IRUSR | S_IWUSR))
		return false;
	/* The format is not known yet, so check the companions of all formats. */
	for (size_t i = 0; formats[i]; i++) {
		int r = companion_find(vol->dirfd, formats[i], vol->name, name);

		if (r < 0 || (r > 0 && (fstatat(vol->dirfd, name, &st, 0) < 0 ||
					       !is_own(&st, S_IRUSR | S_IWUSR))))
			return false;
	}
	return true;
}
