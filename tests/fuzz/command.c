/* SPDX-License-Identifier: Zlib */
/*
 * The commands, with any bytes as a map: text, check, check --fix, convert, preview, index, diff
 * (with the fixture, and with itself), extract and then pack. Also edit with operations, cp of two
 * maps, and merge of three maps: the fixture, and two copies of it with files put as the input
 * says: for each the file's number, with the highest bit for theirs, a length of 16 bits, and the
 * content.
 *
 * Each command ends by itself with a documented exit code and without a report of a sanitizer. The
 * commands run in this process, so sandbox_enter is replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/disk/io.h"
#include "base/sandbox/sandbox.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "support/fuzz.h"
#include "vfs/volume/outcome.h"
#include "support/view.h"

enum { ARGS_MAX = 40, PUTS_MAX = 4, LINE_MAX_EDIT = 300 };

/* Replaces base/sandbox/sandbox.c. */
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

/* Discard the output of commands. Sanitizers and libFuzzer write to descriptor 2. */
static void discard_output(void)
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

/* Remove the files of this run's directory, and those below it. */
static void clear_dir(void)
{
	if (system("rm -rf ./*") != 0)
		fail("rm");
}

static void store_map(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || io_write(fd, data, size) < 0 || close(fd) < 0)
		fail(name);
}

static bool files_equal(const char *a, const char *b)
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

/* The command lines are correct, so the exit code for a wrong one is not allowed. */
static bool is_documented(const char *name, int code)
{
	if (strcmp(name, "diff") == 0)
		return code >= 0 && code <= 2;
	if (strcmp(name, "merge") == 0 && code != 0 && code != 1)
		code -= 128;
	else if (strcmp(name, "merge") == 0)
		return true;
	/* Its operations are part of the input. */
	if (strcmp(name, "edit") == 0 && code == OUTCOME_USAGE)
		return true;
	return code == OUTCOME_DONE || (code > OUTCOME_USAGE && code <= OUTCOME_BUSY);
}

static void undocumented(const char *name, int code)
{
	fprintf(stderr, "%s: exit code %d\n", name, code);
	abort();
}

/* Run mapfs with these arguments, the first of which is the command. */
static int run_words(int argc, char **argv)
{
	FILE *was = stderr;
	int code;

	optind = 0; /* resets getopt */
	stderr = nowhere;
	code = command_main(argv[0], argc, argv, cli_command_named(argv[0])->line);
	stderr = was;
	if (!is_documented(argv[0], code))
		undocumented(argv[0], code);
	return code;
}

/* Run mapfs NAME ...; the arguments end with NULL. */
static int run_command(const char *name, ...)
{
	char *argv[ARGS_MAX] = {(char *)name};
	int argc = 1;
	va_list ap;

	va_start(ap, name);
	while (argc < ARGS_MAX - 1 && (argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	return run_words(argc, argv);
}

static const char *fixture_path(void)
{
	return getenv("FUZZ_MAP") ? getenv("FUZZ_MAP") : FUZZ_MAP;
}

static void begin_map(const uint8_t *data, size_t size)
{
	discard_output();
	clear_dir();
	store_map("x.map", data, size);
}

TARGET(fuzz_command_text)
{
	begin_map(data, size);
	run_command("text", "x.map", NULL);
}

TARGET(fuzz_command_check)
{
	begin_map(data, size);
	run_command("check", "x.map", NULL);
}

TARGET(fuzz_command_convert)
{
	static const char *const games[] = {"0.6", "0.7", "ddnet"};

	for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
		begin_map(data, size);
		run_command("check", "--for", games[i], "x.map", NULL);
		if (run_command("convert", "--to", games[i], "--scale", "--strip", "x.map", "y.map",
			    NULL) != OUTCOME_DONE)
			continue;
		if (run_command("convert", "--to", games[i], "--scale", "--strip", "y.map", "z.map",
			    NULL) != OUTCOME_DONE ||
			!files_equal("y.map", "z.map"))
			abort_broken("nothing is left to be done", games[i]);
	}
}

/*
 * tidy clears unused bytes of tiles, which may compress worse by a few bytes in each layer of the
 * map.
 */
enum { CLEARED_MOST = 64 };

/* Check that the tidied map draws the same, is not larger, and cannot be tidied further. */
static void check_tidied(const char *how)
{
	if (run_command("tidy", how, "x.map", "y.map", NULL) != OUTCOME_DONE)
		return;
	if (size_of("y.map") > size_of("x.map") + CLEARED_MOST)
		abort_broken("a map that is tidied is no larger", how);
	if (run_command("tidy", how, "y.map", "z.map", NULL) != OUTCOME_DONE ||
		!files_equal("y.map", "z.map"))
		abort_broken("nothing is left to be done", how);
	if (run_command("preview", "--size", "200", "x.map", "x.png", NULL) == OUTCOME_DONE &&
		(run_command("preview", "--size", "200", "y.map", "y.png", NULL) != OUTCOME_DONE ||
			!files_equal("x.png", "y.png")))
		abort_broken("it looks as before", how);
}

TARGET(fuzz_command_tidy)
{
	static const char *const ways[] = {"--keep=raw", "--layers", "--pixels"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		begin_map(data, size);
		check_tidied(ways[i]);
	}
}

/* Store a map, or the fixture if it is empty. */
static void store_or_fixture(const char *name, const uint8_t *data, size_t size)
{
	char line[PATH_MAX + 32];

	if (size) {
		store_map(name, data, size);
		return;
	}
	snprintf(line, sizeof(line), "cp '%s' %s", fixture_path(), name);
	if (system(line) != 0)
		fail("cp");
}

/* Two maps: the length of the first one in 32 bits, both maps. An empty one is the fixture. */
TARGET(fuzz_command_cp)
{
	static const char *const patterns[] = {
		"groups/*", "groups/*/layers/*", "images/*", "sounds/*", "envelopes/*"};
	const size_t head = sizeof(uint32_t);
	size_t n = size >= head ? load_u32(data) : 0;

	if (size < head)
		return;
	n = n < size - head ? n : size - head;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		int code;

		discard_output();
		clear_dir();
		store_or_fixture("x.map", data + head, n);
		store_or_fixture("y.map", data + head + n, size - head - n);
		store_or_fixture("before.map", data + head + n, size - head - n);
		code = run_command("cp", "--settings", i == 1 ? "--target" : "--at",
			i == 1 ? "groups/0_Game" : "9,-9", "x.map", patterns[i], "y.map", NULL);
		if (code != OUTCOME_DONE && code != OUTCOME_PARTIAL &&
			!files_equal("y.map", "before.map"))
			abort_broken("a refused copy changes nothing", patterns[i]);
		if (files_equal("y.map", "before.map"))
			continue;
		if (run_command("ls", "-R", "y.map", NULL) != OUTCOME_DONE)
			abort_broken("the new map opens", patterns[i]);
	}
}

TARGET(fuzz_command_fix)
{
	begin_map(data, size);
	run_command("check", "--fix", "--output", "y.map", "x.map", NULL);
	if (access("y.map", F_OK) < 0)
		return;
	run_command("check", "--fix=settings", "--output", "z.map", "x.map", NULL);
	run_command("check", "--fix", "--output", "z.map", "y.map", NULL);
	if (!files_equal("y.map", "z.map"))
		abort_broken("nothing is left to be repaired", "check --fix");
}

/* A line of operations, with blanks between the words; then a map, or nothing for the fixture. */
TARGET(fuzz_command_edit)
{
	const uint8_t *end = memchr(data, '\n', size < LINE_MAX_EDIT ? size : LINE_MAX_EDIT);
	char line[LINE_MAX_EDIT + 1], *next = line, *word;
	char *argv[ARGS_MAX] = {
		(char *)"edit", (char *)"--output", (char *)"y.map", (char *)"x.map"};
	int argc = 4;

	if (!end)
		return;
	memcpy(line, data, (size_t)(end - data));
	line[end - data] = '\0';
	while ((word = strsep(&next, " ")) && argc < ARGS_MAX - 1)
		if (*word)
			argv[argc++] = word;
	discard_output();
	clear_dir();
	store_or_fixture("x.map", end + 1, size - (size_t)(end + 1 - data));
	store_or_fixture("other.map", NULL, 0);
	if (run_words(argc, argv) == OUTCOME_DONE && access("y.map", F_OK) == 0 &&
		run_command("ls", "-R", "y.map", NULL) != OUTCOME_DONE)
		abort_broken("the new map opens", line);
}

TARGET(fuzz_command_preview)
{
	begin_map(data, size);
	run_command("preview", "x.map", "x.png", NULL);
}

TARGET(fuzz_command_index)
{
	begin_map(data, size);
	run_command("index", "x.map", NULL);
}

TARGET(fuzz_command_diff)
{
	begin_map(data, size);
	run_command("diff", fixture_path(), "x.map", NULL);
	store_map("y.map", data, size);
	if (run_command("diff", "x.map", "y.map", NULL) == 1)
		abort_broken("no difference to itself", "diff");
}

TARGET(fuzz_command_pack)
{
	begin_map(data, size);
	if (run_command("extract", "-o", "raw=off", "x.map", "tree", NULL) != OUTCOME_DONE)
		return;
	/* Pack into a map of the same format; a game would not accept every map. */
	run_command("pack", "tree", "new.map", NULL);
	if (run_command("pack", "tree", "--onto", "x.map", NULL) == OUTCOME_BUSY)
		abort_broken("the map is not in use", "pack");
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
		abort_broken("the fixture opens", error_text(&e));
	fixture_close(&map);
}

TARGET(fuzz_command_merge)
{
	static struct paths paths;

	discard_output();
	clear_dir();
	if (!paths.n)
		take_paths(&paths);
	if (system("cp \"${FUZZ_MAP:-" FUZZ_MAP
		   "}\" base.map && cp base.map ours.map && cp base.map theirs.map"))
		fail("cp");
	for (unsigned i = 0; i < PUTS_MAX && size >= VIEW_HEADER; i++) {
		size_t n = (size_t)(data[1] | data[2] << 8), file = (data[0] & 0x7F) % paths.n;

		if (n > size - VIEW_HEADER)
			n = size - VIEW_HEADER;
		store_map("put", data + VIEW_HEADER, n);
		run_command("put", data[0] & 0x80 ? "theirs.map" : "ours.map", paths.at[file],
			"put", NULL);
		data += VIEW_HEADER + n;
		size -= VIEW_HEADER + n;
	}
	if (run_command("merge", "base.map", "ours.map", "base.map", "one.map", NULL) ||
		!files_equal("ours.map", "one.map"))
		abort_broken("unchanged files are ours", "merge");
	if (run_command("merge", "base.map", "base.map", "theirs.map", "two.map", NULL) ||
		run_command("diff", "theirs.map", "two.map", NULL))
		abort_broken("what only they changed is theirs", "merge");
	run_command("merge", "base.map", "ours.map", "theirs.map", "three.map", NULL);
}
