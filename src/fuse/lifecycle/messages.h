/* SPDX-License-Identifier: Zlib */
/*
 * messages: what launcher and supervisor write to standard error.
 *
 * Whoever reads it may have stopped (a pager, a full pipe, Ctrl-S). A write must not wait for that
 * reader, since these processes end the mount when a signal comes. So lines are queued, and written
 * as far as standard error takes them; what is left at the end goes to the system log.
 */
#pragma once

#include <poll.h>

#include "base/buffer.h"

struct messages {
	struct buffer pending; /* zero-initialized */
};

/* Queue a line, printable, and its newline; write what can be written. */
void messages_add(struct messages *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Write what can be written at once. */
void messages_write(struct messages *m);
/* For poll: when to call messages_write. The descriptor is -1 if nothing is queued. */
struct pollfd messages_poll(const struct messages *m);
/* Write the rest, or send it to the system log once nothing was taken for a second; free the queue. */
void messages_finish(struct messages *m);
