/* SPDX-License-Identifier: Zlib */
#include "cli/mount.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "cli/cli.h"
#include "cli/target.h"
#include "cli/umount.h"
#include "cli/words.h"
#include "fuse/launch.h"

static int refuse(enum outcome code, const char *file, const char *why)
{
	say(stderr, "mapfs: %s: %s", file, why);
	return (int)code;
}

/* path as seen from the root; nothing is resolved. NULL with errno set. */
static char *absolute(const char *path)
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

char *mount_default_point(const char *file, bool folder)
{
	CLEANUP(free) char *point = absolute(file);
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

/* The path that a file will have: its directory resolved. NULL with errno set. */
static char *future_path(const char *file)
{
	CLEANUP(free) char *whole = absolute(file), *dir = NULL;
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

/* A directory that a mount of mapfs shows is no folder of maps. */
static int check_folder(const char *file, dev_t dev)
{
	struct mount_entry entry;
	char device[sizeof(entry.dev)];

	snprintf(device, sizeof(device), "%u:%u", major(dev), minor(dev));
	if (mountinfo_find_device(MOUNTINFO, device, &entry) < 0 || !entry.mapfs)
		return OUTCOME_DONE;
	say(stderr, "mapfs: %s: is no folder of maps: it shows %s, which is mounted at %s", file,
		entry.source, entry.point);
	return OUTCOME_REFUSED;
}

static int check_file(const char *file, const char *path, bool create, bool *ret_folder)
{
	struct stat st;

	if (create) {
		if (lstat(path, &st) == 0)
			return refuse(OUTCOME_REFUSED, file, "exists already (--new makes a file)");
		return errno == ENOENT ? OUTCOME_DONE
				       : refuse(OUTCOME_REFUSED, file, strerror(errno));
	}
	if (stat(path, &st) < 0)
		return refuse(OUTCOME_REFUSED, file, strerror(errno));
	*ret_folder = S_ISDIR(st.st_mode);
	if (!*ret_folder && !S_ISREG(st.st_mode))
		return refuse(OUTCOME_REFUSED, file, "is neither a regular file nor a folder");
	return *ret_folder ? check_folder(file, st.st_dev) : OUTCOME_DONE;
}

/* Is what stands at the directory beside the map the map itself, and alive? */
static bool stands_at(const char *path, const char *beside)
{
	CLEANUP(free) char *point = realpath(beside, NULL);
	struct targets mounts = {0};
	bool found = false;
	struct statvfs st;

	if (point && targets_add(&mounts, path) == 0)
		for (size_t i = 0; i < mounts.n; i++)
			found |= mounts.all[i].point && strcmp(mounts.all[i].point, point) == 0;
	targets_finish(&mounts);
	return found && (statvfs(point, &st) == 0 || errno != ENOTCONN);
}

/* A file that is not there may have been meant for a command. */
static const char *why_not_found(const char *file)
{
	return errno == ENOENT && !strpbrk(file, "/.")
		       ? "No such file, folder or command (see mapfs --help)"
		       : strerror(errno);
}

int mount_run(struct options *o, const char *file, const char *mountpoint)
{
	bool create = o->rq.create;
	CLEANUP(free) char *point = NULL;
	CLEANUP(free) char *path = create ? future_path(file) : realpath(file, NULL);
	int r = path ? check_file(file, path, create, &o->rq.folder)
		     : refuse(OUTCOME_REFUSED, file, why_not_found(file));

	if (r != OUTCOME_DONE)
		return r;
	point = mountpoint ? absolute(mountpoint)
			   : mount_default_point(o->rq.folder ? path : file, o->rq.folder);
	if (!point)
		return refuse(OUTCOME_MOUNT, file,
			errno == EINVAL ? "the name has no ending to leave out; name a mount point"
					: strerror(errno));
	if (!mountpoint && !create && stands_at(path, point)) {
		say(stderr, "mapfs: %s: is mounted already, at %s", file, point);
		return OUTCOME_BUSY;
	}
	o->rq.shown = file;
	o->rq.path = path;
	o->rq.mountpoint = point;
	o->rq.make_mountpoint = !mountpoint;
	return (int)launch(&o->rq);
}

/* What the command line of `mapfs` itself says. */
struct command {
	const char *name; /* "mount", "umount", or NULL */
	struct options options;
	struct ending ending;
	bool unmount, help, version;
	bool mounts; /* an option that only a mount has was given */
};

enum { OPTION_FORCE = 256, OPTION_DISCARD, OPTION_NEW, OPTION_FORMAT };

static const char short_options[] = ":dfho:uvV";

static const struct option long_options[] = {
	{"debug", no_argument, NULL, 'd'},
	{"discard", no_argument, NULL, OPTION_DISCARD},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"foreground", no_argument, NULL, 'f'},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"help", no_argument, NULL, 'h'},
	{"new", no_argument, NULL, OPTION_NEW},
	{"unmount", no_argument, NULL, 'u'},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static int take_mount_options(struct options *o, const char *list)
{
	struct error e = ERROR_INIT;

	if (options_add(o, list, &e) < 0)
		return cli_usage("-o: %s", error_text(&e));
	return OUTCOME_DONE;
}

static int take_format(struct command *c, const char *name)
{
	CLEANUP(free) char *known = NULL;

	if (words_format_known(name)) {
		c->options.rq.format = name;
		return OUTCOME_DONE;
	}
	known = words_formats();
	return cli_usage("--format=%s: the formats are %s", name, known ? known : "in the manual");
}

static int parse_option(struct command *c, int option, char **argv)
{
	switch (option) {
	case 'd':
		c->options.rq.debug = true;
		c->options.rq.foreground = true;
		return OUTCOME_DONE;
	case 'f':
		c->mounts = true;
		c->options.rq.foreground = true;
		return OUTCOME_DONE;
	case 'h':
		c->help = true;
		return OUTCOME_DONE;
	case 'o':
		c->mounts = true;
		return take_mount_options(&c->options, optarg);
	case 'u':
		c->unmount = true;
		return OUTCOME_DONE;
	case 'v':
		c->ending.verbose = true;
		return OUTCOME_DONE;
	case 'V':
		c->version = true;
		return OUTCOME_DONE;
	case OPTION_FORCE:
		c->ending.force = true;
		return OUTCOME_DONE;
	case OPTION_DISCARD:
		c->ending.discard = true;
		return OUTCOME_DONE;
	case OPTION_NEW:
		c->mounts = true;
		c->options.rq.create = true;
		return OUTCOME_DONE;
	case OPTION_FORMAT:
		c->mounts = true;
		return take_format(c, optarg);
	default:
		return cli_refuse_option(NULL, option, short_options, argv[optind - 1]);
	}
}

static void print_help(const struct command *c, FILE *out)
{
	if (c->name)
		cli_print_command_help(out, c->name);
	else
		cli_print_help(out);
}

static int run_command(struct command *c, int n, char **names)
{
	if (c->help) {
		print_help(c, stdout);
		return OUTCOME_DONE;
	}
	if (c->version) {
		puts("mapfs " MAPFS_VERSION);
		return OUTCOME_DONE;
	}
	if (c->unmount) {
		if (c->mounts)
			return cli_usage("-u goes with --force, --discard and -v only");
		if (n < 1)
			return cli_usage("-u takes mount points, or maps that are mounted");
		for (int i = 0; i < n; i++)
			if (!names[i][0])
				return cli_usage("-u: an empty name");
		return umount_run(names, (size_t)n, &c->ending);
	}
	if (c->ending.force || c->ending.discard)
		return cli_usage("--%s goes with -u", c->ending.force ? "force" : "discard");
	if (c->options.rq.format && !c->options.rq.create)
		return cli_usage("--format goes with --new");
	if (n < 1)
		return cli_usage("no file was named");
	if (!names[0][0] || (n == 2 && !names[1][0]))
		return cli_usage(
			"the name of the %s is empty", names[0][0] ? "mount point" : "file");
	if (n > 2)
		return cli_usage("too many arguments: \"%s\"", names[2]);
	return mount_run(&c->options, names[0], n == 2 ? names[1] : NULL);
}

static int run(const char *name, int argc, char **argv)
{
	struct command c = {.name = name, .unmount = name && strcmp(name, "umount") == 0};
	int option, r = OUTCOME_DONE;

	if (argc < 2) {
		print_help(&c, stderr);
		return OUTCOME_USAGE;
	}
	options_init(&c.options);
	opterr = 0;
	/* Options may stand after the names, where mount(8) puts them. */
	while (r == OUTCOME_DONE &&
		(option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
		r = parse_option(&c, option, argv);
	if (r == OUTCOME_DONE)
		r = run_command(&c, argc - optind, argv + optind);
	options_finish(&c.options);
	return r;
}

int cli_mapfs(int argc, char **argv)
{
	return run(NULL, argc, argv);
}

int cli_mount(int argc, char **argv)
{
	return run("mount", argc - 1, argv + 1);
}

int cli_umount(int argc, char **argv)
{
	return run("umount", argc - 1, argv + 1);
}

/* mount(8): mount.fuse.mapfs FILE MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t type] */
int cli_mount_helper(int argc, char **argv)
{
	struct options o;
	bool fake = false;
	int c, r = OUTCOME_DONE;

	options_init(&o);
	opterr = 0;
	while (r == OUTCOME_DONE && (c = getopt(argc, argv, "sfnvN:o:t:")) != -1) {
		if (c == 'f')
			fake = true;
		else if (c == 'o')
			r = take_mount_options(&o, optarg);
		else if (c == 'N')
			r = cli_usage("-N: cannot reach into another mount namespace");
		else if (c == '?')
			r = cli_usage("unknown option -%c", optopt);
	}
	if (r == OUTCOME_DONE && argc - optind != 2)
		r = cli_usage("%s takes a file and a mount point", argv[0]);
	if (r == OUTCOME_DONE && !fake)
		r = mount_run(&o, argv[optind], argv[optind + 1]);
	options_finish(&o);
	return r;
}
