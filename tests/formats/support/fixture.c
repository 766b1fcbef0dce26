/* SPDX-License-Identifier: Zlib */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int keep_content(
	struct store *s, const struct extent *data, struct extent *ret, struct error *e)
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

int source_add(struct source *src, const char *path, struct error *e)
{
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file *file;

	if (fd < 0)
		return error_errno(e, "%s", path);
	file = file_new(fd);
	if (!file)
		return error_set(e, -ENOMEM, "cannot set the test up");
	if (!src->n_files)
		src->name = slash ? slash + 1 : path;
	src->sizes[src->n_files] = fixture_file_size(file);
	src->files[src->n_files++] = file;
	return 0;
}

void source_drop(struct source *src)
{
	while (src->n_files)
		file_unref(src->files[--src->n_files]);
}

static bool same_file(const struct file *a, const struct file *b, uint64_t size)
{
	static uint8_t x[1 << 16], y[1 << 16];

	for (uint64_t at = 0, n; at < size; at += n) {
		n = size - at < sizeof(x) ? size - at : sizeof(x);
		if (file_read(a, at, x, (size_t)n, NULL) < 0 ||
			file_read(b, at, y, (size_t)n, NULL) < 0 || memcmp(x, y, (size_t)n) != 0)
			return false;
	}
	return true;
}

bool source_equal(const struct source *a, const struct source *b)
{
	bool same = a->n_files == b->n_files;

	for (unsigned i = 0; same && i < a->n_files; i++)
		same = a->sizes[i] == b->sizes[i] &&
		       same_file(a->files[i], b->files[i], a->sizes[i]);
	return same;
}

int fixture_open_source(struct fixture *f, const struct format *format, const struct source *src,
	const char *const *options, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	int r = 0;

	*f = (struct fixture){.source = *src, .budget = budget_create(64 << 20)};
	f->dirfd = open(tmp ? tmp : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if ((!src->n_files && !format) || !f->budget || f->dirfd < 0)
		return error_set(e, -ENOMEM, "cannot set the test up");
	f->store = (struct store){.keep = keep_content, .spool_dirfd = f->dirfd};
	f->ctx = (struct format_context){
		.budget = f->budget, .store = &f->store, .options = options};
	if (!format)
		r = format_find(src, &format, e);
	return r < 0 ? r : format->open(&f->source, &f->ctx, &f->s, e);
}

void fixture_close(struct fixture *f)
{
	snapshot_unref(f->s);
	source_drop(&f->source);
	budget_destroy(f->budget);
	if (f->dirfd >= 0)
		close(f->dirfd);
}

int fixture_write(const struct fixture *f, const struct snapshot *s, bool force, struct source *ret,
	struct plan **ret_plan, struct error *e)
{
	struct replace *outs[FORMAT_FILES_MAX] = {NULL};
	struct source written = {.name = f->source.name};
	CLEANUP(plan_free) struct plan *plan = NULL;
	unsigned n = s->format->companion ? 2 : 1;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++)
		r = replace_begin(
			f->dirfd, i ? "mapfs-test.second" : "mapfs-test", -1, &outs[i], e);
	if (r == 0)
		r = s->format->edit->encode(s, outs, force, &plan, e);
	for (unsigned i = 0; r == 0 && i < n; i++) {
		r = replace_close(outs[i], e);
		if (r == 0) {
			written.files[i] = replace_file(outs[i]);
			written.sizes[i] = replace_size(outs[i]);
			written.n_files++;
		}
	}
	if (r == 0)
		r = s->format->edit->verify(s, plan, &written, e);
	for (unsigned i = 0; i < n; i++)
		replace_destroy(outs[i]);
	if (r < 0) {
		source_drop(&written);
		return r;
	}
	*ret = written;
	if (ret_plan)
		*ret_plan = TAKE(plan);
	return 0;
}
