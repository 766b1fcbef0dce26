/* SPDX-License-Identifier: Zlib */
/*
 * filter_program: the filter of filter.h as the kernel runs it. It is made when mapfs is built, by
 * filter_rules.c; only the number of the process is put in when it is entered.
 */
#pragma once

#include <linux/filter.h>

/* Stands for the number of the process, and is greater than any. */
#define FILTER_SELF 0x5e1f0000U

struct filter_program {
	const struct sock_filter *code;
	unsigned short n;
};

extern const struct filter_program filter_of_worker;
