/* SPDX-License-Identifier: Zlib */
#include "fuse/lifecycle/messages.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/print.h"

enum { PENDING_MAX = 1 << 20, PATIENCE_MS = 1000 };

static void drop_bytes(struct messages *m, size_t n)
{
	m->pending.size -= n;
	memmove(m->pending.data, m->pending.data + n, m->pending.size);
}

/* Write once, without blocking: a pipe that poll reports has room for PIPE_BUF bytes. */
static void write_some(struct messages *m)
{
	size_t size = m->pending.size < PIPE_BUF ? m->pending.size : PIPE_BUF;
	ssize_t n = write(STDERR_FILENO, m->pending.data, size);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Standard error is closed at the other end: drop the queue. */
	drop_bytes(m, n < 0 ? m->pending.size : (size_t)n);
}

/* Write once. Returns false if standard error took nothing within this time. */
static bool write_within(struct messages *m, int ms)
{
	struct pollfd p = messages_poll(m);

	if (poll(&p, 1, ms) < 1)
		return false;
	write_some(m);
	return true;
}

void messages_write(struct messages *m)
{
	while (m->pending.size && write_within(m, 0))
		;
}

void messages_add(struct messages *m, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	if (!line)
		return;
	if (m->pending.size > PENDING_MAX || m->pending.error)
		syslog(LOG_NOTICE, "%s", replace_unprintable(line));
	else
		buffer_printf(&m->pending, "%s\n", replace_unprintable(line));
	messages_write(m);
}

struct pollfd messages_poll(const struct messages *m)
{
	return (struct pollfd){.fd = m->pending.size ? STDERR_FILENO : -1, .events = POLLOUT};
}

static void log_rest(struct messages *m)
{
	char *end;

	while (m->pending.size && (end = memchr(m->pending.data, '\n', m->pending.size))) {
		char *line = (char *)m->pending.data;

		syslog(LOG_NOTICE, "%.*s", (int)(end - line), line);
		drop_bytes(m, (size_t)(end - line) + 1);
	}
}

void messages_finish(struct messages *m)
{
	while (m->pending.size && write_within(m, PATIENCE_MS))
		;
	log_rest(m);
	buffer_finish_free(&m->pending);
}
