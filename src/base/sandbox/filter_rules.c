/* SPDX-License-Identifier: Zlib */
/* Runs at build time and prints the filter of filter.h as BPF code in C. libseccomp needs longer to
 * compile a filter than a short command runs, so mapfs contains a compiled one. */
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

enum { API_KILL_PROCESS = 3 }; /* libseccomp's level for kernels with that action */

#ifdef MAPFS_SANITIZED
#define UNKNOWN SCMP_ACT_ALLOW
#else
#define UNKNOWN SCMP_ACT_ERRNO(ENOSYS)
#endif

/* These are names, because this machine or this libseccomp may lack some of the calls. */
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
	/* identity and time */
	"getpid", "getppid", "getuid", "getuid32", "geteuid", "geteuid32", "getgid", "getgid32",
	"getegid", "getegid32", "getgroups", "getgroups32", "uname", "sysinfo", "getrlimit",
	"ugetrlimit", "getrusage", "getrandom", "clock_gettime", "clock_gettime64", "clock_getres",
	"clock_getres_time64", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep",
	"gettimeofday", "time", "times",
	/* open sockets */
	"sendto", "sendmsg", "recvfrom", "recvmsg", "shutdown", "accept", "accept4", "getsockopt",
	"setsockopt",
	/* more I/O */
	"pread64", "preadv", "pwrite64", "pwritev", "dup", "dup2", "dup3", "pipe2", "splice",
	"vmsplice", "tee", "eventfd2", "signalfd4", "memfd_create",
	/* changes of files; Landlock restricts the files */
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
	/* permissions of files by path */
	"chmod", "fchmodat", "fchmodat2", "chown", "chown32", "lchown", "lchown32", "fchownat",
	"setxattr", "lsetxattr", "setxattrat", "removexattr", "lremovexattr", "removexattrat"};

static const unsigned commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETPIPE_SZ, F_SETPIPE_SZ};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct rule {
	const char *name;
	uint32_t action;
	struct scmp_arg_cmp args[2]; /* an unused one has op 0 */
};

/* Add a rule, unless it has no effect: libseccomp does not know the call, or the action is the
 * default. */
static int add_rule(scmp_filter_ctx ctx, const struct rule *rule)
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
		r = add_rule(ctx, &(struct rule){names[i], action, {{0}}});
	return r;
}

static int add_commands(scmp_filter_ctx ctx, const char *name)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(commands); i++)
		r = add_rule(ctx,
			&(struct rule){name, SCMP_ACT_ALLOW, {SCMP_A1(SCMP_CMP_EQ, commands[i])}});
	return r;
}

/* Add the rules that depend on an argument. */
static int add_conditional(scmp_filter_ctx ctx)
{
	const uint32_t ok = SCMP_ACT_ALLOW, no = SCMP_ACT_ERRNO(EPERM),
		       kill = SCMP_ACT_KILL_PROCESS;
	const scmp_datum_t self = FILTER_SELF, both = S_ISUID | S_ISGID;
	const struct scmp_arg_cmp plain = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	const struct scmp_arg_cmp own = SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0);
	const struct rule rules[] = {
		/* If the worker is root, a set-user-ID file would run as root. The mode is 0 for
		 * an open without O_CREAT: libc passes none. */
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
		/* No executable memory, and no shared mapping: a change through one would keep
		 * S_ISUID of the file. */
		{"mmap", ok, {plain, own}},
		{"mmap2", ok, {plain, own}},
		{"mprotect", ok, {plain}},
		/* Allow new threads, but not processes. */
		{"clone", ok, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)}},
		{"clone", kill, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)}},
		/* abort() and raise() */
		{"kill", ok, {SCMP_A0(SCMP_CMP_EQ, self)}},
		{"kill", kill, {SCMP_A0(SCMP_CMP_NE, self)}},
		{"tgkill", ok, {SCMP_A0(SCMP_CMP_EQ, self)}},
		{"tgkill", kill, {SCMP_A0(SCMP_CMP_NE, self)}},
		/* Allow to set the times of open files, but not by path. */
		{"utimensat", ok, {SCMP_A1(SCMP_CMP_EQ, 0)}},
		{"utimensat_time64", ok, {SCMP_A1(SCMP_CMP_EQ, 0)}},
		/* Allow to read limits, but not to set them. */
		{"prlimit64", ok, {SCMP_A2(SCMP_CMP_EQ, 0)}},
	};
	int r = add_commands(ctx, "fcntl");

	if (r == 0)
		r = add_commands(ctx, "fcntl64");
	for (size_t i = 0; r == 0 && i < LENGTH(rules); i++)
		r = add_rule(ctx, &rules[i]);
	return r;
}

static int build_filter(scmp_filter_ctx ctx)
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

/* Print the filter. libseccomp can only write it to a descriptor. */
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
	int r = ctx ? build_filter(ctx) : -ENOMEM;

	puts("\nstatic const struct sock_filter code[] = {");
	if (r == 0)
		r = print_code(ctx);
	puts("};\nconst struct filter_program worker_filter = {\n"
	     "\tcode, sizeof(code) / sizeof(code[0])};");
	return r;
}

int main(void)
{
	int r;

	/* Do not limit the filter to features of the build machine's kernel. */
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
