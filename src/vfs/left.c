/* SPDX-License-Identifier: Zlib */
#include "vfs/left.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"

enum { LEFT_TRIES = 1000, LEFT_CHUNK = 64 << 10 };

bool left_explained(const char *name)
{
	static const char *const habits[] = {
		".*.sw?",
		".*.sw??",
		".sw?", /* vim */
		"4913",
		"5036",
		"5159", /* vim asks whether it may create */
		"*~",
		"*.bak",
		"*.BAK",
		"*.orig", /* backups */
		"#*#",
		".#*",
		".~lock.*#",
		".*.kate-swp",
		".goutputstream-??????", /* GLib */
		".*.??????",             /* rsync, install */
		"sed??????",
		"XX??????",
		"zi??????", /* sed -i, perl -i, zip */
		"*.tmp",
		"magick-*",
		"._*",
		".DS_Store",
		".directory",
		".xdg-volume-info",
		".nfs*",
		NULL,
	};

	for (size_t i = 0; habits[i]; i++)
		if (fnmatch(habits[i], name, 0) == 0)
			return true;
	return false;
}

struct left {
	struct vfs *v;
	struct report *report;
	char name[NAME_MAX + 1]; /* of the directory, once it is made */
	int dirfd;               /* -1 until then */
};

static int left_open(struct left *l, struct error *e)
{
	const struct volume *vol = l->v->vol;
	char suffix[64] = ".mapfs-left";
	int r = -EEXIST;

	for (int i = 1; r == -EEXIST && i < LEFT_TRIES; i++) {
		beside_name(l->name, vol->name, suffix);
		r = io_mkdir(vol->dirfd, l->name, 0777);
		snprintf(suffix, sizeof(suffix), ".mapfs-left.%d", i);
	}
	if (r < 0)
		return error_set(e, r, "%s: %s", l->name, strerror(-r));
	l->dirfd = openat(vol->dirfd, l->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return l->dirfd < 0 ? error_errno(e, "%s", l->name) : 0;
}

/* Opens path's parent below the directory, making what is missing. Paths are a mount's own: no
 * component is empty, "." or "..". */
static int left_parent(int dirfd, const char *path, const char **ret_base, struct error *e)
{
	CLEANUP(close_fd) int fd = dup(dirfd);
	char name[NAME_MAX + 1];
	const char *slash;

	while (fd >= 0 && (slash = strchr(path, '/'))) {
		int next, r;

		snprintf(name, sizeof(name), "%.*s", (int)(slash - path), path);
		r = io_mkdir(fd, name, 0777);
		if (r < 0 && r != -EEXIST)
			return error_set(e, r, "%s: %s", name, strerror(-r));
		next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next >= 0)
			(void)io_sync_dir(fd);
		close_fd_cleanup(&fd);
		fd = next;
		path = slash + 1;
	}
	if (fd < 0)
		return error_errno(e, "%s", path);
	*ret_base = path;
	return take_fd(&fd);
}

/* The bytes of n, wherever they come from: the stage, or the version it was frozen at. */
static int left_read(const struct node *n, uint64_t off, void *dst, size_t size, struct error *e)
{
	if (n->stage)
		return spool_read(n->stage->spool, off, dst, size, e);
	return n->vol->format->get(n->frozen, n->id, off, dst, size, e);
}

static int left_size(const struct node *n, uint64_t *ret, struct error *e)
{
	*ret = 0;
	if (n->stage)
		*ret = spool_size(n->stage->spool);
	else if (n->frozen)
		return n->vol->format->size(n->frozen, n->id, ret, e);
	return 0;
}

static int left_write(struct left *l, const struct node *n, const char *path, struct error *e)
{
	CLEANUP(close_fd) int parent = -1, out = -1;
	CLEANUP(free) uint8_t *chunk = malloc(LEFT_CHUNK);
	const char *base = NULL;
	uint64_t size, off;
	int r = chunk ? 0 : -ENOMEM;

	if (r == 0 && l->dirfd < 0)
		r = left_open(l, e);
	if (r == 0)
		r = left_size(n, &size, e);
	if (r < 0)
		return r;
	parent = left_parent(l->dirfd, path, &base, e);
	if (parent < 0)
		return parent;
	out = io_openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	if (out < 0)
		return error_set(e, out, "%s: %s", path, strerror(-out));
	for (off = 0; r == 0 && off < size; off += LEFT_CHUNK) {
		size_t some = size - off < LEFT_CHUNK ? (size_t)(size - off) : LEFT_CHUNK;

		r = left_read(n, off, chunk, some, e);
		if (r == 0)
			r = io_write(out, chunk, some);
	}
	if (r == 0)
		r = io_sync(out);
	if (r == 0)
		r = io_sync_dir(parent);
	return r < 0 ? error_set(e, r, "%s: %s", path, strerror(-r)) : 0;
}

static void left_one(struct left *l, const struct node *n)
{
	CLEANUP(free) char *path = node_path(n);
	struct error e = ERROR_INIT;
	const char *why = "no part of a map";

	if (!path)
		return;
	if (!node_scratch(n))
		why = n->stage->verdict < 0 ? error_text(&n->stage->why) : "was never closed";
	if (left_write(l, n, path, &e) < 0) {
		report_add(l->report, REPORT_REFUSED, "%s could not be copied out: %s", path,
			error_text(&e));
		report_code(l->report, OUTCOME_SAVE_FAILED);
		return;
	}
	report_add(l->report, REPORT_LEFT, "%s/%s: %s", l->name, path, why);
	report_code(l->report, OUTCOME_LEFT);
}

static bool explained(const struct node *n)
{
	for (; n && n->name; n = n->parent)
		if (node_scratch(n) && left_explained(n->name))
			return true;
	return false;
}

static bool would_vanish(const struct node *n)
{
	if (n->dir || (!n->parent && n->ino != VFS_ROOT_INO))
		return false;
	if (node_scratch(n))
		return !explained(n);
	return n->stage && (n->stage->verdict < 0 || n->stage->state == STAGE_WRITTEN);
}

void left_copy(struct vfs *v, struct report *report)
{
	struct left l = {.v = v, .report = report, .dirfd = -1};

	for (size_t i = 0; i < v->n_buckets; i++)
		for (const struct node *n = v->nodes[i]; n; n = n->hash_next)
			if (would_vanish(n))
				left_one(&l, n);
	if (l.dirfd < 0)
		return;
	/* The journal goes once this is done, so it has to be on disk. */
	if (io_sync_dir(l.dirfd) < 0 || io_sync_dir(v->vol->dirfd) < 0) {
		report_add(report, REPORT_REFUSED, "%s cannot be brought to disk", l.name);
		report_code(report, OUTCOME_SAVE_FAILED);
	}
	close(l.dirfd);
}
