/* SPDX-License-Identifier: Zlib */
#include "base/disk/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/disk/io.h"

enum { XATTR_TRIES = 8 };

static const char acl_name[] = "system.posix_acl_access";

/* EINVAL means that the owner has no ID in this user namespace. */
static bool right_is_missing(int r)
{
	return r == -EPERM || r == -EINVAL;
}

static int keep_owner(int to, const struct stat *old, struct stat *now, struct error *e)
{
	int r = -EPERM;

	if (now->st_uid == old->st_uid && now->st_gid == old->st_gid)
		return 0;
	if (now->st_uid != old->st_uid)
		r = io_chown(to, old->st_uid, old->st_gid);
	/* A user who may not change the owner may still choose one of their own groups. */
	if (right_is_missing(r) && now->st_gid != old->st_gid)
		r = io_chown(to, (uid_t)-1, old->st_gid);
	if (r < 0 && !right_is_missing(r))
		return error_set(e, r, "cannot keep the owner: %s", strerror(-r));
	if (fstat(to, now) < 0)
		return error_errno(e, "cannot stat the new file");
	return 0;
}

/* Read an attribute, or the list of all names if name is NULL. The caller frees *ret. */
static ssize_t read_xattr(int fd, const char *name, char **ret)
{
	for (int i = 0; i < XATTR_TRIES; i++) {
		CLEANUP(free) char *p = NULL;
		ssize_t n = name ? fgetxattr(fd, name, NULL, 0) : flistxattr(fd, NULL, 0);

		if (n < 0)
			return -errno;
		p = malloc((size_t)n + 1);
		if (!p)
			return -ENOMEM;
		n = name ? fgetxattr(fd, name, p, (size_t)n) : flistxattr(fd, p, (size_t)n);
		if (n >= 0) {
			p[n] = '\0';
			*ret = TAKE(p);
			return n;
		}
		/* The value has grown since its size was read. */
		if (errno != ERANGE)
			return -errno;
	}
	return -EBUSY;
}

static bool vouches_for_content(const char *name)
{
	return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0 ||
	       strcmp(name, "security.capability") == 0;
}

/* Does the attribute belong to the user? The system sets the others. */
static bool must_be_kept(const char *name)
{
	return strncmp(name, "user.", 5) == 0 || strcmp(name, acl_name) == 0;
}

static int keep_xattr(int from, int to, const char *name)
{
	CLEANUP(free) char *value = NULL;
	CLEANUP(free) char *present = NULL;
	ssize_t n = read_xattr(from, name, &value);
	int r;

	if (n == -ENODATA)
		return 0;
	if (n < 0)
		return n == -EOPNOTSUPP || !must_be_kept(name) ? 0 : (int)n;
	/* Labels that the system has already set to this value need no privilege. */
	if (read_xattr(to, name, &present) == n && memcmp(value, present, (size_t)n) == 0)
		return 0;
	r = io_set_xattr(to, name, value, (size_t)n);
	if (r == -EOPNOTSUPP)
		return 0;
	return (r == -EPERM || r == -EACCES) && !must_be_kept(name) ? 0 : r;
}

/* Does the file system lack extended attributes? Some (rclone) then fail with their own errors, but
 * with the same error for each file, also for the new one. */
static bool lacks_xattrs(int r, int made)
{
	CLEANUP(free) char *names = NULL;

	return r == -EOPNOTSUPP || (r < 0 && r != -ENOMEM && read_xattr(made, NULL, &names) == r);
}

static int keep_xattrs(int from, int to, struct error *e)
{
	CLEANUP(free) char *names = NULL;
	ssize_t n = read_xattr(from, NULL, &names);
	bool acl = false;
	int r;

	if (lacks_xattrs((int)n, to))
		return 0;
	if (n < 0)
		return error_set(
			e, (int)n, "cannot list the extended attributes: %s", strerror((int)-n));
	for (const char *name = names; name < names + n; name += strlen(name) + 1) {
		acl = acl || strcmp(name, acl_name) == 0;
		if (vouches_for_content(name))
			continue;
		r = keep_xattr(from, to, name);
		if (r < 0)
			return error_set(e, r, "cannot keep the extended attribute %s: %s", name,
				strerror(-r));
	}
	if (acl)
		return 0;
	/* The new file may have inherited the default ACL of the directory. */
	r = io_remove_xattr(to, acl_name);
	if (r < 0 && r != -ENODATA && r != -EOPNOTSUPP)
		return error_set(e, r, "cannot remove the inherited ACL: %s", strerror(-r));
	return 0;
}

static bool needs_privilege(const char *name)
{
	static const char *const labels[] = {"selinux", "SMACK64", "apparmor"};

	if (strncmp(name, "trusted.", 8) == 0)
		return true;
	if (strncmp(name, "security.", 9) != 0)
		return false;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (strncmp(name + 9, labels[i], strlen(labels[i])) == 0)
			return false;
	}
	return true;
}

static int add_name(char **names, const char *name)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *names ? *names : "", *names ? ", " : "", name) < 0)
		return -ENOMEM;
	free(*names);
	*names = longer;
	return 0;
}

int metadata_list_not_kept(int fd, char **ret, struct error *e)
{
	CLEANUP(free) char *names = NULL, *found = NULL;
	ssize_t n = read_xattr(fd, NULL, &names);
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot stat the file");
	if (st.st_mode & S_ISUID)
		r = add_name(&found, "set-user-ID");
	if (r == 0 && st.st_mode & S_ISGID)
		r = add_name(&found, "set-group-ID");
	if (n < 0 && n != -EOPNOTSUPP)
		return error_set(
			e, (int)n, "cannot list the extended attributes: %s", strerror((int)-n));
	for (const char *name = names; r == 0 && n > 0 && name < names + n;
		name += strlen(name) + 1)
		if (needs_privilege(name))
			r = add_name(&found, name);
	if (r < 0)
		return error_set(e, r, "out of memory");
	*ret = TAKE(found);
	return 0;
}

int metadata_checksum(int fd, uint32_t *ret)
{
	CLEANUP(free) char *names = NULL;
	ssize_t n = read_xattr(fd, NULL, &names);
	uLong sum = crc32(0, NULL, 0);

	if (n < 0 && n != -EOPNOTSUPP)
		return (int)n;
	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
		CLEANUP(free) char *value = NULL;
		ssize_t size = read_xattr(fd, name, &value);

		sum = crc32(sum, (const Bytef *)name, (uInt)strlen(name) + 1);
		if (size > 0)
			sum = crc32(sum, (const Bytef *)value, (uInt)size);
	}
	*ret = (uint32_t)sum;
	return 0;
}

static mode_t kept_mode(const struct stat *old, const struct stat *now)
{
	/* Leave out S_ISUID and S_ISGID: the kernel, too, clears them when a file is written. */
	mode_t mode = old->st_mode & (S_ISVTX | ACCESSPERMS);

	if (now->st_gid != old->st_gid) {
		mode_t both = mode & (mode << 3) & S_IRWXG;

		mode = (mode & ~(mode_t)S_IRWXG) | both;
	}
	return mode;
}

int metadata_copy(int from, int to, struct error *e)
{
	struct stat old, now;
	int r;

	if (fstat(from, &old) < 0 || fstat(to, &now) < 0)
		return error_errno(e, "cannot stat the file");
	/* The order matters: changing the owner clears mode bits, and an ACL sets some. */
	r = keep_owner(to, &old, &now, e);
	if (r < 0)
		return r;
	r = keep_xattrs(from, to, e);
	if (r < 0)
		return r;
	if (fstat(to, &now) < 0)
		return error_errno(e, "cannot stat the new file");
	if ((now.st_mode & 07777) == kept_mode(&old, &now))
		return 0;
	r = io_chmod(to, kept_mode(&old, &now));
	if (r < 0)
		return error_set(e, r, "cannot keep the mode: %s", strerror(-r));
	return 0;
}
