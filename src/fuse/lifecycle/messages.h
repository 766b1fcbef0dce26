/* SPDX-License-Identifier: Zlib */
/*
 * messages: what launcher and supervisor write to standard error.
 *
 * The program that reads standard error may have stopped (a pager, a full pipe, Ctrl-S). These
 * processes must still end the mount when a signal comes, so they never wait for it in write(2):
 * lines are queued, and written when poll says that standard error takes them. Its flags are not
 * changed. Lines that do not fit the queue, and what is left at the end, go to the system log.
 */
#pragma once

#include <poll.h>

#include "base/buffer.h"

struct messages {
	struct buffer pending; /* zero-initialized */
};

/* Queue a line, with "?" for unprintable characters and a newline, and call messages_write. */
void messages_add(struct messages *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Write what standard error takes at once. If the write fails, drop the queue and log nothing. */
void messages_write(struct messages *m);
/* For poll: when to call messages_write. The descriptor is -1 if nothing is queued. */
struct pollfd messages_poll(const struct messages *m);
/* Write the rest of the queue. When standard error has taken nothing for a second, send what is
 * left to the system log. Free the queue. */
void messages_finish(struct messages *m);
