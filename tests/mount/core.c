/* SPDX-License-Identifier: Zlib */
/*
 * core: mounts without FUSE for core.py, many times a second.
 *
 * A request is a line "COMMAND BOX SIZE SIZE" and two texts of those sizes after it; the answer a
 * line "CODE SIZE" and a text. BOX is one of a few places for a mount. CODE is what the operation
 * returns, 0 or more, or -errno.
 *
 *     open PATH [OPTION]  a copy of that map is mounted, and of PATH.MAN if there is one; the text
 *                    says why not
 *     new            the same of an empty map made by --new
 *     save, end      what box.h says of them: the outcome; the text is the report
 *     kill [OPTION]  nothing is written, and the map mounted again, perhaps in another way: the
 *                    journal is replayed; the text is what it notes, or why not
 *     map [ENDING]   the map file as it is now, or the one of two that has a longer name
 *     get, put, mkdir, rmdir, unlink, list PATH [CONTENT]; rename FROM TO
 *                    (a list is names and sizes, each with a NUL behind)
 *     error PATH     what is wrong with a draft
 *     drop PATH      the draft is dropped
 *     touch PATH TIME  a program sets the time, in seconds
 *     status         what the root's user.mapfs.status says
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../vfs/box.h"
#include "base/threads/pool.h"
#include "vfs/volume/volume.h"

enum { BOXES = 3, DEPTH_MAX = 16, ENTRIES_MAX = 100000, TEXT_MAX = 1 << 16, REQUEST_MAX = 1 << 28 };

struct request {
	struct box *box;
	char *a, *b; /* with a NUL behind */
	size_t n_a, n_b;
};

struct answer {
	char *text; /* malloc'ed */
	size_t n;
};

static struct box boxes[BOXES];
static bool made[BOXES];
static char names[BOXES][32]; /* of their maps */
static char options[BOXES][32];
static const char *lists[BOXES][2];

static void print_line(struct answer *ret, const char *text, size_t n)
{
	ret->text = realloc(ret->text, ret->n + n + 1);
	if (!ret->text)
		abort();
	if (n)
		memcpy(ret->text + ret->n, text, n);
	ret->n += n;
}

static int say_bytes(struct answer *ret, struct bytes *b)
{
	if (!b)
		return -EIO;
	print_line(ret, (const char *)b->data, b->size);
	bytes_unref(b);
	return 0;
}

static int say_report(struct answer *ret, struct report *r, enum outcome code)
{
	for (size_t i = 0; i < r->n; i++) {
		print_line(ret, r->lines[i], strlen(r->lines[i]));
		print_line(ret, "\n", 1);
	}
	report_finish(r);
	return (int)code;
}

/* A map of two files. */
static void put_second(struct box *b, const char *path)
{
	char from[PATH_MAX], to[64];
	struct bytes *second;

	snprintf(from, sizeof(from), "%s.MAN", path);
	snprintf(to, sizeof(to), "%s.MAN", b->name);
	second = get_file(AT_FDCWD, from);
	if (second)
		put_file(b->room.fd, to, second->data, second->size);
	bytes_unref(second);
}

static void set_option(struct box *b, const char *option)
{
	size_t at = (size_t)(b - boxes);

	if (*option) {
		snprintf(options[at], sizeof(options[at]), "%s", option);
		lists[at][0] = options[at];
		b->options.options = lists[at];
	}
}

static int do_open(const struct request *q, struct answer *ret)
{
	size_t at = (size_t)(q->box - boxes);
	struct error e = ERROR_INIT;
	struct bytes *map = get_file(AT_FDCWD, q->a);
	const char *dot = strrchr(q->a, '.'); /* some formats are known by the file's name */
	int r;

	if (!map)
		return -ENOENT;
	if (made[at])
		box_remove(q->box);
	snprintf(names[at], sizeof(names[at]), "m%s", dot ? dot : "");
	box_make_empty(q->box, names[at]);
	made[at] = true;
	set_option(q->box, q->b);
	put_file(q->box->room.fd, q->box->name, map->data, map->size);
	bytes_unref(map);
	put_second(q->box, q->a);
	r = box_mount(q->box, &e);
	if (r < 0)
		print_line(ret, error_text(&e), strlen(error_text(&e)));
	return r;
}

static void no_note(void *arg, const char *line)
{
	(void)arg, (void)line;
}

static int do_new(const struct request *q, struct answer *ret)
{
	size_t at = (size_t)(q->box - boxes);
	struct error e = ERROR_INIT;
	struct box *b = q->box;
	struct volume *vol = NULL;
	int r;

	if (made[at])
		box_remove(b);
	box_make(b);
	made[at] = true;
	unlinkat(b->room.fd, MAP_NAME, 0);
	b->pool = pool_create(1);
	r = volume_create(dup(b->room.fd), MAP_NAME, NULL, &b->options, &vol, &e);
	if (r == 0)
		r = volume_load(vol, no_note, NULL, &e);
	if (r == 0)
		r = vfs_create(vol, b->pool, &b->host, &b->v, &e);
	if (r == 0)
		r = vfs_create_map(b->v, &e);
	if (r < 0)
		print_line(ret, error_text(&e), strlen(error_text(&e)));
	return r;
}

static int do_save(const struct request *q, struct answer *ret)
{
	struct report report = REPORT_INIT;
	enum outcome code = box_save(q->box, &report);

	return say_report(ret, &report, code);
}

static int do_end(const struct request *q, struct answer *ret)
{
	struct report report = REPORT_INIT;
	enum outcome code = box_end(q->box, &report);

	return say_report(ret, &report, code);
}

static int do_kill(const struct request *q, struct answer *ret)
{
	struct error e = ERROR_INIT;
	const char *said;
	int r;

	box_kill(q->box);
	set_option(q->box, q->a);
	r = box_mount(q->box, &e);
	said = r < 0 ? error_text(&e) : q->box->notes;
	print_line(ret, said, strlen(said));
	return r;
}

static int do_map(const struct request *q, struct answer *ret)
{
	char name[64];

	if (!q->n_a)
		return say_bytes(ret, box_map(q->box));
	snprintf(name, sizeof(name), "%s%.16s", q->box->name, q->a);
	return say_bytes(ret, get_file(q->box->room.fd, name));
}

static int do_get(const struct request *q, struct answer *ret)
{
	return say_bytes(ret, box_get(q->box, q->a));
}

static int do_put(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_put_bytes(q->box, q->a, q->b, q->n_b);
}

static int do_mkdir(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_mkdir(q->box, q->a);
}

static int do_rmdir(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_rmdir(q->box, q->a);
}

static int do_unlink(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_unlink(q->box, q->a);
}

static int do_rename(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_rename(q->box, q->a, q->b);
}

static int do_error(const struct request *q, struct answer *ret)
{
	static char text[TEXT_MAX];
	int r = box_getxattr(q->box, q->a, "user.mapfs.error", text, sizeof(text));

	if (r == 0)
		print_line(ret, text, strlen(text));
	return r;
}

static int do_status(const struct request *q, struct answer *ret)
{
	static char text[TEXT_MAX];
	int r = box_getxattr(q->box, "", "user.mapfs.status", text, sizeof(text));

	if (r == 0)
		print_line(ret, text, strlen(text));
	return r;
}

static int do_touch(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_set_mtime(q->box, q->a, (time_t)strtoll(q->b, NULL, 10));
}

static int do_drop(const struct request *q, struct answer *ret)
{
	(void)ret;
	return box_removexattr(q->box, q->a, "user.mapfs.error");
}

struct listing {
	struct pending p; /* first */
	struct answer *to;
	uint64_t inos[ENTRIES_MAX]; /* looked up by being listed */
	unsigned n;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	char size[24];

	(void)next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	if (l->n == ENTRIES_MAX)
		return false;
	if (a->st_nlink)
		l->inos[l->n++] = a->st_ino;
	snprintf(size, sizeof(size), "%llu", (unsigned long long)a->st_size);
	print_line(l->to, name, strlen(name) + 1);
	print_line(l->to, size, strlen(size) + 1);
	return true;
}

/* The directory's inode, held for as long as it is read. */
static int hold(struct box *b, const char *path, uint64_t *inos, unsigned *n)
{
	char name[NAME_MAX + 1];

	for (*n = 0; *path && *n < DEPTH_MAX;) {
		size_t k = strcspn(path, "/");
		struct pending p = {
			.call = {.ino = *n ? inos[*n - 1] : VFS_ROOT_INO, .name = name}};
		int r;

		snprintf(name, sizeof(name), "%.*s", (int)k, path);
		box_submit(b, &p, vfs_lookup);
		r = box_wait(&p);
		if (r < 0)
			return r;
		inos[(*n)++] = p.call.attr.st_ino;
		path += k + (path[k] == '/');
	}
	return 0;
}

static int do_list(const struct request *q, struct answer *ret)
{
	static struct listing l;
	uint64_t inos[DEPTH_MAX];
	unsigned n;
	int r = hold(q->box, q->a, inos, &n);

	l.p = (struct pending){0};
	l.to = ret;
	if (r == 0) {
		l.p.call.with_attributes = true;
		l.p.call.ino = n ? inos[n - 1] : VFS_ROOT_INO;
		l.p.call.emit = emit;
		box_submit(q->box, &l.p, vfs_readdir);
		r = box_wait(&l.p);
	}
	while (l.n)
		vfs_forget(q->box->v, l.inos[--l.n], 1);
	while (n)
		vfs_forget(q->box->v, inos[--n], 1);
	return r;
}

static const struct {
	const char *name;
	int (*run)(const struct request *q, struct answer *ret);
} commands[] = {
	{"open", do_open},
	{"new", do_new},
	{"save", do_save},
	{"end", do_end},
	{"kill", do_kill},
	{"map", do_map},
	{"get", do_get},
	{"put", do_put},
	{"mkdir", do_mkdir},
	{"rmdir", do_rmdir},
	{"unlink", do_unlink},
	{"rename", do_rename},
	{"list", do_list},
	{"error", do_error},
	{"status", do_status},
	{"drop", do_drop},
	{"touch", do_touch},
};

static char *text_of(size_t n)
{
	char *text = n <= REQUEST_MAX ? malloc(n + 1) : NULL;

	if (!text || fread(text, 1, n, stdin) != n)
		exit(1);
	text[n] = '\0';
	return text;
}

static void serve(const char *command, struct request *q)
{
	struct answer answer = {0};
	int r = -ENOSYS;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(command, commands[i].name) == 0)
			r = commands[i].run(q, &answer);
	printf("%d %zu\n", r, answer.n);
	fwrite(answer.text ? answer.text : "", 1, answer.n, stdout);
	fflush(stdout);
	free(answer.text);
}

int main(void)
{
	char line[128], command[16];
	struct request q;
	unsigned box;

	/* Nothing here is about disks: where memory is one, it is the fastest. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%15s %u %zu %zu", command, &box, &q.n_a, &q.n_b) != 4 ||
			box >= BOXES)
			return 1;
		q.box = &boxes[box];
		q.a = text_of(q.n_a);
		q.b = text_of(q.n_b);
		serve(command, &q);
		free(q.a);
		free(q.b);
	}
	for (unsigned i = 0; i < BOXES; i++)
		if (made[i])
			box_remove(&boxes[i]);
	return 0;
}
