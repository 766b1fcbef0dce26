/* SPDX-License-Identifier: Zlib */
/*
 * The commands, on any bytes as a map: text, check, convert, preview, index, diff (with the
 * fixture, and with itself), extract and then pack. And merge of three maps: the fixture, and two
 * that are it with files put, which the bytes say: for each the file's number with the highest bit
 * for theirs, a length of 16 bits, the content.
 *
 * Whatever a command meets, it ends by itself with a documented exit code, and no sanitizer has
 * anything to say. It runs in this process, so it must not shut itself in: the sandbox is ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/sandbox/sandbox.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "support/fuzz.h"
#include "vfs/volume/outcome.h"
#include "support/view.h"

enum { ARGS_MAX = 12, PUTS_MAX = 4 };

/* In place of base/sandbox/sandbox.c. */
int sandbox_enter(const struct sandbox_rule *rules, size_t n, unsigned flags,
	void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	(void)rules, (void)n, (void)flags, (void)note, (void)arg, (void)e;
	return 0;
}

static char top[PATH_MAX];
static FILE *nowhere;

static void fail(const char *what)
{
	perror(what);
	abort();
}

/* What commands say goes nowhere; what sanitizers and libFuzzer do goes to descriptor 2. */
static void begin(void)
{
	const char *tmp = getenv("TMPDIR");
	int null;

	if (*top)
		return;
	snprintf(top, sizeof(top), "%s/mapfs-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || !mkdtemp(top) || chdir(top) < 0 || dup2(null, STDOUT_FILENO) < 0)
		fail(top);
	close(null);
	nowhere = fopen("/dev/null", "we");
	if (!nowhere)
		abort();
}

/* Of the directory of this run; with what is below it. */
static void clear(void)
{
	if (system("rm -rf ./*") != 0)
		fail("rm");
}

static void store(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || io_write(fd, data, size) < 0 || close(fd) < 0)
		fail(name);
}

static bool same(const char *a, const char *b)
{
	uint8_t x[4096], y[4096];
	FILE *f = fopen(a, "re"), *g = fopen(b, "re");
	bool equal = f && g;
	size_t n = 1;

	while (equal && n) {
		n = fread(x, 1, sizeof(x), f);
		equal = fread(y, 1, sizeof(y), g) == n && memcmp(x, y, n) == 0;
	}
	if (f)
		fclose(f);
	if (g)
		fclose(g);
	return equal;
}

static int64_t size_of(const char *name)
{
	struct stat st;

	if (stat(name, &st) < 0)
		fail(name);
	return st.st_size;
}

/* Our command lines are right, so the code for a wrong one is none. */
static bool is_documented(const char *name, int code)
{
	if (strcmp(name, "diff") == 0)
		return code >= 0 && code <= 2;
	if (strcmp(name, "merge") == 0 && code != 0 && code != 1)
		code -= 128;
	else if (strcmp(name, "merge") == 0)
		return true;
	return code == OUTCOME_DONE || (code > OUTCOME_USAGE && code <= OUTCOME_BUSY);
}

static void undocumented(const char *name, int code)
{
	fprintf(stderr, "%s: exit code %d\n", name, code);
	abort();
}

/* mapfs NAME ..., ended by NULL. */
static int command(const char *name, ...)
{
	char *argv[ARGS_MAX] = {(char *)"mapfs", (char *)name};
	FILE *was = stderr;
	int argc = 2, code;
	va_list ap;

	va_start(ap, name);
	while (argc < ARGS_MAX - 1 && (argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	optind = 0; /* getopt begins anew */
	stderr = nowhere;
	code = command_main(name, argc - 1, argv + 1, cli_command_named(name)->line);
	stderr = was;
	if (!is_documented(name, code))
		undocumented(name, code);
	return code;
}

static const char *fixture_path(void)
{
	return getenv("FUZZ_MAP") ? getenv("FUZZ_MAP") : FUZZ_MAP;
}

static void begin_map(const uint8_t *data, size_t size)
{
	begin();
	clear();
	store("x.map", data, size);
}

TARGET(fuzz_command_text)
{
	begin_map(data, size);
	command("text", "x.map", NULL);
}

TARGET(fuzz_command_check)
{
	begin_map(data, size);
	command("check", "x.map", NULL);
}

TARGET(fuzz_command_convert)
{
	static const char *const games[] = {"0.6", "0.7", "ddnet"};

	for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
		begin_map(data, size);
		command("check", "--for", games[i], "x.map", NULL);
		if (command("convert", "--to", games[i], "--scale", "--strip", "x.map", "y.map",
			    NULL) != OUTCOME_DONE)
			continue;
		if (command("convert", "--to", games[i], "--scale", "--strip", "y.map", "z.map",
			    NULL) != OUTCOME_DONE ||
			!same("y.map", "z.map"))
			broken("nothing is left to be done", games[i]);
	}
}

/* Unused bytes of tiles that tidy clears may compress worse than before, by a few bytes in each of
 * the map's layers. */
enum { CLEARED_MOST = 64 };

/* It draws the same, is no larger, and nothing is left to be done. */
static void tidied(const char *how)
{
	if (command("tidy", how, "x.map", "y.map", NULL) != OUTCOME_DONE)
		return;
	if (size_of("y.map") > size_of("x.map") + CLEARED_MOST)
		broken("a map that is tidied is no larger", how);
	if (command("tidy", how, "y.map", "z.map", NULL) != OUTCOME_DONE || !same("y.map", "z.map"))
		broken("nothing is left to be done", how);
	if (command("preview", "--size", "200", "x.map", "x.png", NULL) == OUTCOME_DONE &&
		(command("preview", "--size", "200", "y.map", "y.png", NULL) != OUTCOME_DONE ||
			!same("x.png", "y.png")))
		broken("it looks as before", how);
}

TARGET(fuzz_command_tidy)
{
	static const char *const ways[] = {"--keep=raw", "--layers", "--pixels"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		begin_map(data, size);
		tidied(ways[i]);
	}
}

TARGET(fuzz_command_preview)
{
	begin_map(data, size);
	command("preview", "x.map", "x.png", NULL);
}

TARGET(fuzz_command_index)
{
	begin_map(data, size);
	command("index", "x.map", NULL);
}

TARGET(fuzz_command_diff)
{
	begin_map(data, size);
	command("diff", fixture_path(), "x.map", NULL);
	store("y.map", data, size);
	if (command("diff", "x.map", "y.map", NULL) == 1)
		broken("no difference to itself", "diff");
}

TARGET(fuzz_command_pack)
{
	begin_map(data, size);
	if (command("extract", "-o", "raw=off", "x.map", "tree", NULL) != OUTCOME_DONE)
		return;
	/* Of the same format; not every map is one that a game would take. */
	command("pack", "tree", "new.map", NULL);
	if (command("pack", "tree", "--onto", "x.map", NULL) == OUTCOME_BUSY)
		broken("nobody else has it", "pack");
}

struct paths {
	char *at[VIEW_FILES];
	size_t n;
};

static void take_path(void *arg, const char *path, const struct file_attr *entry)
{
	struct paths *p = arg;

	if (entry->is_writable && p->n < 128 && strncmp(path, "raw/", 4) != 0 &&
		!(p->at[p->n++] = strdup(path)))
		abort();
}

static void take_paths(struct paths *p)
{
	struct error e = ERROR_INIT;
	struct fixture map;

	if (fixture_open(&map, fixture_path(), "off", &e) < 0 ||
		entry_walk(map.s, ENTRY_ROOT, "", take_path, p, &e) < 0 || !p->n)
		broken("the fixture opens", error_text(&e));
	fixture_close(&map);
}

TARGET(fuzz_command_merge)
{
	static struct paths paths;

	begin();
	clear();
	if (!paths.n)
		take_paths(&paths);
	if (system("cp \"${FUZZ_MAP:-" FUZZ_MAP
		   "}\" base.map && cp base.map ours.map && cp base.map theirs.map"))
		fail("cp");
	for (unsigned i = 0; i < PUTS_MAX && size >= VIEW_HEADER; i++) {
		size_t n = (size_t)(data[1] | data[2] << 8), file = (data[0] & 0x7F) % paths.n;

		if (n > size - VIEW_HEADER)
			n = size - VIEW_HEADER;
		store("put", data + VIEW_HEADER, n);
		command("put", data[0] & 0x80 ? "theirs.map" : "ours.map", paths.at[file], "put",
			NULL);
		data += VIEW_HEADER + n;
		size -= VIEW_HEADER + n;
	}
	if (command("merge", "base.map", "ours.map", "base.map", "one.map", NULL) ||
		!same("ours.map", "one.map"))
		broken("what nobody else changed is ours", "merge");
	if (command("merge", "base.map", "base.map", "theirs.map", "two.map", NULL) ||
		command("diff", "theirs.map", "two.map", NULL))
		broken("what only they changed is theirs", "merge");
	command("merge", "base.map", "ours.map", "theirs.map", "three.map", NULL);
}
