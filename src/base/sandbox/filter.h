/* SPDX-License-Identifier: Zlib */
/*
 * filter: the system calls that the worker may make.
 *
 * What it needs is allowed. What nothing but an intruder would call (to run a program, make a
 * process or a socket, reach into or signal another process, change a file's rights by its path)
 * kills the process with SIGSYS. Every other call is -ENOSYS, as from a kernel that lacks it; so a
 * newer libc does without.
 *
 * In a build with a sanitizer, whose runtime makes calls of its own, every other call is allowed.
 * Built without libseccomp there is no filter.
 */
#pragma once

#include "base/error.h"

/* For this thread and those that it will make. 0; -ENOSYS where the kernel, or this build, has no
 * filters; or another -errno. No new privileges must be set. */
int filter_enter(struct error *e);
