/* SPDX-License-Identifier: Zlib */
/*
 * core: mounts without FUSE for core.py, many per second.
 *
 * A request is a line "COMMAND BOX SIZE SIZE" followed by two texts of these sizes; the answer is a
 * line "CODE SIZE" and a text. BOX is one of a few places for a mount. CODE is the result of the
 * operation, 0 or more, or -errno.
 *
 *     open PATH [OPTION]  mount a copy of that map, and of PATH.MAN if it exists; the text is the
 *                    error
 *     new            mount an empty map, as made by --new
 *     save, end      as in box.h; CODE is the outcome, the text is the report
 *     kill [OPTION]  write nothing, and mount the map again, perhaps with other options: the
 *                    journal is replayed; the text is its notes, or the error
 *     map [ENDING]   the current map file, or its companion with a longer name
 *     get, put, mkdir, rmdir, unlink, list PATH [CONTENT]; rename FROM TO
 *                    (a list is names and sizes, each followed by NUL)
 *     error PATH     the reason why content is refused
 *     drop PATH      drop refused content
 *     touch PATH TIME  set the time, in seconds
 *     status         the root's user.mapfs.status
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../vfs/support/box.h"
#include "base/threads/pool.h"
#include "vfs/volume/volume.h"

enum { BOXES = 3, DEPTH_MAX = 16, ENTRIES_MAX = 100000, TEXT_MAX = 1 << 16, REQUEST_MAX = 1 << 28 };

struct request {
	struct box *box;
	char *a, *b; /* with a final NUL */
	size_t n_a, n_b;
};

struct answer {
	char *text; /* from malloc() */
	size_t n;
};

static struct box boxes[BOXES];
static bool made[BOXES];
static char names[BOXES][32]; /* the file names of the maps */
static char options[BOXES][32];
static const char *lists[BOXES][2];

static void append_text(struct answer *ret, const char *text, size_t n)
{
	ret->text = realloc(ret->text, ret->n + n + 1);
	if (!ret->text)
		abort();
	if (n)
		memcpy(ret->text + ret->n, text, n);
	ret->n += n;
}

static int answer_bytes(struct answer *ret, struct bytes *b)
{
	if (!b)
		return -EIO;
	append_text(ret, (const char *)b->data, b->size);
	bytes_unref(b);
	return 0;
}

static int answer_report(struct answer *ret, struct report *r, enum outcome code)
{
	for (size_t i = 0; i < r->n; i++) {
		append_text(ret, r->lines[i], strlen(r->lines[i]));
		append_text(ret, "\n", 1);
	}
	report_finish(r);
	return (int)code;
}

/* Copy the companion of a map of two files. */
static void copy_companion(struct box *b, const char *path)
{
	char from[PATH_MAX], to[64];
	struct bytes *companion;

	snprintf(from, sizeof(from), "%s.MAN", path);
	snprintf(to, sizeof(to), "%s.MAN", b->name);
	companion = get_file(AT_FDCWD, from);
	if (companion)
		put_file(b->room.fd, to, companion->data, companion->size);
	bytes_unref(companion);
}

static void use_option(struct box *b, const char *option)
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
	const char *dot = strrchr(q->a, '.'); /* some formats are recognized by the file name */
	int r;

	if (!map)
		return -ENOENT;
	if (made[at])
		box_remove(q->box);
	snprintf(names[at], sizeof(names[at]), "m%s", dot ? dot : "");
	box_make_empty(q->box, names[at]);
	made[at] = true;
	use_option(q->box, q->b);
	put_file(q->box->room.fd, q->box->name, map->data, map->size);
	bytes_unref(map);
	copy_companion(q->box, q->a);
	r = box_mount(q->box, &e);
	if (r < 0)
		append_text(ret, error_text(&e), strlen(error_text(&e)));
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
		append_text(ret, error_text(&e), strlen(error_text(&e)));
	return r;
}

static int do_save(const struct request *q, struct answer *ret)
{
	struct report report = REPORT_INIT;
	enum outcome code = box_save(q->box, &report);

	return answer_report(ret, &report, code);
}

static int do_end(const struct request *q, struct answer *ret)
{
	struct report report = REPORT_INIT;
	enum outcome code = box_end(q->box, &report);

	return answer_report(ret, &report, code);
}

static int do_kill(const struct request *q, struct answer *ret)
{
	struct error e = ERROR_INIT;
	const char *message;
	int r;

	box_kill(q->box);
	use_option(q->box, q->a);
	r = box_mount(q->box, &e);
	message = r < 0 ? error_text(&e) : q->box->notes;
	append_text(ret, message, strlen(message));
	return r;
}

static int do_map(const struct request *q, struct answer *ret)
{
	char name[64];

	if (!q->n_a)
		return answer_bytes(ret, box_map(q->box));
	snprintf(name, sizeof(name), "%s%.16s", q->box->name, q->a);
	return answer_bytes(ret, get_file(q->box->room.fd, name));
}

static int do_get(const struct request *q, struct answer *ret)
{
	return answer_bytes(ret, box_get(q->box, q->a));
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
		append_text(ret, text, strlen(text));
	return r;
}

static int do_status(const struct request *q, struct answer *ret)
{
	static char text[TEXT_MAX];
	int r = box_getxattr(q->box, "", "user.mapfs.status", text, sizeof(text));

	if (r == 0)
		append_text(ret, text, strlen(text));
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
	uint64_t inos[ENTRIES_MAX]; /* inodes that the listing looked up */
	unsigned n;
};

static bool append_entry(struct call *c, const char *name, const struct stat *a, uint64_t next)
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
	append_text(l->to, name, strlen(name) + 1);
	append_text(l->to, size, strlen(size) + 1);
	return true;
}

/* Look up each component of a path. The caller forgets the inodes. */
static int lookup_path(struct box *b, const char *path, uint64_t *inos, unsigned *n)
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
	int r = lookup_path(q->box, q->a, inos, &n);

	l.p = (struct pending){0};
	l.to = ret;
	if (r == 0) {
		l.p.call.with_attributes = true;
		l.p.call.ino = n ? inos[n - 1] : VFS_ROOT_INO;
		l.p.call.emit = append_entry;
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

static char *read_text(size_t n)
{
	char *text = n <= REQUEST_MAX ? malloc(n + 1) : NULL;

	if (!text || fread(text, 1, n, stdin) != n)
		exit(1);
	text[n] = '\0';
	return text;
}

static void run_command(const char *command, struct request *q)
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

	/* These tests need no disk, and memory is faster. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%15s %u %zu %zu", command, &box, &q.n_a, &q.n_b) != 4 ||
			box >= BOXES)
			return 1;
		q.box = &boxes[box];
		q.a = read_text(q.n_a);
		q.b = read_text(q.n_b);
		run_command(command, &q);
		free(q.a);
		free(q.b);
	}
	for (unsigned i = 0; i < BOXES; i++)
		if (made[i])
			box_remove(&boxes[i]);
	return 0;
}
