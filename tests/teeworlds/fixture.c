/* SPDX-License-Identifier: Zlib */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

static int keep(struct store *s, const struct extent *data, struct extent *ret, struct error *e)
{
	(void)s, (void)e;
	*ret = extent_ref(data);
	return 0;
}

uint64_t fixture_file_size(const struct file *file)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

struct source fixture_source(struct file *file, const char *name)
{
	return (struct source){
		.files = {file}, .sizes = {fixture_file_size(file)}, .n_files = 1, .name = name};
}

int fixture_open_file(
	struct fixture *f, struct file *file, const char *name, const char *raw, struct error *e)
{
	char option[16];
	const char *options[] = {option, NULL};
	struct format_context ctx = {.options = options};
	const char *tmp = getenv("TMPDIR");

	*f = (struct fixture){.dirfd = -1};
	f->source = fixture_source(file, name);
	f->budget = budget_create(64 << 20);
	f->dirfd = open(tmp ? tmp : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!file || !f->budget || f->dirfd < 0)
		return error_set(e, -ENOMEM, "cannot set the test up");
	f->store = (struct store){.keep = keep, .spool_dirfd = f->dirfd};
	snprintf(option, sizeof(option), "raw=%s", raw);
	ctx.budget = f->budget;
	ctx.store = &f->store;
	return format_teeworlds.open(&f->source, &ctx, &f->s, e);
}

int fixture_open(struct fixture *f, const char *path, const char *raw, struct error *e)
{
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*f = (struct fixture){.dirfd = -1};
	if (fd < 0)
		return error_errno(e, "%s", path);
	return fixture_open_file(f, file_new(fd), slash ? slash + 1 : path, raw, e);
}

void fixture_close(struct fixture *f)
{
	snapshot_unref(f->s);
	file_unref(f->source.files[0]);
	budget_destroy(f->budget);
	if (f->dirfd >= 0)
		close(f->dirfd);
}

int fixture_find(const struct snapshot *s, const char *path, struct entry *ret)
{
	char name[NAME_MAX + 1];
	int r = s->format->stat(s, ENTRY_ROOT, ret, NULL);

	while (r == 0 && *path) {
		size_t n = strcspn(path, "/");

		memcpy(name, path, n);
		name[n] = '\0';
		path += n + (path[n] == '/');
		r = s->format->lookup(s, ret->id, name, ret, NULL);
	}
	return r;
}

int fixture_size(
	const struct snapshot *s, const struct entry *entry, uint64_t *ret, struct error *e)
{
	if (!entry->sized)
		return s->format->size(s, entry->id, ret, e);
	*ret = entry->size;
	return 0;
}

int fixture_get(
	const struct snapshot *s, const struct entry *entry, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint64_t size;
	uint8_t *dst;
	int r = fixture_size(s, entry, &size, e);

	if (r < 0)
		return r;
	b = bytes_new((size_t)size, &dst);
	if (!b)
		return error_set(e, -ENOMEM, "no memory for %llu bytes", (unsigned long long)size);
	r = s->format->get(s, entry->id, 0, dst, (size_t)size, e);
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

int fixture_put(struct snapshot **s, entry_id id, const void *data, size_t n,
	struct touched *touched, struct error *e)
{
	struct bytes *b = bytes_copy(data, n);
	CLEANUP_EXTENT struct extent in = EXTENT_INIT;
	struct change *c = NULL;
	int r;

	if (!b)
		return error_set(e, -ENOMEM, "no memory for a copy");
	in = extent_of_bytes(b);
	r = (*s)->format->edit->parse(*s, id, &in, &c, e);
	if (!c || (r < 0 && r != -EAGAIN))
		return r;
	if (r == -EAGAIN) {
		if ((*s)->format->edit->apply(s, c, touched, NULL) < 0)
			r = -ENOMEM;
		change_free(c);
		return r;
	}
	r = (*s)->format->edit->apply(s, c, touched, e);
	change_free(c);
	return r < 0 ? r : 1;
}

int fixture_walk(const struct snapshot *s, entry_id dir, const char *path, fixture_visit fn,
	void *arg, struct error *e)
{
	char name[NAME_MAX + 1], below[PATH_MAX];
	uint64_t cookie = 0;
	struct entry entry;
	int r;

	while ((r = s->format->list(s, dir, &cookie, name, &entry, e)) == 1) {
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (entry.dir)
			r = fixture_walk(s, entry.id, below, fn, arg, e);
		else
			fn(arg, below, &entry);
		if (r < 0)
			return r;
	}
	return r;
}

int fixture_encode(const struct fixture *f, const struct snapshot *s, bool force, struct file **ret,
	struct plan **ret_plan, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *out = NULL;
	CLEANUP(file_unref) struct file *file = NULL;
	struct plan *plan = NULL;
	struct source written;
	int r = replace_begin(f->dirfd, "mapfs-test.map", -1, &out, e);

	if (r == 0)
		r = s->format->edit->encode(s, &out, force, &plan, e);
	if (r == 0)
		r = replace_close(out, e);
	if (r == 0) {
		file = replace_file(out);
		written = fixture_source(file, "written.map");
		r = s->format->edit->verify(s, plan, &written, e);
	}
	if (r == 0)
		*ret = TAKE(file);
	if (r == 0 && ret_plan)
		*ret_plan = plan;
	else
		plan_free(plan);
	return r;
}
