/* SPDX-License-Identifier: Zlib */
/*
 * laws: checks the laws of formats/format.h for every file of the given maps.
 *
 *     laws [--identical|--list] FILE.map...
 *
 * Checks Size, determinism (any range is a slice of the whole), GetPut, PutGet and Locality; then
 * the map with all puts is written, verified and read again. With --identical a forced rewrite of
 * the unchanged map must give exactly the bytes of the file. Prints the number of files of each
 * kind, of read-only files, and of unreadable files. The exit code is 1 if a law is broken (one
 * line on stderr for each). A refused map is counted and is no failure: corpus.list says which maps
 * must be refused.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "support/fixture.h"
#include "support/mutate.h"

struct tally {
	unsigned files, read_only, unreadable, puts, refused;
};

struct run {
	struct tally kinds[TW_N_KINDS];
	unsigned maps, not_opened, broken;

	/* of the current map */
	const char *map;
	const struct fixture *f;
	bool packed;              /* images are shown compressed, and put uncompressed */
	struct snapshot *changed; /* has the puts of all files so far */
};

static void broken(void *arg, const char *path, const char *law, const char *text)
{
	struct run *run = arg;

	fprintf(stderr, "%s: %s: %s: %s\n", run->map, path, law, text);
	run->broken++;
}

static void check_locality(
	struct run *run, const char *path, entry_id id, const struct snapshot *before)
{
	char text[200];

	if (!locality_holds(tw_map_of(before), tw_map_of(run->changed), id, text, sizeof(text)))
		broken(run, path, "Locality", text);
}

static void check_put(
	struct run *run, const char *path, const struct file_attr *entry, const struct bytes *whole)
{
	CLEANUP(snapshot_unref) struct snapshot *before = snapshot_ref(run->changed);
	CLEANUP(bytes_unref) struct bytes *b = mutate(tw_map_of(before), entry->id, whole);
	const struct laws laws = {broken, run};
	struct tally *tally = &run->kinds[tw_id_kind(entry->id)];
	struct error e = ERROR_INIT;
	struct file_attr now;
	int r;

	/* An ignored item may have been removed, so that it does not become valid. */
	if (!b || (tw_id_kind(entry->id) == TW_K_RAW_ITEM &&
			  before->format->stat(before, entry->id, &now, &e) == -ENOENT))
		return;
	r = laws_put(&laws, &run->changed, path, entry, b, !run->packed, &e);
	/* Only raw/ may refuse content that mutate makes. */
	if (r == -EINVAL && tw_id_kind(entry->id) < TW_K_RAW)
		broken(run, path, "PutGet refuses", error_text(&e));
	tally->refused += r == -EINVAL;
	tally->puts += r == 1;
	if (r == 1)
		check_locality(run, path, entry->id, before);
}

static void check_file(void *arg, const char *path, const struct file_attr *entry)
{
	struct run *run = arg;
	const struct laws laws = {broken, run};
	struct tally *tally = &run->kinds[tw_id_kind(entry->id)];
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r;

	tally->files++;
	tally->read_only += !entry->is_writable;
	/* Larger files are left to the test of bounded memory. */
	if (entry->has_size && entry->size > (512u << 20))
		return;
	r = laws_read(&laws, run->f->s, path, entry, &whole);
	tally->unreadable += r == -EIO;
	if (r == 0 && entry->is_writable)
		check_put(run, path, entry, whole);
}

static void check_rewrite(struct run *run, const struct snapshot *s, bool force, bool identical)
{
	struct error e = ERROR_INIT;
	struct source written;
	struct fixture again;

	if (fixture_write(run->f, s, force, &written, NULL, &e) < 0) {
		broken(run, "", force ? "forced rewrite" : "rewrite", error_text(&e));
		return;
	}
	if (identical && !source_equal(&written, &run->f->source))
		broken(run, "", "forced rewrite", "differs from the file");
	if (fixture_open_source(&again, &format_teeworlds, &written, NULL, &e) < 0)
		broken(run, "", "the written file is refused", error_text(&e));
	fixture_close(&again);
}

static void run_map(struct run *run, const char *path, bool identical)
{
	struct error e = ERROR_INIT;
	struct fixture f;

	run->f = &f;
	run->packed = false;
	run->maps++;
	if (fixture_open(&f, path, "rw", &e) < 0) {
		run->not_opened++;
		fixture_close(&f);
		return;
	}
	run->changed = snapshot_ref(f.s);
	if (entry_walk(f.s, ENTRY_ROOT, "", check_file, run, &e) < 0)
		broken(run, "", "walk", error_text(&e));
	check_rewrite(run, f.s, false, false);
	check_rewrite(run, run->changed, false, false);
	if (identical)
		check_rewrite(run, f.s, true, true);
	snapshot_unref(run->changed);
	fixture_close(&f);
}

/* Check the laws for the images only, compressed. */
static void run_packed(struct run *run, const char *path)
{
	struct error e = ERROR_INIT;
	struct file_attr images;
	struct fixture f;

	run->f = &f;
	run->packed = true;
	if (fixture_open(&f, path, FIXTURE_PACKED, &e) == 0 &&
		entry_find(f.s, "images", &images) == 0) {
		run->changed = snapshot_ref(f.s);
		if (entry_walk(f.s, images.id, "images", check_file, run, &e) < 0)
			broken(run, "images", "walk", error_text(&e));
		check_rewrite(run, run->changed, false, false);
		snapshot_unref(run->changed);
	}
	fixture_close(&f);
}

/*
 * Compressing all images of a map several times takes long, so only one map of this many is tried.
 */
enum { PACKED_SHARE = 8 };

static void list_map(const char *path)
{
	struct error e = ERROR_INIT;
	struct fixture f;

	if (fixture_open(&f, path, "ro", &e) == 0)
		printf("mounts %s\n", path);
	else
		printf("refused %s: %s\n", path, error_text(&e));
	fixture_close(&f);
}

int main(int argc, char **argv)
{
	static struct run run;
	bool identical = argc > 1 && strcmp(argv[1], "--identical") == 0;
	bool all = getenv("MAPFS_TEST_ALL") != NULL;

	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		for (int i = 2; i < argc; i++)
			list_map(argv[i]);
		return 0;
	}
	for (int i = 1 + identical; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');

		run.map = slash ? slash + 1 : argv[i];
		run_map(&run, argv[i], identical);
		if (all || (i - identical) % PACKED_SHARE == 1)
			run_packed(&run, argv[i]);
	}
	printf("%u maps, %u refused\n", run.maps, run.not_opened);
	for (enum tw_kind_id i = 0; i < TW_N_KINDS; i++) {
		const struct tally *t = &run.kinds[i];

		if (t->files)
			printf("%-12s %6u files, %u read-only, %u unreadable, %u puts, %u "
			       "refused\n",
				tw_kind(tw_id(i, 0, 0))->label, t->files, t->read_only,
				t->unreadable, t->puts, t->refused);
	}
	return run.broken ? 1 : 0;
}
