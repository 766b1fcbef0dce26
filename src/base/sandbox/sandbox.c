/* SPDX-License-Identifier: Zlib */
#include "base/sandbox/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sandbox/capability.h"
#include "base/sandbox/filter.h"

/* Missing in the headers of older kernels. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP    (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)
#endif

#define ACCESS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define ACCESS_WRITE                                                                               \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                           \
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                     \
		LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER |                           \
		LANDLOCK_ACCESS_FS_TRUNCATE)
#define ACCESS_FILE                                                                                \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define ACCESS_OTHER                                                                               \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                               \
		LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                      \
		LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |                      \
		LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* The kernel's struct landlock_ruleset_attr as of ABI 6. Older kernels accept it if the members
 * that they do not know are zero. */
struct ruleset {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

struct notes {
	void (*fn)(void *arg, const char *line);
	void *arg;
};

static void report_lack(const struct notes *notes, const char *line)
{
	notes->fn(notes->arg, line);
}

/* Everything that Landlock restricts as of ABI 6. */
static const struct ruleset all_rules = {
	.fs = ACCESS_READ | ACCESS_WRITE | ACCESS_OTHER,
	.net = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP,
	.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL,
};

/* The ABI that added each restriction, and how an older one behaves. Before ABI 2 a sandbox forbids
 * all renames between directories. */
static const struct {
	long abi;
	struct ruleset rules;
	const char *limitation;
} additions[] = {
	{2, {.fs = LANDLOCK_ACCESS_FS_REFER}, "forbids renames between directories"},
	{3, {.fs = LANDLOCK_ACCESS_FS_TRUNCATE}, "does not restrict truncation"},
	{4, {.net = ~UINT64_C(0)}, "does not restrict the network"},
	{5, {.fs = LANDLOCK_ACCESS_FS_IOCTL_DEV}, "does not restrict ioctls of devices"},
	{6, {.scoped = ~UINT64_C(0)}, "does not restrict signals"},
};

static struct ruleset select_rules(long abi, const struct notes *notes)
{
	struct ruleset rules = all_rules;
	char line[80];

	for (size_t i = 0; i < sizeof(additions) / sizeof(additions[0]); i++) {
		if (abi >= additions[i].abi)
			continue;
		rules.fs &= ~additions[i].rules.fs;
		rules.net &= ~additions[i].rules.net;
		rules.scoped &= ~additions[i].rules.scoped;
		snprintf(line, sizeof(line), "this kernel's Landlock %s", additions[i].limitation);
		report_lack(notes, line);
	}
	return rules;
}

static uint64_t access_of(unsigned flags)
{
	if (flags & SANDBOX_REMOVE_EMPTY_DIRS)
		return LANDLOCK_ACCESS_FS_REMOVE_DIR;
	return ACCESS_READ | (flags & SANDBOX_WRITABLE ? ACCESS_WRITE : 0);
}

/* Add a rule. In a rule for a file, the kernel refuses access rights for directories. */
static int add_rule(int fd, const struct sandbox_rule *rule, uint64_t known, struct error *e)
{
	struct landlock_path_beneath_attr beneath = {.parent_fd = rule->fd};
	uint64_t access = access_of(rule->flags);
	struct stat st;

	if (fstat(rule->fd, &st) < 0)
		return error_errno(e, "Landlock: cannot stat a path");
	beneath.allowed_access = access & known & (S_ISDIR(st.st_mode) ? access : ACCESS_FILE);
	if (syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0U) < 0)
		return error_errno(e, "Landlock: cannot allow a path");
	return 0;
}

static int restrict_files(
	const struct sandbox_rule *open, size_t n, const struct notes *notes, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;
	struct ruleset rules;
	int r = 0;
	long abi = syscall(
		SYS_landlock_create_ruleset, NULL, 0, (uint32_t)LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0 && (errno == ENOSYS || errno == EOPNOTSUPP)) {
		report_lack(
			notes, "this kernel has no Landlock: other directories stay accessible");
		return 0;
	}
	if (abi < 0)
		return error_errno(e, "Landlock");
	rules = select_rules(abi, notes);
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0U);
	if (fd < 0)
		return error_errno(e, "Landlock: cannot create the rules");
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_rule(fd, &open[i], rules.fs, e);
	if (r < 0)
		return r;
	if (syscall(SYS_landlock_restrict_self, fd, 0U) < 0)
		return error_errno(e, "Landlock: cannot apply the rules");
	return 0;
}

static int drop_capabilities(bool rights, const struct notes *notes, struct error *e)
{
	const uint64_t kept =
		CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_FOWNER) | CAPABILITY(CAP_DAC_OVERRIDE);
	bool bound;
	int r = capability_keep(rights ? kept : 0, &bound, e);

	if (r == 0 && !bound && geteuid() == 0)
		report_lack(notes, "cannot change the capability bounding set");
	return r;
}

static int enter_filter(const struct notes *notes, struct error *e)
{
	struct error reason = ERROR_INIT;
	int r = filter_enter(&reason);

	if (r == -ENOSYS) {
		report_lack(notes, error_text(&reason));
		return 0;
	}
	if (r < 0 && e)
		*e = reason;
	return r;
}

int sandbox_enter(const struct sandbox_rule *rules, size_t n, unsigned flags,
	void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	struct notes notes = {note, arg};
	int r;

	/* First: without it, unprivileged processes may not do the other steps. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_errno(e, "cannot renounce new privileges");
	r = restrict_files(rules, n, &notes, e);
	if (r == 0)
		r = drop_capabilities(flags & SANDBOX_KEEP_OWNERS, &notes, e);
	/* Last: the filter forbids the system calls of the other steps. */
	return r < 0 ? r : enter_filter(&notes, e);
}
