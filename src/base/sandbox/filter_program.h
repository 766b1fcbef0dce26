/* SPDX-License-Identifier: Zlib */
/*
 * filter_program: the filter of filter.h as BPF code. filter_rules.c generates it when mapfs is
 * built. filter_enter inserts the process ID.
 */
#pragma once

#include <linux/filter.h>

/* Placeholder for the ID of this process, which may signal itself; greater than any process ID. */
#define FILTER_SELF 0x5e1f0000U

struct filter_program {
	const struct sock_filter *code;
	unsigned short n;
};

extern const struct filter_program worker_filter; /* undefined without libseccomp */
