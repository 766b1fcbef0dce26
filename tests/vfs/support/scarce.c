/* SPDX-License-Identifier: Zlib */
#include "scarce.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static atomic_int countdown = -1; /* negative: none fails */
static atomic_bool hit;

static bool fails(void)
{
	if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) > 0)
		return false;
	atomic_store(&countdown, -1);
	atomic_store(&hit, true);
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
}

void scarce_set(int n)
{
	if (n >= 0)
		atomic_store(&hit, false);
	atomic_store(&countdown, n);
}

bool scarce_hit(void)
{
	return atomic_load(&hit);
}
