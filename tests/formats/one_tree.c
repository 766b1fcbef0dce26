/* SPDX-License-Identifier: Zlib */
/*
 * one-tree: the same tree gives the same map.
 *
 *     one-tree TREES FILE [SECOND]
 *     one-tree TREES FORMAT PATH FILE [PATH FILE ...]
 *
 * A random tree consists of files and directories of the map that get other content, are copied,
 * moved or removed, none of them twice. It is built in several ways: in a different order each
 * time, with temporary other contents, and with files moved to scratch names and back. All ways
 * must give the same map, byte for byte, and the same messages.
 *
 * With a FORMAT the map is a new one, and its tree is some of the files, each at its path.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/fixture.h"
#include "support/held.h"
#include "support/laws.h"
#include "base/buffer.h"
#include "vfs/overlay/overlay_build.h"

/* The clock has a constant time, because an archive stores the times of its files. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = (struct timespec){.tv_sec = 1700000000};
	return 0;
}

enum { WAYS = 5, DEEDS = 12, TRIES = 60, FILES_MAX = 4096, CONTENT_MAX = 1 << 20 };

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *r, uint32_t n)
{
	r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return n ? (uint32_t)(r->state >> 33) % n : 0;
}

struct listed_file {
	char *path;
	bool dir;
	bool fixed; /* cannot be moved or removed */
};

static struct listed_file all[FILES_MAX];
static size_t n_all;
static const struct snapshot *origin; /* the snapshot that has these files, and their bytes */
static char **given;                  /* for a new map: path, file, path, file ... */
static size_t n_given;

enum kind { PUT, COPY, MOVE, REMOVE };

struct deed {
	enum kind kind;
	bool dir;
	char at[PATH_MAX], to[PATH_MAX], from[PATH_MAX]; /* `from` has the new content */
};

static void collect_files(const struct snapshot *s, entry_id dir, const char *above)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;

	while (n_all < FILES_MAX && s->format->list(s, dir, &cookie, name, &en, NULL) > 0) {
		struct listed_file *o = &all[n_all];

		/* Generated and read-only files cannot be changed. */
		if ((!en.is_dir && !en.is_writable) || en.is_generated ||
			(!above[0] && !strcmp(name, "raw")))
			continue;
		*o = (struct listed_file){
			.dir = en.is_dir, .fixed = en.is_permanent || en.is_restored};
		if (asprintf(&o->path, "%s%s%s", above, above[0] ? "/" : "", name) < 0)
			exit(2);
		n_all++;
		if (en.is_dir)
			collect_files(s, en.id, o->path);
	}
}

static bool is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

/* Could both belong to one object? Names that differ in their ending may be its two forms. */
static bool may_conflict(const char *a, const char *b)
{
	const char *x = strrchr(a, '.'), *y = strrchr(b, '.');

	return is_within(a, b) || is_within(b, a) ||
	       (x && y && x - a == y - b && strncmp(a, b, (size_t)(x - a)) == 0);
}

/* Is the path used by no other deed? Then the order of the deeds must not matter. */
static bool is_free(const struct deed *deeds, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (may_conflict(path, deeds[i].at) ||
			(deeds[i].to[0] && may_conflict(path, deeds[i].to)) ||
			(deeds[i].from[0] && is_within(deeds[i].from, path)))
			return false;
	return true;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Another name in the directory, with the same ending; often at a position that others have, too.
 */
static void make_other_name(struct random *r, const char *path, bool dir, char ret[PATH_MAX])
{
	const char *base = base_of(path), *dot = dir ? NULL : strrchr(base, '.');

	snprintf(ret, PATH_MAX, "%s", path);
	ret[base - path] = '\0';
	if (random_below(r, 4))
		snprintf(ret + strlen(ret), PATH_MAX - strlen(ret), "%u_", random_below(r, 4));
	snprintf(ret + strlen(ret), PATH_MAX - strlen(ret), "%c%u%s",
		'a' + (char)random_below(r, 3), random_below(r, 12), dot ? dot : "");
}

/* A similar file: with the same ending, at the same depth. */
static const char *pick_similar(struct random *r, const struct listed_file *o)
{
	const char *dot = strrchr(base_of(o->path), '.');

	for (int i = 0; i < TRIES; i++) {
		const struct listed_file *k = &all[random_below(r, (uint32_t)n_all)];
		const char *end = strrchr(base_of(k->path), '.');

		if (!k->dir && dot && end && strcmp(dot, end) == 0 &&
			(base_of(k->path) - k->path) == (base_of(o->path) - o->path))
			return k->path;
	}
	return o->path;
}

static bool choose_given(struct random *r, const struct deed *before, size_t n, struct deed *ret)
{
	size_t i = 2 * random_below(r, (uint32_t)n_given);

	*ret = (struct deed){.kind = COPY};
	snprintf(ret->at, PATH_MAX, "%s", given[i]);
	snprintf(ret->to, PATH_MAX, "%s", given[i]);
	snprintf(ret->from, PATH_MAX, "%s", given[i + 1]);
	return is_free(before, n, ret->to);
}

static bool choose(struct random *r, const struct deed *before, size_t n, struct deed *ret)
{
	const struct listed_file *o;

	if (n_given)
		return choose_given(r, before, n, ret);
	o = &all[random_below(r, (uint32_t)n_all)];
	*ret = (struct deed){.kind = (enum kind)random_below(r, 4), .dir = o->dir};
	snprintf(ret->at, PATH_MAX, "%s", o->path);
	if (!is_free(before, n, o->path) || (o->fixed && ret->kind != PUT && ret->kind != COPY))
		return false;
	if (ret->kind == PUT && o->dir)
		return false;
	if (ret->kind == PUT || (ret->kind == COPY && !o->dir))
		snprintf(ret->from, PATH_MAX, "%s", pick_similar(r, o));
	if (ret->kind == COPY && o->dir)
		snprintf(ret->from, PATH_MAX, "%s", o->path);
	if (ret->kind == COPY || ret->kind == MOVE) {
		make_other_name(r, o->path, o->dir, ret->to);
		return is_free(before, n, ret->to);
	}
	return true;
}

static void exit_on_error(int r, const char *what, const struct deed *d)
{
	if (r == 0)
		return;
	fprintf(stderr, "%s %s %s: %s\n", what, d->at, d->to, strerror(-r));
	exit(1);
}

/* The bytes of a file of the base, or of a given file. */
static bool load_content(const struct snapshot *s, const char *path, struct extent *ret)
{
	struct source file = {0};
	struct bytes *b;
	struct file_attr en;

	if (n_given) {
		if (source_add(&file, path, NULL) < 0)
			exit(2);
		*ret = extent_of_file(file.files[0], 0, file.sizes[0]);
		return true;
	}
	if (entry_find(s, path, &en) < 0 || entry_get(s, &en, &b, NULL) < 0)
		return false;
	*ret = extent_of_bytes(b);
	return b->size <= CONTENT_MAX;
}

static int put_content(struct overlay *o, const char *path, const char *from)
{
	struct extent x = EXTENT_INIT;

	if (!load_content(origin, from, &x)) {
		extent_finish(&x);
		return 0;
	}
	return overlay_put_content(o, path, x, NULL);
}

static int copy_dir(struct overlay *o, const char *from, const char *to)
{
	size_t n = strlen(from);
	int r = overlay_mkdir(o, to);

	for (size_t i = 0; r == 0 && i < n_all; i++) {
		char path[PATH_MAX];

		if (!is_within(all[i].path, from) || !all[i].path[n])
			continue;
		if (snprintf(path, PATH_MAX, "%s%s", to, all[i].path + n) >= PATH_MAX)
			return -ENAMETOOLONG;
		r = all[i].dir ? overlay_mkdir(o, path) : put_content(o, path, all[i].path);
	}
	return r;
}

static int remove_dir(struct overlay *o, const char *path)
{
	for (size_t i = n_all; i-- > 0;)
		if (is_within(all[i].path, path)) {
			int r = overlay_remove(o, all[i].path, all[i].dir);

			if (r < 0 && r != -EPERM)
				return r;
		}
	return 0;
}

/* Make a change that the deed undoes: another content, or another name and back. */
static int make_detour(struct random *r, struct overlay *o, const struct deed *d)
{
	char other[PATH_MAX];
	int e = 0;

	/* The content of another file, temporarily. */
	if (n_given)
		return put_content(o, d->to, given[2 * random_below(r, (uint32_t)n_given) + 1]);
	if (d->dir || d->kind == COPY)
		return 0;
	if (random_below(r, 2) && d->kind != MOVE)
		e = put_content(o, d->at, d->at);
	if (e < 0 || !random_below(r, 2))
		return e;
	snprintf(other, sizeof(other), "%.*s.t%u.swp", (int)(base_of(d->at) - d->at), d->at,
		random_below(r, 3));
	e = overlay_rename(o, d->at, other);
	/* Files that cannot be moved stay. */
	return e == -EPERM ? 0 : e < 0 ? e : overlay_rename(o, other, d->at);
}

static int carry_out(struct overlay *o, const struct deed *d)
{
	if (d->kind == PUT)
		return put_content(o, d->at, d->from);
	if (d->kind == COPY)
		return d->dir ? copy_dir(o, d->from, d->to) : put_content(o, d->to, d->from);
	if (d->kind == MOVE)
		return overlay_rename(o, d->at, d->to);
	return d->dir ? remove_dir(o, d->at) : overlay_remove(o, d->at, false);
}

/* The result of one way. */
struct result {
	struct source map; /* without files if the map was not built */
	struct buffer words;
};

static void result_finish(struct result *x)
{
	source_drop(&x->map);
	buffer_finish_free(&x->words);
}

static void describe(const struct overlay_build *s, struct buffer *words)
{
	struct report report = REPORT_INIT;

	for (size_t i = 1; i < s->n; i++) {
		CLEANUP(free) char *path = oentry_path(s->oentries[i]);

		if (s->result.outputs[i].outcome == BUILD_REFUSED)
			buffer_printf(words, "refused %s: %s\n", path, s->result.outputs[i].reason);
	}
	for (size_t i = 0; i < s->format_report.n; i++)
		buffer_printf(words, "%s\n", s->format_report.lines[i]);
	overlay_build_report(s, &report);
	for (size_t i = 0; i < report.n; i++)
		buffer_printf(words, "%s\n", report.lines[i]);
	report_finish(&report);
}

static struct result build_tree(
	const struct fixture *f, const struct deed *deeds, size_t n, struct random *r)
{
	struct result x = {.words = BUFFER_INIT};
	CLEANUP(overlay_destroy) struct overlay *o = NULL;
	struct error e = ERROR_INIT;
	size_t order[DEEDS] = {0};
	struct overlay_build s;

	if (overlay_create(f->s, &o) < 0)
		exit(2);
	for (size_t i = 0; i < n; i++) {
		size_t k = r ? random_below(r, (uint32_t)i + 1) : i;

		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < n; i++) {
		const struct deed *d = &deeds[order[i]];

		exit_on_error(r ? make_detour(r, o, d) : 0, "wander", d);
		exit_on_error(carry_out(o, d), "do", d);
	}
	if (overlay_build(o, &s, &e) < 0) {
		buffer_printf(&x.words, "no map: %s\n", error_text(&e));
		return x;
	}
	describe(&s, &x.words);
	if (fixture_write(f, s.result.map, false, &x.map, NULL, &e) < 0)
		buffer_printf(&x.words, "not written: %s\n", error_text(&e));
	overlay_build_finish(&s);
	return x;
}

static bool results_equal(const struct result *a, const struct result *b)
{
	return source_equal(&a->map, &b->map) && a->words.size == b->words.size &&
	       (!a->words.size || memcmp(a->words.data, b->words.data, a->words.size) == 0);
}

static int check_one_tree(
	const struct fixture *f, uint32_t seed, unsigned *deeds_done, unsigned *built)
{
	struct random r = {seed * UINT64_C(0x9e3779b97f4a7c15)};
	CLEANUP(overlay_destroy) struct overlay *o = NULL;
	static struct deed deeds[DEEDS];
	struct result first;
	size_t n = 0;
	int wrong = 0;

	if (overlay_create(f->s, &o) < 0)
		exit(2);
	/* Refused deeds are left out. */
	for (int i = 0; i < TRIES && n < DEEDS; i++)
		n += choose(&r, deeds, n, &deeds[n]) && carry_out(o, &deeds[n]) == 0;
	first = build_tree(f, deeds, n, NULL);
	*deeds_done += (unsigned)n;
	*built += first.map.n_files > 0;
	for (int way = 1; way < WAYS && !wrong; way++) {
		struct result x = build_tree(f, deeds, n, &r);

		wrong = !results_equal(&first, &x);
		if (wrong)
			fprintf(stderr, "tree %u, way %d:\n%.*s--- and in order:\n%.*s", seed, way,
				(int)x.words.size, (char *)x.words.data, (int)first.words.size,
				(char *)first.words.data);
		for (size_t i = 0; wrong && i < n; i++)
			fprintf(stderr, "deed %d %s -> %s (%s)\n", deeds[i].kind, deeds[i].at,
				deeds[i].to, deeds[i].from);
		result_finish(&x);
	}
	result_finish(&first);
	return wrong;
}

/*
 * Do some files refer to moved or removed objects by their names in the base? If half of the deeds
 * are saved first, the other half is saved with the meaning that these names have then.
 */
static bool refers_to_moved_objects(const struct deed *deeds, size_t n)
{
	bool moved = false, named = false;

	for (size_t i = 0; i < n; i++) {
		const struct deed *d = &deeds[i];
		bool group = strncmp(d->at, "groups", 6) == 0;

		moved |= !group && (d->kind == MOVE || d->kind == REMOVE);
		named |= group && (d->kind == COPY || d->kind == PUT) &&
			 (d->dir || strstr(d->at, ".json"));
	}
	return moved && named;
}

/*
 * Is an image saved before tiles? The save sets OPAQUE bits of the tiles at that time; tiles
 * written later keep the bits that were written.
 */
static bool saves_image_before_tiles(const struct deed *deeds, size_t n)
{
	bool image = false, tiles = false;

	for (size_t i = 0; i < n; i++) {
		const struct deed *d = &deeds[i];

		image |= i < n / 2 && strncmp(d->at, "images", 6) == 0;
		tiles |= i >= n / 2 && (strstr(d->at, "/id.csv") || strstr(d->at, "/flags.csv") ||
					       (d->dir && d->kind == COPY));
	}
	return image && tiles;
}

/*
 * Save half of the deeds before the others: paths must stay, and the result must be the same as
 * with one save.
 */
static int check_saved_tree(
	const struct fixture *f, uint32_t seed, unsigned *saved, unsigned *compared)
{
	struct random r = {seed * UINT64_C(0x9e3779b97f4a7c15)};
	CLEANUP(overlay_destroy) struct overlay *all_at_once = NULL, *o = NULL;
	struct fixture g, both, now;
	static struct deed deeds[DEEDS];
	size_t n = 0;
	int r0, r1, r2, wrong = 0;

	if (overlay_create(f->s, &all_at_once) < 0 || overlay_create(f->s, &o) < 0)
		exit(2);
	for (int i = 0; i < TRIES && n < DEEDS; i++)
		n += choose(&r, deeds, n, &deeds[n]) && carry_out(all_at_once, &deeds[n]) == 0;
	for (size_t i = 0; i < n / 2; i++)
		exit_on_error(carry_out(o, &deeds[i]), "do", &deeds[i]);
	r0 = held_save(f, o, &g);
	if (r0 <= 0)
		return r0 < 0;
	*saved += 1;
	overlay_destroy(TAKE(o));
	if (overlay_create(g.s, &o) < 0)
		exit(2);
	for (size_t i = n / 2; i < n; i++)
		exit_on_error(carry_out(o, &deeds[i]), "do", &deeds[i]);
	r2 = held_save(&g, o, &now);
	r1 = held_save(f, all_at_once, &both);
	wrong = r1 < 0 || r2 < 0;
	if (r0 == 1 && r1 == 1 && r2 == 1 && !refers_to_moved_objects(deeds, n) &&
		!saves_image_before_tiles(deeds, n)) {
		wrong |= !held_same(both.s, now.s);
		*compared += 1;
	}
	for (size_t i = 0; wrong && i < n; i++)
		fprintf(stderr, "tree %u, deed %zu %d %s -> %s (%s)\n", seed, i, deeds[i].kind,
			deeds[i].at, deeds[i].to, deeds[i].from);
	if (r1 > 0)
		fixture_close(&both);
	if (r2 > 0)
		fixture_close(&now);
	overlay_destroy(TAKE(o));
	fixture_close(&g);
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"raw=off", NULL};
	struct source src = {0};
	struct error e = ERROR_INIT;
	unsigned deeds = 0, built = 0, saved = 0, compared = 0,
		 n = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	struct fixture f;
	int r = 0;

	const struct format *format = NULL;

	for (int i = 0; argc > 4 && formats[i]; i++)
		if (strcmp(argv[2], formats[i]->name) == 0)
			format = formats[i];
	if (format) {
		src.name = "new";
		given = argv + 3;
		n_given = (size_t)(argc - 3) / 2;
	}
	for (int i = 2; r == 0 && !format && i < argc; i++)
		r = source_add(&src, argv[i], &e);
	if (!n || r < 0 || fixture_open_source(&f, format, &src, options, &e) < 0) {
		fprintf(stderr, "one-tree: %s\n", error_text(&e));
		return 2;
	}
	origin = f.s;
	collect_files(f.s, ENTRY_ROOT, "");
	for (uint32_t seed = 1; r == 0 && seed <= n; seed++)
		r = check_one_tree(&f, seed, &deeds, &built);
	/*
	 * Skipped for new maps: until their first save, the sources of their initial files count.
	 */
	for (uint32_t seed = 1; r == 0 && !format && f.s->format->tree->names && seed <= n; seed++)
		r = check_saved_tree(&f, seed, &saved, &compared);
	printf("%u trees, %u deeds, %u maps built, %u saved between, %u compared\n", n, deeds,
		built, saved, compared);
	for (size_t i = 0; i < n_all; i++)
		free(all[i].path);
	fixture_close(&f);
	return r;
}
