/* SPDX-License-Identifier: Zlib */
#include "fuse/control.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union fd_space {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int control_send(int sock, const struct control_msg *m)
{
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)m,
		.iov_len =
			offsetof(struct control_msg, text) + strnlen(m->text, CONTROL_TEXT_MAX - 1),
	};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union fd_space space = {0};
	ssize_t n;

	if (m->fd >= 0) {
		struct cmsghdr *c = &space.align;

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &m->fd, sizeof(int));
		msg.msg_control = space.bytes;
		msg.msg_controllen = sizeof(space.bytes);
	}
	do {
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

int control_tell(int sock, enum control_type type, int code, const char *text)
{
	struct control_msg m;

	memset(&m, 0, offsetof(struct control_msg, text));
	m.type = type;
	m.code = code;
	m.fd = -1;
	snprintf(m.text, sizeof(m.text), "%s", text ? text : "");
	return control_send(sock, &m);
}

static int received_fd(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

int control_recv(int sock, struct control_msg *ret)
{
	struct iovec iov = {.iov_base = ret, .iov_len = sizeof(*ret) - 1};
	union fd_space space = {0};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space.bytes,
		.msg_controllen = sizeof(space.bytes)};
	ssize_t n;
	int fd;

	/* ECONNRESET: the other end went, and did not read all that it was told. It is said once,
	 * and before what was sent by it. */
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	if (n == 0)
		return 0;
	fd = received_fd(&msg);
	if ((size_t)n < offsetof(struct control_msg, text) || (msg.msg_flags & MSG_TRUNC) ||
		(fd >= 0) != (ret->type == CONTROL_MOUNTED || ret->type == CONTROL_DOOR)) {
		if (fd >= 0)
			close(fd);
		return -EPROTO;
	}
	((char *)ret)[n] = '\0';
	ret->fd = fd;
	return 1;
}

enum outcome control_outcome(int code)
{
	switch (code) {
	case OUTCOME_DONE:
	case OUTCOME_LEFT:
	case OUTCOME_CONFLICT:
		return (enum outcome)code;
	default:
		return OUTCOME_SAVE_FAILED;
	}
}
