/* SPDX-License-Identifier: Zlib */
#include "base/disk/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/cleanup.h"

/* Missing in some <linux/magic.h>. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void unescape_octal(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static uid_t owner_of(const char *options)
{
	const char *found = options ? strstr(options, "user_id=") : NULL;

	if (!found || (found != options && found[-1] != ','))
		return 0;
	return (uid_t)strtoul(found + strlen("user_id="), NULL, 10);
}

/*
 * Parse a line such as "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw". Field 3 is
 * the device, 5 the mount point, 6 the options of the mount. After the single "-" follow the type,
 * the source and the options of the file system.
 */
static bool parse_line(char *text, struct mount_entry *ret)
{
	char *fields[6], *source;
	char *rest = text;
	const char *type;

	for (size_t i = 0; i < 6; i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	/* The separator follows immediately if there are no optional fields. */
	rest = strncmp(rest, "- ", 2) == 0 ? rest - 1 : strstr(rest, " - ");
	if (!rest)
		return false;
	rest += strlen(" - ");
	unescape_octal(fields[4]);
	type = strsep(&rest, " ");
	source = strsep(&rest, " ");
	if (source)
		unescape_octal(source);
	snprintf(ret->point, sizeof(ret->point), "%s", fields[4]);
	snprintf(ret->dev, sizeof(ret->dev), "%s", fields[2]);
	snprintf(ret->source, sizeof(ret->source), "%s", source ? source : "");
	ret->is_mapfs = strcmp(type, "fuse.mapfs") == 0;
	ret->is_read_only = strncmp(fields[5], "ro", 2) == 0 && strcspn(fields[5], ",") == 2;
	ret->owner = strncmp(type, "fuse", 4) == 0 ? owner_of(rest) : 0;
	return true;
}

bool mountinfo_next(FILE *table, struct mount_entry *ret)
{
	CLEANUP(free) char *text = NULL;
	bool found = false;
	size_t room = 0;

	while (!found && getline(&text, &room, table) > 0) {
		text[strcspn(text, "\n")] = '\0';
		found = parse_line(text, ret);
	}
	return found;
}

static bool matches(const struct mount_entry *entry, const char *dev, const char *source)
{
	return entry->is_mapfs && strcmp(entry->dev, dev) == 0 &&
	       (!source || strcmp(entry->source, source) == 0);
}

/* Find the last mount at this point or, if point is NULL, of mapfs with this device and source. */
static int find_mount(const char *path, const char *point, const char *dev, const char *source,
	struct mount_entry *ret)
{
	FILE *table = fopen(path, "re");
	struct mount_entry entry;
	int r = -ENOENT;

	if (!table)
		return -errno;
	while (mountinfo_next(table, &entry)) {
		if (point ? strcmp(entry.point, point) != 0 : !matches(&entry, dev, source))
			continue;
		*ret = entry;
		r = 0;
	}
	fclose(table);
	return r;
}

int mountinfo_find_point(const char *table, const char *point, struct mount_entry *ret)
{
	return find_mount(table, point, NULL, NULL, ret);
}

int mountinfo_find_mapfs(
	const char *table, const char *dev, const char *source, struct mount_entry *ret)
{
	return find_mount(table, NULL, dev, source, ret);
}

bool mountinfo_is_on_device(int fd, const char *dev)
{
	char actual[sizeof(((struct mount_entry *)NULL)->dev)];
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st) < 0)
		return false;
	snprintf(actual, sizeof(actual), "%u:%u", st.stx_dev_major, st.stx_dev_minor);
	return strcmp(actual, dev) == 0;
}

enum mount_kind mountinfo_kind(int fd)
{
	static const unsigned long shares[] = {FUSE_SUPER_MAGIC, NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,
		SMB2_SUPER_MAGIC, CIFS_SUPER_MAGIC, V9FS_MAGIC, AFS_SUPER_MAGIC, CEPH_SUPER_MAGIC,
		CODA_SUPER_MAGIC};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return MOUNT_OTHER;
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		if ((unsigned long)fs.f_type == shares[i])
			return MOUNT_SHARE;
	return fs.f_type == OVERLAYFS_SUPER_MAGIC ? MOUNT_OTHER : MOUNT_LOCAL;
}
