/* SPDX-License-Identifier: Zlib */
#include "base/sandbox/filter.h"

#include <errno.h>

#ifdef HAVE_SECCOMP

#include <linux/seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sandbox/filter_program.h"

int filter_enter(struct error *e)
{
	const struct filter_program *p = &worker_filter;
	CLEANUP(free) struct sock_filter *code = malloc(p->n * sizeof(*code));
	const struct sock_fprog program = {p->n, code};
	int r = 0;

	for (size_t i = 0; code && i < p->n; i++) {
		code[i] = p->code[i];
		if (code[i].k == FILTER_SELF)
			code[i].k = (uint32_t)getpid();
	}
	if (!code || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		r = -errno;
	/* The kernel is built without filters, or a container forbids them. */
	if (r == -EINVAL || r == -EPERM)
		r = -ENOSYS;
	return r < 0 ? error_set(e, r, "cannot filter system calls: %s", strerror(-r)) : 0;
}

#else

int filter_enter(struct error *e)
{
	return error_set(e, -ENOSYS, "built without libseccomp: system calls are not filtered");
}

#endif
