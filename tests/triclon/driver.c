/* SPDX-License-Identifier: Zlib */
/*
 * driver: the format behind struct format as a program with one command per line, so that thousands
 * of maps need one process. test_triclon_maps.py checks its answers.
 *
 *     open PATH OPTION,...    create OPTION,...     -> ok
 *     list                                          -> data: a name a line
 *     get NAME                range NAME OFF N      -> data
 *     put NAME N, then N bytes                      -> same | changed
 *     add NAME                remove NAME           -> ok
 *     save PATH               same                  -> ok | ok yes | ok no
 *     laws                                          -> data: a line for each broken law
 *     notes                                         -> data: notes, report lines and refusals
 *
 * "data N" is followed by N bytes and a line feed. A failure is "error ERRNO TEXT".
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../formats/support/laws.h"
#include "base/buffer.h"

enum { MAX_OPTIONS = 8, MAX_PLACES = 8 };

struct driver {
	struct snapshot *s, *before;
	struct placement places[MAX_PLACES];
	char names[MAX_PLACES][NAME_MAX + 1];
	size_t n_places;
	struct buffer notes;
	struct error e;
};

static void append_note(void *arg, const char *line)
{
	struct driver *d = arg;

	buffer_text(&d->notes, line);
	buffer_byte(&d->notes, '\n');
}

static void print_line(void *arg, enum format_line_kind, const char *line)
{
	append_note(arg, line);
}

static void answer_error(void *arg, const struct format_fault *f)
{
	append_note(arg, f->line);
}

static void answer_data(const void *p, size_t n)
{
	printf("data %zu\n", n);
	if (n)
		fwrite(p, 1, n, stdout);
	putchar('\n');
}

static const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

static void forget_map(struct driver *d)
{
	snapshot_unref(d->s);
	snapshot_unref(d->before);
	buffer_finish_free(&d->notes);
	*d = (struct driver){0};
}

static int do_open(struct driver *d, const char *path, char *list)
{
	const char *options[MAX_OPTIONS + 1] = {NULL};
	struct format_context ctx = {.options = options, .note = append_note, .note_arg = d};
	struct source src = {.name = path ? path : "new.tcm"};
	const struct format *f = format_by_name("triclon");
	struct file *file;
	int fd, r, n = 0;

	forget_map(d);
	for (char *o = strtok(list, ","); o && n < MAX_OPTIONS; o = strtok(NULL, ","))
		options[n++] = o;
	if (!path)
		return f->open(&src, &ctx, &d->s, &d->e);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(&d->e, "%s", path);
	file = file_new(fd);
	src.n_files = 1;
	src.files[0] = file;
	src.sizes[0] = (uint64_t)lseek(fd, 0, SEEK_END);
	r = format_find(&src, &f, &d->e);
	if (r == 0)
		r = f->open(&src, &ctx, &d->s, &d->e);
	file_unref(file);
	if (r == 0)
		d->before = snapshot_ref(d->s);
	return r;
}

/* Find a file by its name in the mount, or by the name that `add` gave it. */
static int find_file(struct driver *d, const char *name, struct file_attr *ret)
{
	for (size_t i = 0; i < d->n_places; i++)
		if (!d->places[i].is_removed && strcmp(d->names[i], name) == 0)
			return d->s->format->stat(d->s, d->places[i].id, ret, &d->e);
	return d->s->format->lookup(d->s, ENTRY_ROOT, name, ret, &d->e);
}

static int do_list(struct driver *d)
{
	struct buffer b = BUFFER_INIT;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;
	int r;

	while ((r = d->s->format->list(d->s, ENTRY_ROOT, &cookie, name, &en, &d->e)) > 0)
		buffer_printf(&b, "%s\n", name);
	if (r == 0)
		answer_data(b.data, b.size);
	buffer_finish_free(&b);
	return r;
}

static int do_get(struct driver *d, const char *name, uint64_t off, size_t n, bool whole)
{
	CLEANUP(free) uint8_t *dst = NULL;
	struct file_attr en;
	int r = find_file(d, name, &en);

	if (r < 0)
		return r;
	if (whole) {
		off = 0;
		n = (size_t)en.size;
	}
	dst = malloc(n + 1);
	r = d->s->format->get(d->s, en.id, off, dst, n, &d->e);
	if (r == 0)
		answer_data(dst, n);
	return r;
}

static int do_put(struct driver *d, const char *name, size_t n)
{
	CLEANUP(free) uint8_t *in = malloc(n + 1);
	struct file_attr en;
	int r;

	if (fread(in, 1, n, stdin) != n)
		exit(2);
	r = find_file(d, name, &en);
	if (r == 0)
		r = entry_put(&d->s, en.id, in, n, &d->e);
	if (r >= 0)
		puts(r ? "changed" : "same");
	return r < 0 ? r : 0;
}

static void append_broken_law(void *arg, const char *path, const char *law, const char *text)
{
	buffer_printf(arg, "%s: %s: %s\n", path, law, text);
}

static int do_laws(struct driver *d)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const struct laws laws = {append_broken_law, &out};
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;
	int r;

	while ((r = d->s->format->list(d->s, ENTRY_ROOT, &cookie, name, &en, &d->e)) > 0) {
		struct bytes *whole = NULL;

		if (laws_read(&laws, d->s, name, &en, &whole) == -EIO)
			append_broken_law(&out, name, "get", "it cannot be read");
		bytes_unref(whole);
	}
	if (r == 0)
		answer_data(out.data, out.size);
	return r;
}

/* Set the placement of an object; a later one replaces it. */
static int set_placement(struct driver *d, entry_id id, const char *name, bool removed)
{
	struct placement *p = &d->places[d->n_places];
	char *copy = d->names[d->n_places];

	if (d->n_places == MAX_PLACES)
		exit(2);
	d->n_places++;
	strcpy(copy, name);
	*p = (struct placement){.id = id, .name = removed ? NULL : copy, .is_removed = removed};
	return 0;
}

static int do_add(struct driver *d, const char *name)
{
	const struct format *f = d->s->format;
	struct name_class m;
	entry_id id;
	int r;

	r = f->tree->classify(d->s, ENTRY_ROOT, name, false, ENTRY_ROOT, &m, &d->e);
	if (r == 0 && m.is_known)
		return set_placement(d, m.id, name, false);
	if (r < 0 || m.kind != NAME_OBJECT)
		return error_set(&d->e, -EINVAL, "%s is scratch", name);
	r = f->tree->add(&d->s, ENTRY_ROOT, name, false, &id, &d->e);
	return r < 0 ? r : set_placement(d, id, name, false);
}

static int do_remove(struct driver *d, const char *name)
{
	struct snapshot *next = NULL;
	struct file_attr en;
	int r = find_file(d, name, &en);

	if (r < 0 || !en.is_cleared_by_mount)
		return r < 0 ? r : set_placement(d, en.id, name, true);
	r = format_put_file(d->s, en.id, NULL, NULL, &next, &d->e);
	if (next) {
		snapshot_unref(d->s);
		d->s = next;
	}
	return r;
}

static int write_map(struct driver *d, const struct snapshot *s, const char *path)
{
	CLEANUP(replace_destroy) struct replace *out = NULL;
	const struct format *f = s->format;
	struct plan *plan = NULL;
	struct source written = {.n_files = 1, .name = "written.tcm"};
	const char *slash = strrchr(path, '/');
	CLEANUP(free) char *dir = strndup(path, (size_t)(slash - path));
	CLEANUP(close_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = replace_begin(fd, slash + 1, -1, &out, &d->e);

	if (r == 0)
		r = f->edit->encode(s, &out, false, &plan, &d->e);
	written.sizes[0] = r == 0 ? replace_size(out) : 0;
	if (r == 0)
		r = replace_close(out, &d->e);
	if (r == 0) {
		written.files[0] = replace_file(out);
		r = f->edit->verify(s, plan, &written, &d->e);
		file_unref(written.files[0]);
	}
	plan_free(plan);
	return r < 0 ? r : replace_commit(out, true, NULL, &d->e);
}

static int do_save(struct driver *d, const char *path)
{
	CLEANUP(snapshot_unref) struct snapshot *settled = NULL;
	const struct format *f = d->s->format;
	const struct snapshot *before = d->before ? d->before : d->s;
	int r = f->tree->finalize(d->s, d->places, d->n_places, &settled, print_line, d, &d->e);

	if (r == 0)
		r = f->edit->check(before, settled, answer_error, d, &d->e);
	if (r == 0)
		r = write_map(d, settled, path);
	if (r == 0)
		printf("ok %s\n", f->edit->same(before, settled) ? "same" : "changed");
	return r;
}

static int run_command(struct driver *d, char *line)
{
	char *word = strtok(line, " "), *a = strtok(NULL, " "), *b = strtok(NULL, " ");
	char *c = strtok(NULL, " ");
	int r = 0;

	if (strcmp(word, "open") == 0 || strcmp(word, "create") == 0) {
		bool create = word[0] == 'c';

		r = do_open(d, create ? NULL : a, create ? a : b);
	} else if (strcmp(word, "notes") == 0) {
		answer_data(d->notes.data, d->notes.size);
		return 0;
	} else if (strcmp(word, "list") == 0) {
		return do_list(d);
	} else if (strcmp(word, "laws") == 0) {
		return do_laws(d);
	} else if (strcmp(word, "get") == 0) {
		return do_get(d, a, 0, 0, true);
	} else if (strcmp(word, "range") == 0) {
		return do_get(d, a, strtoull(b, NULL, 10), strtoul(c, NULL, 10), false);
	} else if (strcmp(word, "put") == 0) {
		return do_put(d, a, strtoul(b, NULL, 10));
	} else if (strcmp(word, "save") == 0) {
		return do_save(d, a);
	} else if (strcmp(word, "add") == 0) {
		r = do_add(d, a);
	} else if (strcmp(word, "remove") == 0) {
		r = do_remove(d, a);
	} else {
		exit(2);
	}
	if (r == 0)
		puts("ok");
	return r;
}

int main(void)
{
	struct driver d = {0};
	char line[PATH_MAX + 256];

	while (fgets(line, sizeof(line), stdin)) {
		int r;

		line[strcspn(line, "\n")] = '\0';
		d.e = (struct error)ERROR_INIT;
		r = run_command(&d, line);
		if (r < 0)
			printf("error %d %s\n", -r, error_text(&d.e));
		fflush(stdout);
	}
	forget_map(&d);
	return 0;
}
