/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/disk/mountinfo.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "cli/line/words.h"
#include "cli/unmount/states.h"
#include "fuse/lifecycle/launch.h"

static int refuse_file(enum outcome code, const char *file, const char *why)
{
	print_line(stderr, "mapfs: %s: %s", file, why);
	return (int)code;
}

/* Make a path absolute without resolving links. Returns NULL with errno set on failure. */
static char *make_absolute(const char *path)
{
	CLEANUP(free) char *cwd = NULL;
	char *whole;

	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&whole, "%s/%s", cwd, path) < 0)
		return NULL;
	return whole;
}

/* The default mount point: the path of the file without its ending, or of the folder with ".mapfs"
 * appended. The caller frees it. NULL with errno set on failure: EINVAL if a file has no ending.
 */
static char *default_mountpoint(const char *file, bool folder)
{
	CLEANUP(free) char *point = make_absolute(file);
	char *base, *dot;

	if (!point)
		return NULL;
	if (folder)
		return asprintf(&base, "%s.mapfs", point) < 0 ? NULL : base;
	base = strrchr(point, '/') + 1;
	dot = strrchr(base, '.');
	if (!dot || dot == base) {
		errno = EINVAL;
		return NULL;
	}
	*dot = '\0';
	return TAKE(point);
}

/* The path of a new file, with its directory resolved. NULL with errno set on failure. */
static char *resolve_new_path(const char *file)
{
	CLEANUP(free) char *whole = make_absolute(file), *dir = NULL;
	char *slash = whole ? strrchr(whole, '/') : NULL;
	char *path;

	if (!slash)
		return NULL;
	*slash = '\0';
	dir = realpath(*whole ? whole : "/", NULL);
	if (!dir || asprintf(&path, "%s/%s", strcmp(dir, "/") ? dir : "", slash + 1) < 0)
		return NULL;
	return path;
}

/* Refuse a folder that is inside a mount of mapfs. Returns the exit code. */
static int check_folder(const char *file, dev_t dev)
{
	struct mount_entry entry;
	char device[sizeof(entry.dev)];

	snprintf(device, sizeof(device), "%u:%u", major(dev), minor(dev));
	if (mountinfo_find_mapfs(MOUNTINFO, device, NULL, &entry) < 0)
		return OUTCOME_DONE;
	print_line(stderr, "mapfs: %s: is not a folder of maps, but a mount of %s at %s", file,
		entry.source, entry.point);
	return OUTCOME_REFUSED;
}

static int check_file(const char *file, const char *path, bool create, bool *ret_folder)
{
	struct stat st;

	if (create) {
		if (lstat(path, &st) == 0)
			return refuse_file(
				OUTCOME_REFUSED, file, "already exists (--new creates a file)");
		return errno == ENOENT ? OUTCOME_DONE
				       : refuse_file(OUTCOME_REFUSED, file, strerror(errno));
	}
	if (stat(path, &st) < 0)
		return refuse_file(OUTCOME_REFUSED, file, strerror(errno));
	*ret_folder = S_ISDIR(st.st_mode);
	if (!*ret_folder && !S_ISREG(st.st_mode))
		return refuse_file(OUTCOME_REFUSED, file, "is neither a regular file nor a folder");
	return *ret_folder ? check_folder(file, st.st_dev) : OUTCOME_DONE;
}

/* Is the map or folder mounted at the directory, with a living worker? */
static bool is_mounted_at(const char *path, const char *directory)
{
	CLEANUP(free) char *point = realpath(directory, NULL);
	struct mount_entry entry;
	struct statvfs st;

	return point && mountinfo_find_point(MOUNTINFO, point, &entry) == 0 && entry.is_mapfs &&
	       strcmp(entry.source, path) == 0 && (statvfs(point, &st) == 0 || errno != ENOTCONN);
}

/* The message for errno, of a file that was not found. Its name may be a mistyped command. */
static const char *describe_missing(const char *file)
{
	return errno == ENOENT && !strpbrk(file, "/.")
		       ? strcmp(file, "new") == 0
				 ? "No such file, folder or command (use mapfs --new FILE to "
				   "create a map)"
				 : "No such file, folder or command (see mapfs --help)"
		       : strerror(errno);
}

/* Mount a file with the options o. mountpoint is NULL for the default. The paths that it sets in
 * o->rq are valid during this call only. Returns the exit code. */
static int mount_at(struct options *o, const char *file, const char *mountpoint)
{
	bool create = o->rq.create;
	CLEANUP(free) char *point = NULL;
	CLEANUP(free) char *path = create ? resolve_new_path(file) : realpath(file, NULL);
	int r = path ? check_file(file, path, create, &o->rq.is_folder)
		     : refuse_file(OUTCOME_REFUSED, file, describe_missing(file));

	if (r != OUTCOME_DONE)
		return r;
	point = mountpoint ? make_absolute(mountpoint)
			   : default_mountpoint(o->rq.is_folder ? path : file, o->rq.is_folder);
	if (!point)
		return refuse_file(OUTCOME_MOUNT, file,
			errno == EINVAL ? "the name has no ending; name a mount point"
					: strerror(errno));
	if (!mountpoint && !create && is_mounted_at(path, point)) {
		print_line(stderr, "mapfs: %s: already mounted at %s", file, point);
		return OUTCOME_BUSY;
	}
	if (o->rq.allow_root) {
		o->rq.vfs_options.file_mask |= 077;
		o->rq.vfs_options.dir_mask |= 077;
	}
	o->rq.display_name = file;
	o->rq.path = path;
	o->rq.mountpoint = point;
	o->rq.make_mountpoint = !mountpoint;
	return (int)launch(&o->rq);
}

/* The command line of mapfs, mapfs mount and mapfs umount. */
struct mapfs {
	struct command command;
	struct unmount_options umount;
	const char *format;
	bool unmount, version, foreground, create;
};

static int run_unmount(struct mapfs *m)
{
	struct command *c = &m->command;

	if (m->foreground || m->create || m->format || c->has_options)
		return cli_usage("-u can be used with --force, --discard and -v only");
	if (c->n_names < 1)
		return cli_usage("-u needs a mount point or a mounted map");
	for (int i = 0; i < c->n_names; i++)
		if (!c->names[i][0])
			return cli_usage("-u: empty name");
	return cli_umount(c->names, (size_t)c->n_names, &m->umount);
}

static int run_mount(struct mapfs *m)
{
	struct mount_request *rq = &m->command.options.rq;
	char **names = m->command.names;
	int n = m->command.n_names;

	if (m->umount.force || m->umount.discard)
		return cli_usage("--%s needs -u", m->umount.force ? "force" : "discard");
	if (m->format && !m->create)
		return cli_usage("--format needs --new");
	if (n < 1)
		return cli_usage("no file given");
	if (!names[0][0] || (n == 2 && !names[1][0]))
		return cli_usage(
			"the name of the %s is empty", names[0][0] ? "mount point" : "file");
	if (n > 2)
		return cli_usage("too many arguments: \"%s\"", names[2]);
	rq->debug = m->command.debug;
	rq->foreground = m->foreground || rq->debug;
	rq->create = m->create;
	rq->format = m->format;
	return mount_at(&m->command.options, names[0], n == 2 ? names[1] : NULL);
}

static int run_mapfs(struct command *c)
{
	struct mapfs *m = (struct mapfs *)c;
	CLEANUP(free) char *known = NULL;

	if (m->version) {
		puts("mapfs " MAPFS_VERSION);
		return OUTCOME_DONE;
	}
	if (m->format && !words_format_known(m->format)) {
		known = words_formats();
		return cli_usage("unknown format %s (must be %s)", m->format,
			known ? known : "as in the manual");
	}
	return m->unmount || (c->name && strcmp(c->name, "umount") == 0) ? run_unmount(m)
									 : run_mount(m);
}

static const struct command_option options[] = {
	{"discard", '\0', COMMAND_FLAG, offsetof(struct mapfs, umount.discard)},
	{"force", '\0', COMMAND_FLAG, offsetof(struct mapfs, umount.force)},
	{"foreground", 'f', COMMAND_FLAG, offsetof(struct mapfs, foreground)},
	{"format", '\0', COMMAND_TEXT, offsetof(struct mapfs, format)},
	{"new", '\0', COMMAND_FLAG, offsetof(struct mapfs, create)},
	{"unmount", 'u', COMMAND_FLAG, offsetof(struct mapfs, unmount)},
	{"verbose", 'v', COMMAND_FLAG, offsetof(struct mapfs, umount.verbose)},
	{"version", 'V', COMMAND_FLAG, offsetof(struct mapfs, version)}, {0}};

const struct command_line cli_mapfs = {.options = options,
	.n_may_be_empty = INT_MAX,
	.size = sizeof(struct mapfs),
	.run = run_mapfs};

/* For mount(8): mount.fuse.mapfs FILE MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t type] */
int cli_mount_helper(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct options o;
	bool fake = false;
	int c, r = OUTCOME_DONE;

	options_init(&o);
	opterr = 0;
	while (r == OUTCOME_DONE && (c = getopt(argc, argv, "sfnvN:o:t:")) != -1) {
		if (c == 'f')
			fake = true;
		else if (c == 'o')
			r = options_add(&o, optarg, &e) < 0 ? cli_usage("-o: %s", error_text(&e))
							    : OUTCOME_DONE;
		else if (c == 'N')
			r = cli_usage("-N: other mount namespaces are not supported");
		else if (c == '?')
			r = cli_usage("unknown option -%c", optopt);
	}
	if (r == OUTCOME_DONE && argc - optind != 2)
		r = cli_usage("%s takes a file and a mount point", argv[0]);
	if (r == OUTCOME_DONE && !fake)
		r = mount_at(&o, argv[optind], argv[optind + 1]);
	options_finish(&o);
	return r;
}
