/* SPDX-License-Identifier: Zlib */
/*
 * Run at build time: prints the filter of filter.h as a program of the kernel, in C. To make one
 * takes libseccomp longer than a short command runs, so the product has it ready.
 */
#include "base/sandbox/filter_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(void, seccomp_release);

enum { API_KILL_PROCESS = 3 }; /* libseccomp's number for kernels that can */

#ifdef MAPFS_SANITIZED
#define UNKNOWN SCMP_ACT_ALLOW
#else
#define UNKNOWN SCMP_ACT_ERRNO(ENOSYS)
#endif

/* By name: some are of other machines, or newer than the libseccomp that is here. */
static const char *const allowed[] = {
	/* descriptors */
	"read", "readv", "write", "writev", "lseek", "_llseek", "close", "close_range", "poll",
	"ppoll", "ppoll_time64",
	/* files */
	"stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "newfstatat", "fstatat64",
	"statx", "statfs", "statfs64", "fstatfs", "fstatfs64", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getdents", "getdents64", "getcwd", "rmdir",
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
	"setsockopt",
	/* what it works with */
	"pread64", "preadv", "pwrite64", "pwritev", "dup", "dup2", "dup3", "pipe2", "splice",
	"vmsplice", "tee", "eventfd2", "signalfd4", "memfd_create",
	/* Landlock says which files. */
	"ftruncate", "ftruncate64", "fallocate", "fsync", "fdatasync", "syncfs", "sync_file_range",
	"sync_file_range2", "fadvise64", "fadvise64_64", "copy_file_range", "sendfile",
	"sendfile64", "flock", "umask", "rename", "renameat", "renameat2", "link", "linkat",
	"unlink", "unlinkat", "fchown", "fchown32", "fgetxattr", "flistxattr", "fsetxattr",
	"fremovexattr"};

static const char *const killing[] = {
	/* programs and processes */
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
	"pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	/* sockets */
	"socketpair", "socket", "connect", "bind", "listen",
	/* rights of files that are named, not open */
	"chmod", "fchmodat", "fchmodat2", "chown", "chown32", "lchown", "lchown32", "fchownat",
	"setxattr", "lsetxattr", "setxattrat", "removexattr", "lremovexattr", "removexattrat"};

static const unsigned commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETPIPE_SZ, F_SETPIPE_SZ};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct rule {
	const char *name;
	uint32_t action;
	struct scmp_arg_cmp args[2]; /* ended by one that compares nothing */
};

/* A call that this libseccomp does not know is an unknown one, and what is done with those needs no
 * rule. */
static int add(scmp_filter_ctx ctx, const struct rule *rule)
{
	int call = seccomp_syscall_resolve_name(rule->name);
	unsigned n = 0;

	if (call == __NR_SCMP_ERROR || rule->action == UNKNOWN)
		return 0;
	while (n < LENGTH(rule->args) && rule->args[n].op)
		n++;
	return seccomp_rule_add_array(ctx, rule->action, call, n, rule->args);
}

static int add_names(scmp_filter_ctx ctx, uint32_t action, const char *const *names, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(ctx, &(struct rule){names[i], action, {{0}}});
	return r;
}

static int add_commands(scmp_filter_ctx ctx, const char *name)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(commands); i++)
		r = add(ctx,
			&(struct rule){name, SCMP_ACT_ALLOW, {SCMP_A1(SCMP_CMP_EQ, commands[i])}});
	return r;
}

/* Calls of which an argument decides. */
static int add_conditional(scmp_filter_ctx ctx)
{
	const uint32_t ok = SCMP_ACT_ALLOW, no = SCMP_ACT_ERRNO(EPERM),
		       kill = SCMP_ACT_KILL_PROCESS;
	const scmp_datum_t self = FILTER_SELF, both = S_ISUID | S_ISGID;
	const struct scmp_arg_cmp plain = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	const struct scmp_arg_cmp own = SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0);
	const struct rule rules[] = {
		/* What is run with its owner's rights would be root's, of a worker of root's. A
		 * libc gives no mode to an open that makes nothing. */
		{"open", ok, {SCMP_A2(SCMP_CMP_MASKED_EQ, both, 0)}},
		{"open", no, {SCMP_A2(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)}},
		{"open", no, {SCMP_A2(SCMP_CMP_MASKED_EQ, both, S_ISGID)}},
		{"openat", ok, {SCMP_A3(SCMP_CMP_MASKED_EQ, both, 0)}},
		{"openat", no, {SCMP_A3(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)}},
		{"openat", no, {SCMP_A3(SCMP_CMP_MASKED_EQ, both, S_ISGID)}},
		{"mkdir", ok, {SCMP_A1(SCMP_CMP_MASKED_EQ, both, 0)}},
		{"mkdir", no, {SCMP_A1(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)}},
		{"mkdir", no, {SCMP_A1(SCMP_CMP_MASKED_EQ, both, S_ISGID)}},
		{"mkdirat", ok, {SCMP_A2(SCMP_CMP_MASKED_EQ, both, 0)}},
		{"mkdirat", no, {SCMP_A2(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)}},
		{"mkdirat", no, {SCMP_A2(SCMP_CMP_MASKED_EQ, both, S_ISGID)}},
		{"fchmod", ok, {SCMP_A1(SCMP_CMP_MASKED_EQ, both, 0)}},
		{"fchmod", no, {SCMP_A1(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)}},
		{"fchmod", no, {SCMP_A1(SCMP_CMP_MASKED_EQ, both, S_ISGID)}},
		/* No memory is run, and none is shared with a file, which could be changed by it
		 * and keep S_ISUID. */
		{"mmap", ok, {plain, own}},
		{"mmap2", ok, {plain, own}},
		{"mprotect", ok, {plain}},
		/* Threads are made, processes not. */
		{"clone", ok, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)}},
		{"clone", kill, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)}},
		/* abort() and raise() */
		{"kill", ok, {SCMP_A0(SCMP_CMP_EQ, self)}},
		{"kill", kill, {SCMP_A0(SCMP_CMP_NE, self)}},
		{"tgkill", ok, {SCMP_A0(SCMP_CMP_EQ, self)}},
		{"tgkill", kill, {SCMP_A0(SCMP_CMP_NE, self)}},
		/* The times of files that are open, not of those that are named. */
		{"utimensat", ok, {SCMP_A1(SCMP_CMP_EQ, 0)}},
		{"utimensat_time64", ok, {SCMP_A1(SCMP_CMP_EQ, 0)}},
		/* Limits are looked at, not set. */
		{"prlimit64", ok, {SCMP_A2(SCMP_CMP_EQ, 0)}},
	};
	int r = add_commands(ctx, "fcntl");

	if (r == 0)
		r = add_commands(ctx, "fcntl64");
	for (size_t i = 0; r == 0 && i < LENGTH(rules); i++)
		r = add(ctx, &rules[i]);
	return r;
}

static int build(scmp_filter_ctx ctx)
{
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = add_names(ctx, SCMP_ACT_ALLOW, allowed, LENGTH(allowed));
	if (r == 0)
		r = add_names(ctx, SCMP_ACT_KILL_PROCESS, killing, LENGTH(killing));
	return r < 0 ? r : add_conditional(ctx);
}

/* libseccomp writes to descriptors only. */
static int print_code(scmp_filter_ctx ctx)
{
	CLEANUP(close_fd) int fd = memfd_create("filter", MFD_CLOEXEC);
	struct sock_filter in;
	int r = fd < 0 ? -errno : seccomp_export_bpf(ctx, fd);

	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	while (r == 0 && read(fd, &in, sizeof(in)) == (ssize_t)sizeof(in))
		printf("\t{0x%02" PRIx16 ", %" PRIu8 ", %" PRIu8 ", 0x%" PRIx32 "},\n", in.code,
			in.jt, in.jf, in.k);
	return r;
}

static int print_program(void)
{
	CLEANUP(seccomp_release) scmp_filter_ctx ctx = seccomp_init(UNKNOWN);
	int r = ctx ? build(ctx) : -ENOMEM;

	puts("\nstatic const struct sock_filter code[] = {");
	if (r == 0)
		r = print_code(ctx);
	puts("};\nconst struct filter_program filter_of_worker = {\n"
	     "\tcode, sizeof(code) / sizeof(code[0])};");
	return r;
}

int main(void)
{
	int r;

	/* The filter is for other kernels than that of the machine that builds, which may not
	 * know what they use. */
	r = seccomp_api_set(API_KILL_PROCESS);
	puts("#include \"base/sandbox/filter_program.h\"");
	if (r == 0)
		r = print_program();
	if (r == 0 && fflush(stdout) != 0)
		r = -errno;
	if (r < 0)
		fprintf(stderr, "libseccomp: %s\n", strerror(-r));
	return r < 0;
}
