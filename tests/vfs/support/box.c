/* SPDX-License-Identifier: Zlib */
#include "box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "remember.h"
#include "vfs/volume/volume.h"

enum { THREADS = 2, CACHE = 1 << 20 };

static void append_note(void *arg, const char *line)
{
	struct box *b = arg;
	size_t n = strlen(b->notes);

	snprintf(b->notes + n, sizeof(b->notes) - n, "%s\n", line);
}

static void host_note(struct vfs_host *h, const char *line)
{
	append_note(h, line);
}

static void host_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	(void)h, (void)what, (void)done, (void)total;
}

static void host_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct box *b = (struct box *)h;

	for (size_t i = 0; i < n && b->n_invalidated < BOX_INVALIDATED; i++)
		b->invalidated[b->n_invalidated++] = inos[i];
	for (size_t i = 0; i < n; i++)
		remember_invalidated(b, inos[i]);
	if (b->hold)
		b->held[b->n_held++] = then;
	else
		pool_submit_done(b->pool, then);
}

static void host_forget_name(
	struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct box *b = (struct box *)h;

	(void)parent, (void)name;
	if (then)
		pool_submit_done(b->pool, then);
}

void box_release_invalidations(struct box *b)
{
	b->hold = false;
	for (unsigned i = 0; i < b->n_held; i++)
		pool_submit_done(b->pool, b->held[i]);
	b->n_held = 0;
}

void box_make_empty(struct box *b, const char *name)
{
	*b = (struct box){.host = {host_invalidate, host_forget_name, host_note, host_progress}};
	b->name = name;
	b->options.cache = CACHE;
	b->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	room_make(&b->room);
}

void box_make(struct box *b)
{
	struct bytes *map = map_build("alice");

	box_make_empty(b, MAP_NAME);
	put_file(b->room.fd, MAP_NAME, map->data, map->size);
	bytes_unref(map);
}

void box_remove(struct box *b)
{
	box_kill(b);
	pool_destroy(b->pool);
	close(b->event);
	room_remove(&b->room);
}

int box_mount_map(struct box *b, struct bytes *map)
{
	box_make(b);
	put_file(b->room.fd, MAP_NAME, map->data, map->size);
	bytes_unref(map);
	return box_mount(b, NULL);
}

int box_unmounted(void **state)
{
	struct box *b = malloc(sizeof(*b));

	if (!b)
		return -1;
	box_make(b);
	*state = b;
	return 0;
}

int box_setup(void **state)
{
	struct error e = ERROR_INIT;

	if (box_unmounted(state) < 0)
		return -1;
	if (box_mount(*state, &e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

int box_teardown(void **state)
{
	io_set_hook(NULL, NULL);
	box_remove(*state);
	free(*state);
	return 0;
}

static int mount(struct box *b, int opened, struct volume *vol, struct error *e)
{
	int r = opened;

	if (!b->pool)
		/* created here, because threads do not survive a fork */
		b->pool = pool_create(THREADS);
	b->notes[0] = '\0';
	if (r == 0 && !b->pool)
		r = error_set(e, -ENOMEM, "no memory for threads");
	if (r == 0)
		r = volume_load(vol, append_note, b, e);
	if (r == 0)
		r = vfs_create(vol, b->pool, &b->host, &b->v, e);
	if (r < 0)
		volume_destroy(vol);
	return r;
}

int box_mount(struct box *b, struct error *e)
{
	struct volume *vol = NULL;
	int r = volume_open(dup(b->room.fd), b->name, &b->options, &vol, e);

	return mount(b, r, vol, e);
}

int box_new(struct box *b, const char *name, struct error *e)
{
	struct volume *vol = NULL;
	int r;

	box_make_empty(b, name);
	r = volume_create(dup(b->room.fd), name, NULL, &b->options, &vol, e);
	r = mount(b, r, vol, e);
	return r < 0 ? r : vfs_create_map(b->v, e);
}

void box_settle(struct box *b)
{
	struct pollfd p = {.fd = pool_fd(b->pool), .events = POLLIN};

	while (pool_count_pending(b->pool)) {
		(void)poll(&p, 1, 5);
		pool_complete(b->pool);
	}
}

static void gone(struct box *b)
{
	struct fd *f, *next;

	box_release_invalidations(b);
	box_settle(b);
	for (f = b->fds; f; f = next) {
		next = f->next;
		free(f->handle);
		free(f);
	}
	b->fds = NULL;
	b->n_seen = 0;
	remember_drop(b);
	vfs_destroy(b->v);
	b->v = NULL;
}

void box_kill(struct box *b)
{
	if (b->v)
		gone(b);
}

void box_remount(struct box *b)
{
	struct error e = ERROR_INIT;

	box_kill(b);
	if (box_mount(b, &e) < 0)
		fail_msg("cannot be mounted again: %s", error_text(&e));
}

enum outcome box_end(struct box *b, struct report *ret)
{
	struct report report = REPORT_INIT;
	enum outcome code;

	vfs_end(b->v, &report);
	code = report.code;
	gone(b);
	if (ret)
		*ret = report;
	else
		report_finish(&report);
	return code;
}

struct saving_wait {
	struct report report;
	bool done;
};

static void saved(void *arg, struct report *report)
{
	struct saving_wait *s = arg;

	s->report = *report;
	s->done = true;
}

enum outcome box_save(struct box *b, struct report *ret)
{
	struct saving_wait s = {.report = REPORT_INIT};
	enum outcome code;

	vfs_save(b->v, saved, &s);
	while (!s.done) {
		struct pollfd p = {.fd = pool_fd(b->pool), .events = POLLIN};

		(void)poll(&p, 1, 100);
		pool_complete(b->pool);
	}
	code = s.report.code;
	if (ret)
		*ret = s.report;
	else
		report_finish(&s.report);
	return code;
}

bool report_contains(const struct report *r, const char *part)
{
	for (size_t i = 0; i < r->n; i++)
		if (strstr(r->lines[i], part))
			return true;
	return false;
}

static void answered(struct call *c, int r)
{
	struct pending *p = (struct pending *)c;
	int event = p->box->event;
	uint64_t one = 1;

	p->r = r;
	atomic_store(&p->done, true);
	/* p may be freed from here on. */
	if (write(event, &one, sizeof(one)) < 0)
		return;
}

void box_submit(struct box *b, struct pending *p, vfs_op op)
{
	p->call.op = op;
	p->call.reply = answered;
	p->box = b;
	p->r = -EINPROGRESS;
	atomic_store(&p->done, false);
	vfs_submit(b->v, &p->call);
}

int box_wait(struct pending *p)
{
	struct box *b = p->box;
	struct pollfd fds[2] = {
		{.fd = pool_fd(b->pool), .events = POLLIN}, {.fd = b->event, .events = POLLIN}};
	uint64_t count;

	while (!atomic_load(&p->done)) {
		(void)poll(fds, 2, 100);
		if (read(b->event, &count, sizeof(count)) < 0)
			count = 0;
		pool_complete(b->pool);
	}
	return p->r;
}

static int run_call(struct box *b, struct pending *p, vfs_op op)
{
	box_submit(b, p, op);
	return box_wait(p);
}

static void forget(struct box *b)
{
	while (b->n_seen)
		vfs_forget(b->v, b->seen[--b->n_seen], 1);
}

/* Look up all names of the path, or all but the last; *ret_base is where the last begins. */
static int walk_path(
	struct box *b, const char *path, bool all, uint64_t *ret_ino, const char **ret_base)
{
	uint64_t ino = VFS_ROOT_INO;
	char name[NAME_MAX + 1];

	while (*path) {
		size_t n = strcspn(path, "/");
		struct pending p = {.call = {.ino = ino, .name = name}};
		int r;

		if (!all && !path[n])
			break;
		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		r = run_call(b, &p, vfs_lookup);
		if (r < 0)
			return r;
		ino = p.call.attr.st_ino;
		b->seen[b->n_seen++] = ino;
		path += n + (path[n] == '/');
	}
	*ret_ino = ino;
	if (ret_base)
		*ret_base = path;
	return 0;
}

int box_stat(struct box *b, const char *path, struct stat *ret)
{
	struct pending p = {0};
	int r = walk_path(b, path, true, &p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &p, vfs_getattr);
	if (r == 0)
		*ret = p.call.attr;
	forget(b);
	return r;
}

/* The last lookup belongs to the open file. */
static int fd_new(struct box *b, struct pending *p, uint64_t ino, struct fd **ret)
{
	struct fd *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*f = (struct fd){b, p->call.opened, ino, b->fds};
	b->fds = f;
	*ret = f;
	return 0;
}

int box_open(struct box *b, const char *path, unsigned flags, struct fd **ret)
{
	struct pending p = {.call = {.flags = flags}};
	int r = walk_path(b, path, true, &p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &p, vfs_open);
	if (r == 0) {
		b->n_seen--;
		r = fd_new(b, &p, p.call.ino, ret);
	}
	forget(b);
	return r;
}

int box_create(struct box *b, const char *path, struct fd **ret)
{
	struct pending p = {.call = {.flags = O_RDWR | O_CREAT, .set = {.st_mode = 0644}}};
	int r = walk_path(b, path, false, &p.call.ino, &p.call.name);

	if (r == 0)
		r = run_call(b, &p, vfs_create_file);
	if (r == 0)
		remember_changed(b, p.call.ino);
	if (r == 0)
		r = fd_new(b, &p, p.call.attr.st_ino, ret);
	forget(b);
	return r;
}

int fd_write(struct fd *f, uint64_t off, const void *data, size_t n)
{
	struct pending p = {.call = {.handle = f->handle, .off = off, .data = data, .size = n}};

	return run_call(f->box, &p, vfs_write);
}

int fd_page(struct fd *f, uint64_t off, const char *text)
{
	struct pending p = {.call = {.handle = f->handle,
				    .off = off,
				    .data = text,
				    .size = strlen(text),
				    .mapped = true}};

	return run_call(f->box, &p, vfs_write);
}

int fd_text(struct fd *f, uint64_t off, const char *text)
{
	return fd_write(f, off, text, strlen(text));
}

int fd_read(struct fd *f, uint64_t off, void *dst, size_t n)
{
	struct pending p = {.call = {.handle = f->handle, .off = off, .size = n}};
	int r = run_call(f->box, &p, vfs_read);

	if (r == 0) {
		if (p.call.out_size)
			memcpy(dst, p.call.out, p.call.out_size);
		r = (int)p.call.out_size;
	}
	free(p.call.out);
	return r;
}

int fd_flush(struct fd *f)
{
	struct pending p = {.call = {.handle = f->handle}};

	return run_call(f->box, &p, vfs_flush);
}

int fd_fsync(struct fd *f)
{
	struct pending p = {.call = {.handle = f->handle}};

	return run_call(f->box, &p, vfs_fsync);
}

int fd_truncate(struct fd *f, uint64_t size)
{
	struct pending p = {.call = {.ino = f->ino,
				    .handle = f->handle,
				    .set = {.st_size = (off_t)size},
				    .mask = ATTR_SIZE}};

	return run_call(f->box, &p, vfs_setattr);
}

int fd_release(struct fd *f)
{
	struct pending p = {.call = {.handle = f->handle}};
	int r = run_call(f->box, &p, vfs_release);

	fd_forget(f);
	return r;
}

void fd_forget(struct fd *f)
{
	struct box *b = f->box;
	struct fd **at = &b->fds;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	vfs_forget(b->v, f->ino, 1);
	free(f);
}

int fd_close(struct fd *f)
{
	int r = fd_flush(f);

	fd_release(f);
	return r;
}

static int setattr(struct box *b, const char *path, const struct stat *set, unsigned mask)
{
	struct pending p = {.call = {.set = *set, .mask = mask}};
	int r = walk_path(b, path, true, &p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &p, vfs_setattr);
	forget(b);
	return r;
}

int box_truncate(struct box *b, const char *path, uint64_t size)
{
	return setattr(b, path, &(struct stat){.st_size = (off_t)size}, ATTR_SIZE);
}

int box_set_mtime(struct box *b, const char *path, time_t t)
{
	return setattr(b, path, &(struct stat){.st_mtim = {.tv_sec = t}}, ATTR_MTIME);
}

static int on_name(struct box *b, const char *path, vfs_op op)
{
	struct pending p = {.call = {.set = {.st_mode = 0755}}};
	int r = walk_path(b, path, false, &p.call.ino, &p.call.name);

	if (r == 0)
		r = run_call(b, &p, op);
	if (r == 0)
		remember_changed(b, p.call.ino);
	if (r == 0 && op == vfs_mkdir)
		vfs_forget(b->v, p.call.attr.st_ino, 1);
	forget(b);
	return r;
}

int box_unlink(struct box *b, const char *path)
{
	return on_name(b, path, vfs_unlink);
}

int box_mkdir(struct box *b, const char *path)
{
	return on_name(b, path, vfs_mkdir);
}

int box_rmdir(struct box *b, const char *path)
{
	return on_name(b, path, vfs_rmdir);
}

int box_rename(struct box *b, const char *from, const char *to)
{
	struct pending p = {0};
	int r = walk_path(b, from, false, &p.call.ino, &p.call.name);

	if (r == 0)
		r = walk_path(b, to, false, &p.call.to_ino, &p.call.to_name);
	if (r == 0)
		r = run_call(b, &p, vfs_rename);
	if (r == 0) {
		remember_changed(b, p.call.ino);
		remember_changed(b, p.call.to_ino);
	}
	forget(b);
	return r;
}

int box_getxattr(struct box *b, const char *path, const char *name, char *ret, size_t size)
{
	struct pending p = {.call = {.name = name}};
	int r = walk_path(b, path, true, &p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &p, vfs_getxattr);
	if (r == 0)
		snprintf(ret, size, "%.*s", (int)p.call.out_size, (const char *)p.call.out);
	free(p.call.out);
	forget(b);
	return r;
}

int box_removexattr(struct box *b, const char *path, const char *name)
{
	struct pending p = {.call = {.name = name}};
	int r = walk_path(b, path, true, &p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &p, vfs_removexattr);
	forget(b);
	return r;
}

int box_sync_root(struct box *b)
{
	struct pending p = {.call = {.ino = VFS_ROOT_INO}};

	return run_call(b, &p, vfs_fsyncdir);
}

struct listing {
	struct pending p; /* first */
	const char *name;
	bool found;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)a, (void)next;
	l->found |= strcmp(name, l->name) == 0;
	return true;
}

bool box_lists(struct box *b, const char *dir, const char *name)
{
	struct listing l = {.p = {.call = {.emit = emit}}, .name = name};
	int r = walk_path(b, dir, true, &l.p.call.ino, NULL);

	if (r == 0)
		r = run_call(b, &l.p, vfs_readdir);
	forget(b);
	return r == 0 && l.found;
}

int box_put_bytes(struct box *b, const char *path, const void *data, size_t n)
{
	struct fd *f;
	int r = box_open(b, path, O_WRONLY | O_TRUNC, &f), closed;

	if (r == -ENOENT)
		r = box_create(b, path, &f);
	if (r < 0)
		return r;
	r = n ? fd_write(f, 0, data, n) : 0;
	closed = fd_close(f);
	return r < 0 ? r : closed;
}

int box_put(struct box *b, const char *path, const char *text)
{
	return box_put_bytes(b, path, text, strlen(text));
}

struct bytes *box_get(struct box *b, const char *path)
{
	struct stat a = {0};
	struct bytes *ret;
	struct fd *f;
	uint8_t *to;
	int r;

	if (box_stat(b, path, &a) < 0 || box_open(b, path, O_RDONLY, &f) < 0)
		return NULL;
	ret = bytes_new((size_t)a.st_size, &to);
	/* Read one byte more than stat reports, to check that the file ends there. */
	r = fd_read(f, 0, to, (size_t)a.st_size);
	if (r >= 0 && (r != a.st_size || fd_read(f, (uint64_t)a.st_size, &(uint8_t){0}, 1) != 0))
		r = -EIO;
	fd_close(f);
	if (r < 0) {
		bytes_unref(ret);
		return NULL;
	}
	return ret;
}

bool box_shows(struct box *b, const char *path, const char *text)
{
	struct bytes *got = box_get(b, path);
	bool yes = bytes_equal_data(got, text, strlen(text));

	bytes_unref(got);
	return yes;
}

bool box_is_draft(struct box *b, const char *path)
{
	char why[1000];

	return box_getxattr(b, path, "user.mapfs.error", why, sizeof(why)) == 0;
}

struct bytes *box_map(const struct box *b)
{
	return get_file(b->room.fd, b->name);
}

bool box_map_info_is(const struct box *b, unsigned field, const char *text)
{
	struct bytes *map = box_map(b);
	char *info = map && map_is_sound(map) ? map_info(map, field) : NULL;
	bool yes = info && strcmp(info, text) == 0;

	free(info);
	bytes_unref(map);
	return yes;
}

bool file_content_is(int dirfd, const char *name, const char *text)
{
	struct bytes *got = get_file(dirfd, name);
	bool yes = bytes_equal_data(got, text, strlen(text));

	bytes_unref(got);
	return yes;
}

unsigned box_count_names(const struct box *b, const char *part, char ret[NAME_MAX + 1])
{
	DIR *d = fdopendir(openat(b->room.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(d)))
		if (strstr(entry->d_name, part) && n++ == 0 && ret)
			snprintf(ret, NAME_MAX + 1, "%s", entry->d_name);
	closedir(d);
	return n;
}
