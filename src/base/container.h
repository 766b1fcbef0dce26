/* SPDX-License-Identifier: Zlib */
/* container_of: convert a pointer to a member into a pointer to the struct that contains it. */
#pragma once

#include <stddef.h>

#define container_of(pointer, type, member)                                                        \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))
