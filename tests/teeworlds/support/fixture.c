/* SPDX-License-Identifier: Zlib */
#include "fixture.h"

#include <string.h>

struct source fixture_source(struct file *file, const char *name)
{
	return (struct source){
		.files = {file}, .sizes = {fixture_file_size(file)}, .n_files = 1, .name = name};
}

static int open_as(struct fixture *f, const struct source *src, const char *raw, struct error *e)
{
	static const struct {
		const char *raw, *options[3];
	} as[] = {{"ro", {"raw=ro"}}, {"rw", {"raw=rw"}}, {"off", {"raw=off"}},
		{FIXTURE_PACKED, {"raw=rw", "png=packed"}}};
	size_t i = 0;

	while (strcmp(as[i].raw, raw) != 0)
		i++;
	return fixture_open_source(f, &format_teeworlds, src, as[i].options, e);
}

int fixture_open_file(
	struct fixture *f, struct file *file, const char *name, const char *raw, struct error *e)
{
	struct source src = {.name = name};

	if (file)
		src = fixture_source(file, name);
	return open_as(f, &src, raw, e);
}

int fixture_open(struct fixture *f, const char *path, const char *raw, struct error *e)
{
	struct source src = {0};
	int r;

	*f = (struct fixture){.dirfd = -1};
	r = source_add(&src, path, e);
	return r < 0 ? r : open_as(f, &src, raw, e);
}

int fixture_encode(const struct fixture *f, const struct snapshot *s, bool force, struct file **ret,
	struct plan **ret_plan, struct error *e)
{
	struct source written;
	int r = fixture_write(f, s, force, &written, ret_plan, e);

	if (r == 0)
		*ret = written.files[0];
	return r;
}
