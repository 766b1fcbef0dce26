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

/* What fstab and mount(8) say to themselves, to systemd, or to file systems on disks. dev and suid
 * are never granted, whoever asks: a map holds neither devices nor programs. */
static const char *const swallowed[] = {"async", "atime", "auto", "defaults", "dev", "diratime",
	"dirsync", "exec", "group", "iversion", "lazytime", "loud", "mand", "noatime", "noauto",
	"nodev", "nodiratime", "nofail", "noiversion", "nolazytime", "nomand", "norelatime",
	"nostrictatime", "nosuid", "nouser", "nousers", "owner", "relatime", "silent",
	"strictatime", "suid", "sync", "user", "users", "_netdev", NULL};
static const char *const swallowed_prefixes[] = {
	"x-", "X-", "comment=", "user=", "uhelper=", "helper=", NULL};

/* What other FUSE programs, or libfuse, take: what is always so here, or without effect. */
static const char *const fuse_options[] = {"async_read", "atomic_o_trunc", "auto_cache",
	"auto_unmount", "big_writes", "clone_fd", "default_permissions", "hard_remove", "intr",
	"kernel_cache", "large_read", "no_remote_lock", "noauto_cache", "nonempty", "nopath",
	"readdir_ino", "sync_read", "use_ino", NULL};
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

	*o = (struct options){.rq.how.options = none};
	o->rq.how.cache = (size_t)options_cache_default(memory_of_machine());
}

void options_finish(struct options *o)
{
	for (size_t i = 0; i < o->n_format_options; i++)
		free(o->format_options[i]);
	free(o->format_options);
	options_init(o);
}

/* A number in the given base and nothing else: strtoull alone takes signs and spaces too. */
static int number(const char *text, int base, uint64_t max, uint64_t *ret)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return errno || *end || *ret > max ? -EINVAL : 0;
}

int options_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMG";
	CLEANUP(free) char *digits = strdup(text);
	size_t n = strlen(text);
	const char *unit = n ? strchr(units, text[n - 1] & ~0x20) : NULL;
	uint64_t value, factor = 1;

	if (!digits)
		return -ENOMEM;
	if (unit && *unit) {
		factor = UINT64_C(1) << (10 * (unit - units + 1));
		digits[n - 1] = '\0';
	}
	if (number(digits, 10, UINT64_MAX, &value) < 0 || ckd_mul(&value, value, factor))
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

static bool begins_with_one(const char *option, const char *const *words)
{
	while (*words && strncmp(option, *words, strlen(*words)) != 0)
		words++;
	return *words;
}

static bool is_swallowed(const char *option)
{
	return is_among(option, swallowed) || is_among(option, fuse_options) ||
	       begins_with_one(option, swallowed_prefixes) ||
	       begins_with_one(option, fuse_prefixes);
}

static bool is_flag(struct mount_request *rq, const char *option)
{
	if (strcmp(option, "ro") == 0)
		rq->how.read_only = true;
	else if (strcmp(option, "rw") == 0)
		rq->how.read_only = false;
	else if (strcmp(option, "allow_other") == 0)
		rq->allow_other = true;
	else if (strcmp(option, "noexec") == 0)
		rq->noexec = true;
	else
		return false;
	return true;
}

/* The value where option is "key=value"; NULL where it is something else. */
static const char *value_of(const char *option, const char *key)
{
	size_t n = strlen(key);

	return strncmp(option, key, n) == 0 && option[n] == '=' ? option + n + 1 : NULL;
}

/* All of these: 1: taken; 0: none of these; or -errno. */
static int take_mask(struct mount_request *rq, const char *option, struct error *e)
{
	static const char *const keys[] = {"umask", "fmask", "dmask"};
	const char *value = NULL;
	uint64_t n;
	size_t i = 0;

	while (i < 3 && !(value = value_of(option, keys[i])))
		i++;
	if (!value)
		return 0;
	if (number(value, 8, 0777, &n) < 0)
		return error_set(e, -EINVAL, "%s=%s is not octal and at most 777", keys[i], value);
	if (i != 2)
		rq->how.file_mask = (mode_t)n;
	if (i != 1)
		rq->how.dir_mask = (mode_t)n;
	return 1;
}

static int take_number(struct mount_request *rq, const char *option, struct error *e)
{
	const char *value;
	uint64_t n;

	/* The highest number of each stands for "none" in the system's calls. */
	if ((value = value_of(option, "uid"))) {
		if (number(value, 10, UINT32_MAX - 1, &n) < 0)
			return error_set(e, -EINVAL, "uid=%s is not a user's number", value);
		rq->how.have_uid = true;
		rq->how.uid = (uid_t)n;
	} else if ((value = value_of(option, "gid"))) {
		if (number(value, 10, UINT32_MAX - 1, &n) < 0)
			return error_set(e, -EINVAL, "gid=%s is not a group's number", value);
		rq->how.have_gid = true;
		rq->how.gid = (gid_t)n;
	} else if ((value = value_of(option, "cache"))) {
		if (options_size(value, &n) < 0 || n > SIZE_MAX)
			return error_set(e, -EINVAL,
				"cache=%s is not a size such as 64M (a number, then K, M or G)",
				value);
		rq->how.cache = (size_t)n;
	} else {
		return take_mask(rq, option, e);
	}
	return 1;
}

static int keep_format_option(struct options *o, const char *option, struct error *e)
{
	char **all = realloc(o->format_options, (o->n_format_options + 2) * sizeof(*all));
	char *copy = strdup(option);

	if (all)
		o->format_options = all;
	if (!all || !copy) {
		free(copy);
		return error_set(e, -ENOMEM, "out of memory");
	}
	all[o->n_format_options++] = copy;
	all[o->n_format_options] = NULL;
	o->rq.how.options = (const char *const *)all;
	return 0;
}

/* The name of a file, as a path that holds wherever the program goes on. */
static int keep_path(struct options *o, const char *key, const char *file, struct error *e)
{
	CLEANUP(free) char *path = realpath(file, NULL);
	CLEANUP(free) char *option = path ? text_printf("%s=%s", key, path) : NULL;

	if (!path)
		return error_errno(e, "option %s: %s", key, file);
	return option ? keep_format_option(o, option, e) : error_set(e, -ENOMEM, "out of memory");
}

/* One that is known with a value has none, or the other way round; or it is known to nobody. */
static int refuse(const char *option, struct error *e)
{
	static const char *const numbers[] = {
		"cache", "dmask", "fmask", "gid", "uid", "umask", NULL};
	const struct format_setting *s = words_option(option);
	CLEANUP(free) char *values = s && (s->values || s->most) ? words_values(s) : NULL;
	CLEANUP(free) char *key = strndup(option, strcspn(option, "="));
	struct mount_request rq;

	if (s || is_among(option, numbers))
		return error_set(e, -EINVAL, "option %s needs a value%s%s%s", option,
			values ? " (" : "", values ? values : "", values ? ")" : "");
	if (key && is_flag(&rq, key))
		return error_set(e, -EINVAL, "option %s takes no value", key);
	return error_set(e, -EINVAL, "unknown option \"%s\"", option);
}

static int take_format_option(struct options *o, const char *option, struct error *e)
{
	const char *equals = strchr(option, '=');
	CLEANUP(free) char *key = equals ? strndup(option, (size_t)(equals - option)) : NULL;
	const struct format_setting *s = key ? words_option(key) : NULL;
	CLEANUP(free) char *values = NULL;

	if (!s)
		return refuse(option, e);
	if (!s->values && !s->most)
		return keep_path(o, key, equals + 1, e);
	if (words_value_known(s, equals + 1))
		return keep_format_option(o, option, e);
	values = words_values(s);
	return error_set(e, -EINVAL, "option %s has no value \"%s\" (%s)", key, equals + 1,
		values ? values : "see the manual");
}

static int take(struct options *o, const char *option, struct error *e)
{
	int r;

	if (!option[0] || is_swallowed(option) || is_flag(&o->rq, option))
		return 0;
	r = take_number(&o->rq, option, e);
	if (r)
		return r < 0 ? r : 0;
	return take_format_option(o, option, e);
}

int options_add(struct options *o, const char *list, struct error *e)
{
	CLEANUP(free) char *option = malloc(strlen(list) + 1);
	size_t n = 0;
	int r = 0;

	if (!option)
		return error_set(e, -ENOMEM, "out of memory");
	for (const char *c = list; r == 0; c++) {
		if (c[0] == '\\' && (c[1] == ',' || c[1] == '\\')) {
			option[n++] = *++c;
			continue;
		}
		if (*c && *c != ',') {
			option[n++] = *c;
			continue;
		}
		option[n] = '\0';
		n = 0;
		r = take(o, option, e);
		if (!*c)
			break;
	}
	return r;
}
