/* SPDX-License-Identifier: Zlib */
/*
 * Shared by the preloaded libraries: a file, named by an environment variable, that the test maps
 * too.
 *
 * It is mapped when the library is loaded, before the program gives up the right to open files, and
 * it stays mapped through forks, even if all descriptors are closed.
 */
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *shared_map(const char *variable, size_t size)
{
	const char *name = getenv(variable);
	int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* The next definition of a function, with the type of this one. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
