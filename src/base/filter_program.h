/* SPDX-License-Identifier: Zlib */
/*
 * filter_program: the filters of filter.h as the kernel runs them. They are made when mapfs is
 * built, by filter_rules.c; only the numbers of processes are put in when one is entered.
 */
#ifndef BASE_FILTER_PROGRAM_H
#define BASE_FILTER_PROGRAM_H

#include <linux/filter.h>

/* Stand for numbers of processes, and are greater than any. */
#define FILTER_SELF   0x5e1f0000U
#define FILTER_WORKER 0x5e1f0001U

struct filter_program {
	const struct sock_filter *code;
	unsigned short n;
};

extern const struct filter_program filter_of_worker, filter_of_keeper;

#endif
