/* SPDX-License-Identifier: Zlib */
/* container_of: the struct that a member stands in, by a pointer to the member. */
#pragma once

#include <stddef.h>

#define container_of(pointer, type, member)                                                        \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))
