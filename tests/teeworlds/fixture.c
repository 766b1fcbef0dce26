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
