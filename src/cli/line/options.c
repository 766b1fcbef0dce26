/* SPDX-License-Identifier: Zlib */
#include "cli/line/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "cli/line/words.h"
#include "tools/tools.h"

/* Options for fstab, mount(8), systemd, or file systems on disks. dev and suid are ignored: a map
 * holds neither devices nor programs. */
static const char *const ignored[] = {"async", "atime", "auto", "defaults", "dev", "diratime",
	"dirsync", "exec", "group", "iversion", "lazytime", "loud", "mand", "noatime", "noauto",
	"nodev", "nodiratime", "nofail", "noiversion", "nolazytime", "nomand", "norelatime",
	"nostrictatime", "nosuid", "nouser", "nousers", "owner", "relatime", "silent",
	"strictatime", "suid", "sync", "user", "users", "_netdev", NULL};
static const char *const ignored_prefixes[] = {
	"x-", "X-", "comment=", "user=", "uhelper=", "helper=", NULL};

/* Options of libfuse and other FUSE programs that are always on here, or have no effect. */
static const char *const fuse_options[] = {"async_read", "atomic_o_trunc", "auto_cache",
	"auto_unmount", "big_writes", "clone_fd", "default_permissions", "direct_io", "hard_remove",
	"intr", "kernel_cache", "large_read", "no_remote_lock", "noauto_cache", "noforget",
	"nonempty", "nopath", "readdir_ino", "sync_read", "use_ino", NULL};
static const char *const fuse_prefixes[] = {"ac_attr_timeout=", "attr_timeout=", "blksize=",
	"congestion_threshold=", "entry_timeout=", "fsname=", "intr_signal=", "max_background=",
	"max_idle_threads=", "max_read=", "max_readahead=", "max_threads=", "max_write=",
	"negative_timeout=", "remember=", "splice_", "no_splice_", "subtype=", NULL};

uint64_t options_cache_default(uint64_t memory)
{
	const uint64_t most = 256 << 20;

	return memory / 16 < most ? memory / 16 : most;
}

static uint64_t memory_of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

void options_init(struct options *o)
{
	static const char *const none[] = {NULL};

	*o = (struct options){.rq.vfs_options.options = none,
		.rq.security = none,
		.rq.vfs_options.advise = tools_advise};
	o->rq.vfs_options.cache = (size_t)options_cache_default(memory_of_machine());
}

static void free_list(struct option_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

void options_finish(struct options *o)
{
	free_list(&o->format);
	free_list(&o->security);
	options_init(o);
}

/* Parse a number. strtoull alone also takes signs and spaces. */
static int parse_digits(const char *text, int base, uint64_t *ret)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return errno || *end ? -EINVAL : 0;
}

int options_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMG";
	CLEANUP(free) char *number = strdup(text);
	size_t n = strlen(text);
	const char *unit = n ? strchr(units, text[n - 1] & ~0x20) : NULL;
	uint64_t value, factor = 1;

	if (!number)
		return -ENOMEM;
	if (unit && *unit) {
		factor = UINT64_C(1) << (10 * (unit - units + 1));
		number[n - 1] = '\0';
	}
	if (parse_digits(number, 10, &value) < 0 || ckd_mul(&value, value, factor))
		return -EINVAL;
	*ret = value;
	return 0;
}

static bool is_among(const char *option, const char *const *words)
{
	while (*words && strcmp(option, *words) != 0)
		words++;
	return *words;
}

static bool has_prefix(const char *option, const char *const *words)
{
	while (*words && strncmp(option, *words, strlen(*words)) != 0)
		words++;
	return *words;
}

static bool is_ignored(const char *option)
{
	return is_among(option, ignored) || is_among(option, fuse_options) ||
	       has_prefix(option, ignored_prefixes) || has_prefix(option, fuse_prefixes);
}

static bool set_flag(struct mount_request *rq, const char *option)
{
	if (strcmp(option, "ro") == 0)
		rq->vfs_options.read_only = true;
	else if (strcmp(option, "rw") == 0)
		rq->vfs_options.read_only = false;
	else if (strcmp(option, "allow_other") == 0 || strcmp(option, "allow_root") == 0)
		rq->allow_root = rq->allow_other = true;
	else if (strcmp(option, "noexec") == 0)
		rq->noexec = true;
	else
		return false;
	if (strcmp(option, "allow_other") == 0)
		rq->allow_root = false;
	return true;
}

/* Is it an SELinux context, which mount(8) passes to every file system for the kernel? */
static bool is_security(const char *option)
{
	static const char *const prefixes[] = {
		"context=", "fscontext=", "defcontext=", "rootcontext=", NULL};

	return has_prefix(option, prefixes);
}

/* Options with a number, and the message for a wrong value. */
enum { UID, GID, UMASK, FMASK, DMASK, CACHE, NUMBERS };
static const struct number {
	const char *key;
	int base; /* 0: a size */
	uint64_t most;
	const char *wrong;
} numbers[NUMBERS] = {
	/* System calls use the highest uid and gid for "none". */
	[UID] = {"uid", 10, UINT32_MAX - 1, "is not a user ID"},
	[GID] = {"gid", 10, UINT32_MAX - 1, "is not a group ID"},
	[UMASK] = {"umask", 8, 0777, "is not an octal number (at most 777)"},
	[FMASK] = {"fmask", 8, 0777, "is not an octal number (at most 777)"},
	[DMASK] = {"dmask", 8, 0777, "is not an octal number (at most 777)"},
	[CACHE] = {"cache", 0, SIZE_MAX, "is not a size (such as 64M: a number, then K, M or G)"},
};

/* Find an option in numbers. Returns NUMBERS if it is not there. */
static size_t find_number(const char *option)
{
	size_t n = strcspn(option, "="), i = 0;

	while (i < NUMBERS && (strlen(numbers[i].key) != n || strncmp(numbers[i].key, option, n)))
		i++;
	return i;
}

static int set_number(struct vfs_options *how, size_t i, const char *option, struct error *e)
{
	const char *value = strchr(option, '=') + 1;
	const struct number *number = &numbers[i];
	uint64_t n;
	int r = number->base ? parse_digits(value, number->base, &n) : options_size(value, &n);

	if (r < 0 || n > number->most)
		return error_set(e, -EINVAL, "%s %s", option, number->wrong);
	if (i == UID) {
		how->have_uid = true;
		how->uid = (uid_t)n;
	} else if (i == GID) {
		how->have_gid = true;
		how->gid = (gid_t)n;
	} else if (i == CACHE) {
		how->cache = (size_t)n;
	} else {
		how->file_mask = i == DMASK ? how->file_mask : (mode_t)n;
		how->dir_mask = i == FMASK ? how->dir_mask : (mode_t)n;
	}
	return 0;
}

/* Append a copy of an option. *ret is the list for the mount request. */
static int append_option(
	struct option_list *l, const char *option, const char *const **ret, struct error *e)
{
	char **all = realloc(l->v, (l->n + 2) * sizeof(*all));
	char *copy = strdup(option);

	if (all)
		l->v = all;
	if (!all || !copy) {
		free(copy);
		return error_set(e, -ENOMEM, "out of memory");
	}
	all[l->n++] = copy;
	all[l->n] = NULL;
	*ret = (const char *const *)all;
	return 0;
}

static int append_format_option(struct options *o, const char *option, struct error *e)
{
	return append_option(&o->format, option, &o->rq.vfs_options.options, e);
}

/* Append an option with a file name, as an absolute path, because the worker changes directory. */
static int append_path(struct options *o, const char *key, const char *file, struct error *e)
{
	CLEANUP(free) char *path = realpath(file, NULL);
	CLEANUP(free) char *option = path ? text_printf("%s=%s", key, path) : NULL;

	if (!path)
		return error_errno(e, "option %s: %s", key, file);
	return option ? append_format_option(o, option, e) : error_set(e, -ENOMEM, "out of memory");
}

/* Set the error for an option without its value, with a needless value, or unknown. */
static int refuse_option(const char *option, struct error *e)
{
	const struct format_setting *s = words_option(option);
	CLEANUP(free) char *values = s && (s->values || s->max) ? words_values(s) : NULL;
	CLEANUP(free) char *key = strndup(option, strcspn(option, "="));
	struct mount_request rq;

	if (s || find_number(option) < NUMBERS)
		return error_set(e, -EINVAL, "option %s needs a value%s%s%s", option,
			values ? " (" : "", values ? values : "", values ? ")" : "");
	if (key && set_flag(&rq, key))
		return error_set(e, -EINVAL, "option %s takes no value", key);
	return error_set(e, -EINVAL, "unknown option \"%s\"", option);
}

static int parse_format_option(struct options *o, const char *option, struct error *e)
{
	const char *equals = strchr(option, '=');
	CLEANUP(free) char *key = equals ? strndup(option, (size_t)(equals - option)) : NULL;
	const struct format_setting *s = key ? words_option(key) : NULL;
	CLEANUP(free) char *values = NULL;

	if (!s)
		return refuse_option(option, e);
	if (!s->values && !s->max)
		return append_path(o, key, equals + 1, e);
	if (words_value_known(s, equals + 1))
		return append_format_option(o, option, e);
	values = words_values(s);
	return error_set(e, -EINVAL, "option %s: invalid value \"%s\" (must be %s)", key,
		equals + 1, values ? values : "as in the manual");
}

static int parse_option(struct options *o, const char *option, struct error *e)
{
	size_t number = find_number(option);

	if (!option[0] || is_ignored(option) || set_flag(&o->rq, option))
		return 0;
	if (is_security(option))
		return append_option(&o->security, option, &o->rq.security, e);
	return number < NUMBERS && strchr(option, '=')
		       ? set_number(&o->rq.vfs_options, number, option, e)
		       : parse_format_option(o, option, e);
}

int options_add(struct options *o, const char *list, struct error *e)
{
	CLEANUP(free) char *option = malloc(strlen(list) + 1);
	bool quoted = false;
	size_t n = 0;
	int r = 0;

	if (!option)
		return error_set(e, -ENOMEM, "out of memory");
	for (const char *c = list; r == 0; c++) {
		if (c[0] == '\\' && (c[1] == ',' || c[1] == '\\')) {
			option[n++] = *++c;
			continue;
		}
		option[n] = '\0';
		/* context="user:role:type:s0:c1,c2": the kernel removes the quotes. */
		quoted ^= *c == '"' && is_security(option);
		if (*c && (quoted || *c != ',')) {
			option[n++] = *c;
			continue;
		}
		n = 0;
		r = parse_option(o, option, e);
		if (!*c)
			break;
	}
	return r;
}
