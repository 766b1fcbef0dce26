/* SPDX-License-Identifier: Zlib */
#include "base/sandbox/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int drop_bounding(uint64_t keep, bool *ret_bound, struct error *e)
{
	*ret_bound = true;
	for (unsigned cap = 0; cap < 64; cap++) {
		int has = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

		if (has < 0)
			break; /* the kernel has no such capability */
		if (!has || keep & CAPABILITY(cap) || prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		/* EPERM: the process does not have CAP_SETPCAP. */
		if (errno != EPERM)
			return error_errno(e, "cannot drop capability %u", cap);
		*ret_bound = false;
	}
	return 0;
}

int capability_keep(uint64_t keep, bool *ret_bound, struct error *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	bool bound;
	int r;

	if (geteuid() != 0)
		keep = 0;
	r = drop_bounding(keep, &bound, e);
	if (r < 0)
		return r;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return error_errno(e, "cannot clear the ambient capabilities");
	if (syscall(SYS_capget, &header, data) < 0)
		return error_errno(e, "cannot read the capabilities");
	for (unsigned i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(keep >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data) < 0)
		return error_errno(e, "cannot drop capabilities");
	if (ret_bound)
		*ret_bound = bound;
	return 0;
}
