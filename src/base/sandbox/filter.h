/* SPDX-License-Identifier: Zlib */
/*
 * filter: the seccomp filter of the worker.
 *
 * It allows the system calls that the worker needs. Calls that only an attacker would make kill the
 * process with SIGSYS: execute a program, create a process or a socket, access or signal another
 * process, change the permissions of a file by its path. A mode with S_ISUID or S_ISGID fails with
 * -EPERM. Any other call fails with -ENOSYS, as in a kernel without it, so libc uses a fallback.
 *
 * With a sanitizer, whose runtime makes more calls, any other call is allowed. Without libseccomp
 * there is no filter.
 */
#pragma once

#include "base/error.h"

/* Install the filter for this thread and the threads that it creates later. Returns -ENOSYS if the
 * kernel or this build has no filters. no_new_privs must be set. */
int filter_enter(struct error *e);
