/* SPDX-License-Identifier: Zlib */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/disk/io.h"
#include "base/print.h"
#include "cli/line/command.h"
#include "vfs/journal/journal.h"
#include "vfs/offline/place.h"
#include "vfs/offline/recover.h"

static void print_journal(void *arg, const struct journal_info *i)
{
	size_t *n = arg;

	++*n;
	print_line(stdout, "%s: %s, %u %s, %u %s%s%s%s%s", i->file,
		i->is_set_aside ? "set aside"
		: i->fits       ? "fits the map"
				: "for another version of the map",
		i->changes, i->changes == 1 ? "change" : "changes", i->drafts,
		i->drafts == 1 ? "refused file" : "refused files", i->damaged ? ", damaged" : "",
		i->torn ? ", its end is incomplete" : "", i->busy ? ", in use by a mount" : "",
		i->is_untrusted ? ", not trusted: a mount does not use it" : "");
}

/* Print that there is no journal, or fail if the named file does not exist or is a folder. */
static int print_no_journal(int dirfd, const char *name, struct error *e)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, 0) < 0)
		return error_set(e, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(e, -EISDIR, "is a folder");
	puts("no journal");
	return 0;
}

static int list_journals(int dirfd, const char *name, struct error *e)
{
	size_t n = 0;
	int r = journal_list(dirfd, name, print_journal, &n, e);

	return r == 0 && n == 0 ? print_no_journal(dirfd, name, e) : r;
}

static void add_file_name(void *arg, const struct journal_info *i)
{
	(void)names_add(arg, i->file);
}

static void print_file(void *arg, const char *path, const char *what)
{
	print_line(stdout, "%s%s: %s", (const char *)arg, path, what);
}

/* Open a directory, and create it if necessary. Returns a descriptor or -errno. */
static int make_directory(int dirfd, const char *path, struct error *e)
{
	int r = io_mkdir(dirfd, path, 0777);

	if (r < 0 && r != -EEXIST)
		return error_set(e, r, "cannot create %s: %s", path, strerror(-r));
	r = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return r < 0 ? error_errno(e, "%s", path) : r;
}

static int extract_to_subdirectory(int dirfd, const char *file, int out, struct error *e)
{
	CLEANUP(close_fd) int below = make_directory(out, file, e);
	CLEANUP(free) char *prefix = text_printf("%s/", file);

	if (below < 0)
		return below;
	return prefix ? recover_extract(dirfd, file, below, print_file, prefix, e)
		      : error_set(e, -ENOMEM, "out of memory");
}

/* Extract the files of one journal into the directory; of several, each into a subdirectory. */
static int extract_journals(int dirfd, const char *name, const char *to, struct error *e)
{
	CLEANUP(close_fd) int out = -1;
	CLEANUP_NAMES struct names names = {0};
	char nothing[] = "";
	int r = journal_list(dirfd, name, add_file_name, &names, e);

	if (r == 0 && names.error)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0 && names.n == 0)
		r = print_no_journal(dirfd, name, e);
	else if (r == 0)
		r = out = make_directory(AT_FDCWD, to, e);
	if (r >= 0 && names.n == 1)
		r = recover_extract(dirfd, names.items[0], out, print_file, nothing, e);
	for (size_t i = 0; r >= 0 && names.n > 1 && i < names.n; i++)
		r = extract_to_subdirectory(dirfd, names.items[i], out, e);
	return r < 0 ? r : 0;
}

/* Set the umask so that extracted files have no more permissions than the map. */
static void set_umask(int dirfd, const char *name)
{
	mode_t mode = 0600, mask = umask(0);
	struct stat st;

	if (fstatat(dirfd, name, &st, 0) == 0)
		mode |= st.st_mode & 0666;
	mode |= (mode & 0444) >> 2;
	(void)umask(mask | (0777 & ~mode));
}

struct recover {
	struct command command;
	bool is_list;
	const char *directory;
};

static int run_recover(struct command *c)
{
	const char *file = c->names[0], *to = ((struct recover *)c)->directory;
	CLEANUP(close_fd) int dirfd = -1;
	CLEANUP(free) char *name = NULL;
	struct error e = ERROR_INIT;
	int r;

	if (to && !to[0])
		return cli_usage("recover: empty name");
	if (to && ((struct recover *)c)->is_list)
		return cli_usage("recover: --list cannot be used with --extract");
	r = place_resolve(file, true, &dirfd, &name, &e);
	if (r == 0 && to)
		set_umask(dirfd, name);
	if (r == 0)
		r = to ? extract_journals(dirfd, name, to, &e) : list_journals(dirfd, name, &e);
	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", file, error_text(&e));
		return OUTCOME_REFUSED;
	}
	return OUTCOME_DONE;
}

static const struct command_option options[] = {
	{"extract", '\0', COMMAND_TEXT, offsetof(struct recover, directory)},
	{"list", '\0', COMMAND_FLAG, offsetof(struct recover, is_list)}, {0}};

const struct command_line cli_recover = {.options = options,
	.min_names = 1,
	.max_names = 1,
	.operands = "one file",
	.is_bare = true,
	.size = sizeof(struct recover),
	.run = run_recover};
