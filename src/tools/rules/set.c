/* SPDX-License-Identifier: Zlib */
#include "tools/rules/set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/print.h"

/* The only toolset with rules. If a second one is added, files of rules must name their format. */
static const struct toolset *tools_with_rules(void)
{
	size_t i = 0;

	while (toolsets[i] && !toolsets[i]->rules)
		i++;
	return toolsets[i];
}

static int add_file(struct rule_set *all, const char *name, struct error *e)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CLEANUP(file_unref) struct file *file = fd < 0 ? NULL : file_new(fd);
	CLEANUP_EXTENT struct extent in = EXTENT_INIT;
	struct stat st;

	if (!file || fstat(fd, &st) < 0)
		return error_errno(e, "cannot read");
	if (!S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "not a regular file");
	in = extent_of_file(TAKE(file), 0, (uint64_t)st.st_size);
	return all->tools->rules->add_file(&all->rules, &in, e);
}

int rule_set_open(const char *const *given, struct rule_set *ret)
{
	struct error named = ERROR_INIT, e = ERROR_INIT;
	int r = 0;

	if (!given || !*given)
		return 0;
	ret->tools = tools_with_rules();
	for (; r == 0 && *given; given++) {
		r = ret->tools->rules->add_named(&ret->rules, *given, &named);
		if (r != -ENOENT) {
			e = named;
			continue;
		}
		r = add_file(ret, *given, &e);
		if (r == -ENOENT)
			error_set(&e, r, "no such file, and %s", error_text(&named));
	}
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", given[-1], error_text(&e));
	return r;
}

void rule_set_close(struct rule_set *set)
{
	if (set->tools)
		set->tools->rules->free(set->rules);
	*set = (struct rule_set){0};
}
