/* SPDX-License-Identifier: Zlib */
#include "base/filter.h"

#include <errno.h>

#ifdef HAVE_SECCOMP

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(void, seccomp_release);

#ifdef MAPFS_SANITIZED
#define UNKNOWN SCMP_ACT_ALLOW
#else
#define UNKNOWN SCMP_ACT_ERRNO(ENOSYS)
#endif

/* By name: some are of other machines, or newer than the libseccomp that is here. */
static const char *const allowed[] = {
	/* descriptors */
	"read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek",
	"_llseek", "close", "close_range", "dup", "dup2", "dup3", "poll", "ppoll", "ppoll_time64",
	"pipe2", "splice", "vmsplice", "tee", "eventfd2", "signalfd4", "memfd_create",
	/* files */
	"open", "openat", "openat2", "stat", "stat64", "lstat", "lstat64", "fstat", "fstat64",
	"newfstatat", "fstatat64", "statx", "statfs", "statfs64", "fstatfs", "fstatfs64", "access",
	"faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd",
	"ftruncate", "ftruncate64", "fallocate", "fsync", "fdatasync", "sync_file_range",
	"sync_file_range2", "fadvise64", "fadvise64_64", "copy_file_range", "sendfile",
	"sendfile64", "flock", "umask", "rename", "renameat", "renameat2", "link", "linkat",
	"unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "fchmod", "fchown", "fchown32",
	"fgetxattr", "flistxattr", "fsetxattr", "fremovexattr",
	/* memory */
	"brk", "munmap", "mremap", "madvise", "membarrier",
	/* threads and signals */
	"set_robust_list", "get_robust_list", "set_tid_address", "rseq", "futex", "futex_time64",
	"futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "sched_yield",
	"sched_getaffinity", "gettid", "exit", "exit_group", "rt_sigaction", "rt_sigprocmask",
	"rt_sigreturn", "sigreturn", "rt_sigtimedwait", "rt_sigtimedwait_time64", "sigaltstack",
	"pause", "restart_syscall",
	/* who and when we are */
	"getpid", "getppid", "getuid", "getuid32", "geteuid", "geteuid32", "getgid", "getgid32",
	"getegid", "getegid32", "getgroups", "getgroups32", "uname", "sysinfo", "getrlimit",
	"ugetrlimit", "getrusage", "getrandom", "clock_gettime", "clock_gettime64", "clock_getres",
	"clock_getres_time64", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep",
	"gettimeofday", "time", "times",
	/* the sockets that are open */
	"sendto", "sendmsg", "recvfrom", "recvmsg", "shutdown", "accept", "accept4", "getsockopt",
	"setsockopt"};

static const char *const killing[] = {
	/* programs and processes */
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
	"pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	/* sockets */
	"socket", "socketpair", "connect", "bind", "listen",
	/* rights of files that are named, not open */
	"chmod", "fchmodat", "fchmodat2", "chown", "chown32", "lchown", "lchown32", "fchownat",
	"setxattr", "lsetxattr", "setxattrat", "removexattr", "lremovexattr", "removexattrat"};

static const unsigned commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETPIPE_SZ, F_SETPIPE_SZ};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A call that this libseccomp does not know is an unknown one, and what is done with those needs no
 * rule. */
static int add(scmp_filter_ctx ctx, uint32_t action, const char *name, unsigned n_args,
	const struct scmp_arg_cmp *args)
{
	int call = seccomp_syscall_resolve_name(name);

	if (call == __NR_SCMP_ERROR || action == UNKNOWN)
		return 0;
	return seccomp_rule_add_array(ctx, action, call, n_args, args);
}

static int add_names(scmp_filter_ctx ctx, uint32_t action, const char *const *names, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(ctx, action, names[i], 0, NULL);
	return r;
}

static int add_commands(scmp_filter_ctx ctx)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(commands); i++) {
		const struct scmp_arg_cmp arg = SCMP_A1(SCMP_CMP_EQ, commands[i]);

		r = add(ctx, SCMP_ACT_ALLOW, "fcntl", 1, &arg);
		if (r == 0)
			r = add(ctx, SCMP_ACT_ALLOW, "fcntl64", 1, &arg);
	}
	return r;
}

/* Calls of which an argument decides. */
static int add_conditional(scmp_filter_ctx ctx)
{
	const uint32_t ok = SCMP_ACT_ALLOW, kill = SCMP_ACT_KILL_PROCESS;
	const scmp_datum_t self = (scmp_datum_t)getpid();
	const struct {
		const char *name;
		uint32_t action;
		struct scmp_arg_cmp arg;
	} rules[] = {
		/* Threads are made, processes not. */
		{"clone", ok, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)},
		{"clone", kill, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)},
		/* abort() and raise() */
		{"kill", ok, SCMP_A0(SCMP_CMP_EQ, self)},
		{"kill", kill, SCMP_A0(SCMP_CMP_NE, self)},
		{"tgkill", ok, SCMP_A0(SCMP_CMP_EQ, self)},
		{"tgkill", kill, SCMP_A0(SCMP_CMP_NE, self)},
		/* No memory becomes code. */
		{"mmap", ok, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{"mmap2", ok, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{"mprotect", ok, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		/* The times of files that are open, not of those that are named. */
		{"utimensat", ok, SCMP_A1(SCMP_CMP_EQ, 0)},
		{"utimensat_time64", ok, SCMP_A1(SCMP_CMP_EQ, 0)},
		/* Limits are looked at, not set. */
		{"prlimit64", ok, SCMP_A2(SCMP_CMP_EQ, 0)},
	};
	int r = add_commands(ctx);

	for (size_t i = 0; r == 0 && i < LENGTH(rules); i++)
		r = add(ctx, rules[i].action, rules[i].name, 1, &rules[i].arg);
	return r;
}

int filter_enter(struct error *e)
{
	CLEANUP(seccomp_release) scmp_filter_ctx ctx = seccomp_init(UNKNOWN);
	int r = ctx ? 0 : -ENOMEM;

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_API_SYSRAWRC, 1);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = add_names(ctx, SCMP_ACT_ALLOW, allowed, LENGTH(allowed));
	if (r == 0)
		r = add_names(ctx, SCMP_ACT_KILL_PROCESS, killing, LENGTH(killing));
	if (r == 0)
		r = add_conditional(ctx);
	if (r == 0) {
		r = seccomp_load(ctx);
		/* Not built into the kernel, or kept from us by what we run in. */
		r = r == -EINVAL || r == -EPERM ? -ENOSYS : r;
	}
	return r < 0 ? error_set(e, r, "system calls cannot be filtered: %s", strerror(-r)) : 0;
}

#else

int filter_enter(struct error *e)
{
	return error_set(e, -ENOSYS, "built without libseccomp: system calls are not filtered");
}

#endif
