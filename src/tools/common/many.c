/* SPDX-License-Identifier: Zlib */
#include "tools/common/many.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/disk/file.h"
#include "base/disk/io.h"
#include "base/disk/walk.h"
#include "base/output.h"
#include "base/print.h"
#include "base/threads/parallel.h"
#include "vfs/offline/streams.h"

/* A map that was named, or found in a named folder. */
struct many_map {
	char *shown; /* its name in messages and output */
	char *path;  /* relative to tops[top] */
	size_t top;
	struct buffer out;
	bool done;
};

struct many_list {
	struct many_map *maps;
	size_t n, room;
	struct sandbox_rule *tops; /* open directories: a named folder, or the parent of a map */
	size_t n_tops, room_tops;
	int wrong;         /* -errno of the last reported error, or 0 */
	bool once;         /* many.h */
	struct names seen; /* if `once`: the real paths of all maps so far */
};

static void report_error(struct many_list *l, const char *name, int r, const char *why)
{
	print_line(stderr, "mapfs: %s: %s", name, why ? why : strerror(-r));
	l->wrong = r;
}

/* Skip hidden names and sidecar files. */
static bool is_passed_over(const char *name)
{
	return name[0] == '.' || strstr(name, ".mapfs-");
}

static bool is_repeated(struct many_list *l, const char *shown)
{
	CLEANUP(free) char *real = l->once ? realpath(shown, NULL) : NULL;

	if (!real || names_contain(&l->seen, real))
		return real;
	(void)names_add(&l->seen, real);
	return false;
}

/* Add a map, unless it is repeated. Takes ownership of the strings, also on failure. -ENOMEM. */
static int add_map(struct many_list *l, char *shown, char *path)
{
	if (shown && path && is_repeated(l, shown)) {
		free(shown);
		free(path);
		return 0;
	}
	if (!shown || !path || !array_reserve(l->maps, l->n, l->room)) {
		free(shown);
		free(path);
		return -ENOMEM;
	}
	l->maps[l->n++] = (struct many_map){.shown = shown, .path = path, .top = l->n_tops - 1};
	return 0;
}

static bool is_wanted(const char *name, bool is_directory)
{
	return !is_passed_over(name) && (is_directory || volume_format_for(NULL, name));
}

static void report_unreadable(void *arg, const char *path, int r)
{
	report_error(arg, path, r, NULL);
}

static int add_folder(struct many_list *l, const char *folder)
{
	const struct walk walk = {
		.is_wanted = is_wanted, .on_failure = report_unreadable, .arg = l};
	CLEANUP_NAMES struct names files = {0};
	CLEANUP(free) char *top = strdup(folder);
	size_t n = strlen(folder);
	int r;

	while (top && n > 1 && top[n - 1] == '/')
		top[--n] = '\0';
	r = top ? walk_files(&walk, top, &files) : -ENOMEM;
	names_sort(&files);
	for (size_t i = 0; r == 0 && i < files.n; i++) {
		const char *below = files.items[i] + n;

		r = add_map(l, strdup(files.items[i]), strdup(below + strspn(below, "/")));
	}
	return r;
}

static bool is_last_top(const struct many_list *l, int fd)
{
	struct stat a, b;

	return l->n_tops && fstat(l->tops[l->n_tops - 1].fd, &a) == 0 && fstat(fd, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Add an open directory. Takes ownership of fd. Reuses the last entry for the same directory,
 * because named maps are usually in one directory. */
static int add_top(struct many_list *l, int fd, unsigned flags)
{
	if (is_last_top(l, fd)) {
		close(fd);
		return 0;
	}
	if (!array_reserve(l->tops, l->n_tops, l->room_tops)) {
		close(fd);
		return -ENOMEM;
	}
	l->tops[l->n_tops++] = (struct sandbox_rule){fd, flags};
	return 0;
}

/* Add a named map or folder, outside the sandbox. -ENOMEM; other errors set `wrong`. */
static int list_add(const struct many *m, struct many_list *l, const char *name)
{
	/* Root may need rights over files of other users, whose owners are not known yet. */
	unsigned flags =
		(geteuid() == 0 ? SANDBOX_KEEP_OWNERS : 0) | (m->writes ? SANDBOX_WRITABLE : 0);
	struct error e = ERROR_INIT;
	char *file = NULL;
	int fd, r = offline_locate(name, &fd, &file, &e);

	if (r == 0) {
		/* A stream is in no directory, so the sandbox needs a rule for itself. */
		if (streams_named(name))
			r = add_top(l, fcntl(atoi(file), F_DUPFD_CLOEXEC, 0), 0);
		if (r == 0)
			r = add_top(l, fd, flags);
		if (r == 0)
			return add_map(l, strdup(name), file);
		free(file);
		return r;
	}
	if (r != -EISDIR || m->folder_error) {
		report_error(l, name, r, r == -EISDIR ? m->folder_error : error_text(&e));
		return 0;
	}
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		report_error(l, name, -errno, NULL);
		return 0;
	}
	r = add_top(l, fd, flags);
	return r < 0 ? r : add_folder(l, name);
}

static void list_finish(struct many_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->maps[i].shown);
		free(l->maps[i].path);
	}
	for (size_t i = 0; i < l->n_tops; i++)
		close(l->tops[i].fd);
	free(l->maps);
	free(l->tops);
	names_finish(&l->seen);
	*l = (struct many_list){0};
}

struct crew {
	struct many *many;
	struct many_list list;
	pthread_mutex_t lock; /* protects the members below, and many_map.done */
	size_t done, printed;
	int wrong;
	bool stopped; /* writing the output failed */
};

static int open_map(struct crew *w, const struct many_map *map, struct offline *t, struct error *e)
{
	const char *slash = strrchr(map->path, '/');
	CLEANUP(free) char *dir = slash ? strndup(map->path, (size_t)(slash - map->path)) : NULL;
	CLEANUP(close_fd) int fd = -1;
	int top = w->list.tops[map->top].fd;

	if (slash && !dir)
		return error_set(e, -ENOMEM, "out of memory");
	if (dir) {
		fd = io_openat(top, dir, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return error_set(e, fd, "%s", strerror(-fd));
	}
	return offline_open_at(
		t, dir ? fd : top, slash ? slash + 1 : map->path, map->shown, w->many->options, e);
}

static int visit_map(struct crew *w, const struct many_map *map, struct buffer *out)
{
	struct many *m = w->many;
	struct error e = ERROR_INIT;
	struct offline t = {.file = map->shown};
	int r = open_map(w, map, &t, &e);

	if (r == 0)
		r = offline_load(&t, &e);
	if (r == 0)
		r = m->visit(m->arg, &t, out);
	else if (m->on_refused)
		r = m->on_refused(m->arg, map->shown, &e, out);
	else
		offline_print(&t, "%s", error_text(&e));
	offline_close(&t);
	return r;
}

/* The lock is held. The next line of output overwrites this one. */
static void show_progress(struct crew *w)
{
	w->done++;
	if (w->many->progress)
		fprintf(stderr, w->done < w->list.n ? "%zu of %zu maps\r" : "\033[K", w->done,
			w->list.n);
}

/* Print the output of all maps that are next in order and done. The lock is held. */
static void print_done(struct crew *w)
{
	while (w->printed < w->list.n && w->list.maps[w->printed].done) {
		struct buffer *out = &w->list.maps[w->printed++].out;
		int r = w->stopped || w->many->writes ? 0 : output_text(out);

		if (w->many->writes)
			output_report_lines(out);
		if (r < 0) {
			w->stopped = true;
			w->wrong = r;
		}
		buffer_finish_free(out);
	}
}

static int visit_next(void *arg, size_t i, struct error *)
{
	struct crew *w = arg;
	struct many_map *map = &w->list.maps[i];
	int r = visit_map(w, map, &map->out);

	pthread_mutex_lock(&w->lock);
	if (r < 0)
		w->wrong = r;
	map->done = true;
	print_done(w);
	show_progress(w);
	r = w->stopped ? w->wrong : 0;
	pthread_mutex_unlock(&w->lock);
	return r;
}

static int enter_sandbox(const struct crew *w, struct error *e)
{
	const struct many *m = w->many;
	size_t n = w->list.n_tops;
	CLEANUP(free) struct sandbox_rule *rules = calloc(n + m->n_extra_rules + 1, sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < n + m->n_extra_rules; i++)
		rules[i] = i < n ? w->list.tops[i] : m->extra_rules[i - n];
	return offline_confine(NULL, 0, rules, n + m->n_extra_rules, m->debug, e);
}

int many_visit_all(struct many *m, char **names, int n)
{
	struct crew w = {
		.many = m, .list.once = m->skips_repeated, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct error e = ERROR_INIT;
	int r = 0;

	file_raise_limit();
	for (int i = 0; r == 0 && i < n; i++)
		r = list_add(m, &w.list, names[i]);
	if (r == 0)
		r = enter_sandbox(&w, &e);
	if (r == 0)
		(void)parallel_all(w.list.n, visit_next, &w, NULL);
	else
		print_line(stderr, "mapfs: %s", e.code ? error_text(&e) : strerror(-r));
	r = r < 0 ? r : w.list.wrong < 0 ? w.list.wrong : w.wrong;
	list_finish(&w.list);
	return r;
}
