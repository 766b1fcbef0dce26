/* SPDX-License-Identifier: Zlib */
#include "cli/offline/many.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/io.h"
#include "base/say.h"
#include "cli/offline/many_list.h"
#include "cli/offline/output.h"

enum { THREADS_MAX = 64 };

struct result {
	struct buffer out;
	bool done;
};

struct crew {
	struct many *many;
	struct many_list list;
	struct result *results;
	pthread_mutex_t lock; /* over all below */
	size_t next, printed;
	int wrong;
	bool stopped; /* nobody takes the output any more */
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
		t, dir ? fd : top, slash ? slash + 1 : map->path, map->shown, w->many->how, e);
}

static int visit(struct crew *w, const struct many_map *map, struct pool *pool, struct buffer *out)
{
	struct many *m = w->many;
	struct error e = ERROR_INIT;
	struct offline t = {.file = map->shown};
	int r = open_map(w, map, &t, &e);

	if (r == 0)
		r = offline_load(&t, pool, &e);
	if (r == 0) {
		r = m->visit(m->arg, &t, out);
		__atomic_fetch_add(&m->visited, 1, __ATOMIC_RELAXED);
	} else if (m->refused) {
		r = m->refused(m->arg, map->shown, &e, out);
	} else {
		offline_say(&t, "%s", error_text(&e));
	}
	offline_close(&t);
	return r;
}

/* The lock is held. */
static void print(struct crew *w)
{
	while (w->printed < w->list.n && w->results[w->printed].done) {
		struct buffer *out = &w->results[w->printed++].out;
		int r = w->stopped ? 0 : output_text(out);

		if (r < 0) {
			w->stopped = true;
			w->wrong = r;
		}
		buffer_finish_free(out);
	}
}

static void *work(void *arg)
{
	struct crew *w = arg;
	struct pool *pool = pool_create(0);

	pthread_mutex_lock(&w->lock);
	if (!pool)
		w->wrong = -ENOMEM;
	while (pool && !w->stopped && w->next < w->list.n) {
		size_t i = w->next++;
		int r;

		pthread_mutex_unlock(&w->lock);
		r = visit(w, &w->list.maps[i], pool, &w->results[i].out);
		pthread_mutex_lock(&w->lock);
		if (r < 0)
			w->wrong = r;
		w->results[i].done = true;
		print(w);
	}
	pthread_mutex_unlock(&w->lock);
	pool_destroy(pool);
	return NULL;
}

static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

static void run(struct crew *w)
{
	pthread_t threads[THREADS_MAX];
	unsigned n = processors(), started = 0;

	if (n > w->list.n)
		n = (unsigned)w->list.n;
	while (started + 1 < n && pthread_create(&threads[started], NULL, work, w) == 0)
		started++;
	work(w);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

int many_visit_all(struct many *m, char **names, int n)
{
	struct crew w = {.many = m, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct error e = ERROR_INIT;
	int r = 0;

	file_raise_limit();
	for (int i = 0; r == 0 && i < n; i++)
		r = many_list_add(&w.list, names[i]);
	if (r == 0) {
		w.results = calloc(w.list.n + 1, sizeof(*w.results));
		r = w.results ? offline_confine(NULL, 0, w.list.tops, w.list.n_tops, m->debug, &e)
			      : -ENOMEM;
	}
	if (r == 0)
		run(&w);
	else
		say(stderr, "mapfs: %s", e.code ? error_text(&e) : strerror(-r));
	r = r < 0 ? r : w.list.wrong < 0 ? w.list.wrong : w.wrong;
	free(w.results);
	many_list_finish(&w.list);
	return r;
}
