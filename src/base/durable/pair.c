/* SPDX-License-Identifier: Zlib */
#include "base/durable/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "base/name.h"

enum { PAIR = 2, MARKER_MAX = 4 * (NAME_MAX + 2) + 64 };

static const char HEAD[] = "mapfs pair 1\n";
static const char ENDING[] = ".mapfs-pair";

void pair_marker_name(char ret[NAME_MAX + 1], const char *marked)
{
	int room = NAME_MAX - 1 - (int)strlen(ENDING);

	snprintf(ret, NAME_MAX + 1, ".%.*s%s", room, marked, ENDING);
}

/* The content of a marker; the strings are in text. */
struct marker {
	char text[MARKER_MAX];
	const char *temporary[PAIR], *name[PAIR];
};

/* Check a name in a marker. A temporary name must be one that replace.c creates. */
static bool is_name(const char *s, bool temporary)
{
	if (name_check(s, strlen(s)) < 0)
		return false;
	return !temporary || (s[0] == '.' && strstr(s, ".mapfs-new-"));
}

static bool parse_marker(struct marker *m, size_t n)
{
	char *at = m->text;

	m->text[n] = '\0';
	if (n < sizeof(HEAD) || strlen(m->text) != n || strncmp(at, HEAD, strlen(HEAD)) != 0)
		return false;
	at += strlen(HEAD);
	for (int i = 0; i < 2 * PAIR; i++) {
		char *end = strchr(at, '\n');

		if (!end)
			return false;
		*end = '\0';
		*(i % 2 ? &m->name[i / 2] : &m->temporary[i / 2]) = at;
		if (!is_name(at, i % 2 == 0))
			return false;
		at = end + 1;
	}
	return *at == '\0';
}

static bool file_exists(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Read a marker. Returns 1, 0 if there is none, or -errno, also if the file is not a marker. */
static int read_marker(
	const struct trust *trust, const char *name, struct marker *ret, struct error *e)
{
	CLEANUP(file_unref) struct file *f = NULL;
	struct stat st;
	int fd = trust_open(trust, name, O_RDONLY, e), r;

	if (fd == -ENOENT)
		return 0;
	if (fd == -EPERM)
		return fd;
	if (fd < 0)
		return error_context(e, "%s", name), fd;
	f = file_new(fd);
	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0)
		return error_errno(e, "%s", name);
	if (!S_ISREG(st.st_mode) || st.st_size >= MARKER_MAX)
		return error_set(e, -EINVAL, "%s is not a marker of a save", name);
	r = file_read(f, 0, ret->text, (size_t)st.st_size, e);
	if (r < 0)
		return r;
	if (!parse_marker(ret, (size_t)st.st_size))
		return error_set(e, -EINVAL, "%s is not a marker of a save", name);
	return 1;
}

/* Does a temporary file still exist? One that cannot be checked or trusted is not missing: its
 * rename may be all that is left of a commit. */
static int find_temporary(const struct trust *trust, const char *name, bool *ret, struct error *e)
{
	struct error why = ERROR_INIT;
	int r = trust_check_name(trust, name, &why);

	*ret = r == 0;
	if (r == 0 || r == -ENOENT)
		return 0;
	return error_set(e, r, "names %s, which cannot be used: %s", name, error_text(&why));
}

/* Do the remaining renames of a marker. The first file is renamed first, but an abandoned commit
 * removes the second one first. So if only the first temporary file exists, remove it, too. */
static int finish_renames(const struct trust *trust, const struct marker *m, bool over,
	bool *ret_complete, struct error *e)
{
	bool have[PAIR];
	int dirfd = trust->dirfd, r = 0;

	for (int i = 0; r == 0 && i < PAIR; i++)
		r = find_temporary(trust, m->temporary[i], &have[i], e);
	if (r < 0)
		return r;
	*ret_complete = have[1] || !have[0];
	if (!*ret_complete)
		return io_unlink(dirfd, m->temporary[0]);
	for (int i = 0; r == 0 && i < PAIR; i++) {
		if (have[i])
			r = over ? io_rename(dirfd, m->temporary[i], m->name[i])
				 : io_rename_noreplace(dirfd, m->temporary[i], m->name[i]);
		if (r < 0)
			error_set(e, r, "cannot rename the new file to %s: %s", m->name[i],
				strerror(-r));
	}
	return r;
}

int pair_finish(const struct trust *trust, const char *marked, pair_check_names *check, void *arg,
	struct error *e)
{
	char name[NAME_MAX + 1];
	enum pair_permission permission;
	struct marker m;
	bool is_complete;
	int r;

	pair_marker_name(name, marked);
	r = read_marker(trust, name, &m, e);
	if (r <= 0)
		return r;
	permission = check(arg, m.name[0], m.name[1]);
	if (permission == PAIR_FORBIDDEN)
		return error_set(e, -EPERM, "names files of another map");
	r = finish_renames(trust, &m, permission == PAIR_REPLACE, &is_complete, e);
	if (r == 0)
		r = io_sync_dir(trust->dirfd);
	/* Remove the marker only after the renames are on disk. */
	if (r == 0)
		r = io_unlink(trust->dirfd, name);
	if (r < 0)
		return e && e->code ? r
				    : error_set(e, r, "cannot finish an interrupted save: %s",
					      strerror(-r));
	return is_complete;
}

static int write_marker(
	struct replace *first, struct replace *second, const char *name, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *out = NULL;
	CLEANUP(file_unref) struct file *like = replace_file(first);
	struct replace *both[PAIR] = {first, second};
	/* Copy the mode of the map: with more permissions the marker would not be trusted. */
	int r = replace_begin(replace_dirfd(first), name, like->fd, &out, e);

	if (r < 0)
		return r;
	replace_write(out, HEAD, strlen(HEAD));
	for (int i = 0; i < PAIR; i++) {
		const char *temporary = replace_temporary(both[i]), *to = replace_name(both[i]);

		if (!is_name(temporary, true) || !is_name(to, false) || strchr(to, '\n') ||
			strchr(temporary, '\n'))
			return error_set(e, -EINVAL, "invalid name for a map of two files: %s", to);
		replace_write(out, temporary, strlen(temporary));
		replace_write(out, "\n", 1);
		replace_write(out, to, strlen(to));
		replace_write(out, "\n", 1);
	}
	r = replace_close(out, e);
	if (r == 0)
		r = replace_commit(out, true, NULL, e);
	return r;
}

/*
 * Abandon a commit. Remove the marker and sync that before removing the new files, so that no crash
 * leaves the marker with only one of them. If either fails, keep both new files: a mount that finds
 * the marker can then complete the commit.
 */
static void abandon_commit(struct replace *first, struct replace *second, const char *name)
{
	int dirfd = replace_dirfd(first);
	bool marked = file_exists(dirfd, name);

	if (marked && (io_unlink(dirfd, name) < 0 || io_sync_dir(dirfd) < 0)) {
		replace_forget_temporary(first);
		replace_forget_temporary(second);
		return;
	}
	replace_discard(second);
	replace_discard(first);
}

/* Rename both files in order, syncing after each one: finish_renames relies on the order. */
static int rename_both(struct replace *both[PAIR], bool *ret_begun, struct error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < PAIR; i++) {
		int dirfd = replace_dirfd(both[i]);

		r = io_rename(dirfd, replace_temporary(both[i]), replace_name(both[i]));
		if (r < 0)
			return error_set(e, r, "cannot rename the new file to %s: %s",
				replace_name(both[i]), strerror(-r));
		*ret_begun = true;
		replace_forget_temporary(both[i]);
		r = io_sync_dir(dirfd);
		if (r < 0)
			error_set(e, r, "%s is written, but cannot sync its directory: %s",
				replace_name(both[i]), strerror(-r));
	}
	return r;
}

int pair_commit(struct replace *first, struct replace *second, const char *marked, bool over,
	struct error *e)
{
	struct replace *both[PAIR] = {first, second};
	char name[NAME_MAX + 1];
	bool begun = false;
	int r = 0;

	pair_marker_name(name, marked);
	for (int i = 0; i < PAIR; i++) {
		r = replace_lock(both[i], e);
		if (r < 0)
			return r;
		if (!over && file_exists(replace_dirfd(both[i]), replace_name(both[i])))
			return error_set(e, -EEXIST, "%s already exists", replace_name(both[i]));
	}
	r = write_marker(first, second, name, e);
	if (r == 0)
		r = rename_both(both, &begun, e);
	if (r < 0 && !begun)
		abandon_commit(first, second, name);
	else if (r < 0)
		replace_forget_temporary(second); /* the next mount completes the commit */
	else
		(void)io_unlink(replace_dirfd(first), name); /* a leftover marker does no harm */
	return r;
}
