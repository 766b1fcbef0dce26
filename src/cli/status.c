/* SPDX-License-Identifier: Zlib */
#include "cli/status.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/say.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/target.h"

enum { PATIENCE_MS = 4000, ROOM_MIN = 64 << 10, TRIES = 4 };

/* Ends with status 0 and the text written, or with an errno. */
static _Noreturn void ask(const char *point, int out)
{
	ssize_t n = -1;
	char *text = NULL;
	size_t room = ROOM_MIN;

	/* It may grow between two calls. */
	for (int i = 0; i < TRIES && n < 0; i++) {
		n = lgetxattr(point, "user.mapfs.status", NULL, 0);
		if (n < 0)
			_exit(errno);
		room += (size_t)n;
		free(text);
		text = malloc(room);
		n = text ? lgetxattr(point, "user.mapfs.status", text, room) : -1;
	}
	if (n < 0)
		_exit(errno ? errno : ENOMEM);
	for (ssize_t at = 0, some; at < n; at += some) {
		some = write(out, text + at, (size_t)(n - at));
		if (some <= 0)
			_exit(EPIPE);
	}
	_exit(0);
}

/* All that comes within the time; -ETIMEDOUT, or -ENOMEM. */
static int read_all(int in, FILE *text)
{
	int64_t end = clock_ms() + PATIENCE_MS;
	struct pollfd p = {.fd = in, .events = POLLIN};
	char chunk[4096];
	ssize_t n = 1;

	while (n > 0) {
		int64_t left = end - clock_ms();

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return -ETIMEDOUT;
		n = read(in, chunk, sizeof(chunk));
		if (n > 0 && fwrite(chunk, 1, (size_t)n, text) != (size_t)n)
			return -ENOMEM;
	}
	return 0;
}

static void each_line(char *text, void (*fn)(void *arg, char *line), void *arg)
{
	char *line;

	while (fn && (line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		printable(line);
		fn(arg, line);
	}
}

int status_of(const char *point, void (*fn)(void *arg, char *line), void *arg)
{
	CLEANUP(free) char *text = NULL;
	int ends[2], status = 0, r;
	size_t size;
	FILE *f;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		ask(point, ends[1]);
	close(ends[1]);
	f = open_memstream(&text, &size);
	r = pid < 0 || !f ? -ENOMEM : read_all(ends[0], f);
	close(ends[0]);
	if (f)
		fclose(f);
	if (pid > 0 && r < 0)
		kill(pid, SIGKILL);
	/* One that does not die is left behind. */
	if (pid > 0 && waitpid(pid, &status, r < 0 ? WNOHANG : 0) == pid && r == 0)
		r = WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
	if (r == 0)
		each_line(text, fn, arg);
	return r;
}

static bool begins(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

static void print_left(void *arg, char *line)
{
	bool *any = arg;

	if (!begins(line, "draft ") && !begins(line, "left ") && !begins(line, "waiting "))
		return;
	say(stdout, "left: %s", strchr(line, ' ') + 1);
	*any = true;
}

bool status_print_left(const char *point)
{
	bool any = false;

	(void)status_of(point, print_left, &any);
	return any;
}

static void print_line(void *arg, char *line)
{
	size_t *n = arg;

	++*n;
	/* The attribute's word is for programs. */
	if (begins(line, "draft "))
		say(stdout, "  refused%s", line + strlen("draft"));
	else
		say(stdout, "  %s", line);
}

static void print_mount(const struct target *t)
{
	size_t n = 0;
	int r;

	say(stdout, "%s: %s%s", t->point, t->entry.source, t->entry.read_only ? ", read-only" : "");
	r = status_of(t->point, print_line, &n);
	if (r == -ENOTCONN)
		say(stdout, "  its processes were killed: mapfs -u %s", t->point);
	else if (r == -ETIMEDOUT)
		puts("  it does not answer");
	else if (r == -EACCES)
		say(stdout, "  it was mounted by user %u", (unsigned)t->entry.owner);
	else if (r < 0)
		say(stdout, "  %s", strerror(-r));
	else if (n == 0)
		puts("  nothing is changed");
}

static void print_file(const struct target *t)
{
	char journal[NAME_MAX + 1];

	say(stdout, "%s: is not mounted", t->file);
	if (beside_journal(t->file, journal))
		say(stdout,
			"  what was closed and not saved is in %s, and comes back at the next "
			"mount",
			journal);
}

static int run(const char *name)
{
	struct targets t = {0};
	int r = name ? targets_add(&t, name) : targets_add_all(&t);

	if (r < 0)
		say(stderr, "mapfs: %s: %s", name ? name : "status",
			r == -ENOENT ? "is not a mount of mapfs, nor a file, nor a folder with a "
				       "journal beside a map"
				     : strerror(-r));
	for (size_t i = 0; i < t.n; i++) {
		if (t.all[i].point)
			print_mount(&t.all[i]);
		else
			print_file(&t.all[i]);
	}
	if (r == 0 && t.n == 0)
		puts("nothing is mounted");
	targets_finish(&t);
	return r < 0 ? OUTCOME_USAGE : OUTCOME_DONE;
}

int cli_status(int argc, char **argv)
{
	static const struct option long_options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c != 'h')
			return cli_usage("status: unknown option %s", argv[optind - 1]);
		cli_print_help();
		return OUTCOME_DONE;
	}
	/* argv[optind] is "status" itself. */
	if (argc - optind > 2)
		return cli_usage("status takes one mount point or file");
	return run(argc - optind == 2 ? argv[optind + 1] : NULL);
}
