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
	char bytes[CMSG_SPACE(CONTROL_FDS * sizeof(int))];
};

int control_send_fds(int sock, const struct control_msg *m, const int fds[CONTROL_FDS])
{
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)m,
		.iov_len =
			offsetof(struct control_msg, text) + strnlen(m->text, CONTROL_TEXT_MAX - 1),
	};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union fd_space space = {0};
	ssize_t n;

	if (fds) {
		struct cmsghdr *c = &space.align;

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(CONTROL_FDS * sizeof(int));
		memcpy(CMSG_DATA(c), fds, CONTROL_FDS * sizeof(int));
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

int control_send(int sock, const struct control_msg *m)
{
	return control_send_fds(sock, m, NULL);
}

int control_send_text(int sock, enum control_type type, int code, const char *text)
{
	struct control_msg m;

	memset(&m, 0, offsetof(struct control_msg, text));
	m.type = type;
	m.code = code;
	snprintf(m.text, sizeof(m.text), "%s", text ? text : "");
	return control_send(sock, &m);
}

/* Copy the descriptors of a message to fds. Returns their number. */
static size_t received_fds(struct msghdr *msg, int fds[CONTROL_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	size_t size = c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS
			      ? c->cmsg_len - CMSG_LEN(0)
			      : 0;

	if (size)
		memcpy(fds, CMSG_DATA(c), size);
	return size / sizeof(int);
}

int control_recv_fds(int sock, struct control_msg *ret, int ret_fds[CONTROL_FDS])
{
	struct iovec iov = {.iov_base = ret, .iov_len = sizeof(*ret) - 1};
	union fd_space space = {0};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space.bytes,
		.msg_controllen = sizeof(space.bytes)};
	int fds[CONTROL_FDS];
	size_t n_fds;
	ssize_t n;

	/* ECONNRESET: the other end closed with unread messages. The kernel reports it once, before
	 * the messages that the other end sent. */
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	if (n == 0)
		return 0;
	n_fds = received_fds(&msg, fds);
	/* The kernel drops descriptors for which this process has no room. */
	if (msg.msg_flags & MSG_CTRUNC) {
		while (n_fds)
			close(fds[--n_fds]);
		return -EMFILE;
	}
	if ((size_t)n < offsetof(struct control_msg, text) || (msg.msg_flags & MSG_TRUNC) ||
		n_fds != (ret_fds ? CONTROL_FDS : 0)) {
		while (n_fds)
			close(fds[--n_fds]);
		return -EPROTO;
	}
	((char *)ret)[n] = '\0';
	if (ret_fds)
		memcpy(ret_fds, fds, sizeof(fds));
	return 1;
}

int control_recv(int sock, struct control_msg *ret)
{
	return control_recv_fds(sock, ret, NULL);
}

enum outcome control_outcome(int code)
{
	switch (code) {
	case OUTCOME_DONE:
	case OUTCOME_PARTIAL:
	case OUTCOME_CONFLICT:
		return (enum outcome)code;
	default:
		return OUTCOME_SAVE_FAILED;
	}
}
