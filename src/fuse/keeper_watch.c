/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int watch_open(void)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int watch_add(int watch, const char *point)
{
	/* Of all events this one never happens to a root; the end is told unasked. */
	return inotify_add_watch(watch, point, IN_DELETE_SELF | IN_ONLYDIR) < 0 ? -errno : 0;
}

bool watch_ended(int watch)
{
	char buffer[512];
	bool ended = false;
	ssize_t n;

	while (watch >= 0 && (n = read(watch, buffer, sizeof(buffer))) > 0) {
		size_t size;

		for (size_t at = 0; at < (size_t)n; at += size) {
			struct inotify_event event;

			memcpy(&event, buffer + at, sizeof(event));
			size = sizeof(event) + event.len;
			ended = ended || (event.mask & IN_UNMOUNT);
		}
	}
	return ended;
}
