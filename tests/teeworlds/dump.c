/* SPDX-License-Identifier: Zlib */
/*
 * dump: prints the files of maps, for test_layers.py.
 *
 *     dump DIR... -- FILE.map...
 *
 * For each map it prints a line with the map's path, then for each file below the given directories
 * of the mount: its size, the CRC-32 of its content ("-" if it cannot be read) and its path.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "support/fixture.h"

static const struct snapshot *at_hand;

static void print_file(void *arg, const char *path, const struct file_attr *entry)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error e = ERROR_INIT;

	(void)arg;
	if (entry_get(at_hand, entry, &b, &e) == 0)
		printf("%zu %08lx %s\n", b->size, crc32_z(0, b->data, b->size), path);
	else
		printf("- %s %s\n", e.code == -EIO ? "-" : error_text(&e), path);
}

int main(int argc, char **argv)
{
	int dirs = 1;

	while (dirs < argc && strcmp(argv[dirs], "--") != 0)
		dirs++;
	for (int i = dirs + 1; i < argc; i++) {
		struct error e = ERROR_INIT;
		struct fixture f;
		struct file_attr dir;

		printf("map %s\n", argv[i]);
		if (fixture_open(&f, argv[i], "ro", &e) < 0)
			printf("refused\n");
		at_hand = f.s;
		for (int k = 1; f.s && k < dirs; k++)
			if (entry_find(f.s, argv[k], &dir) == 0)
				entry_walk(f.s, dir.id, argv[k], print_file, NULL, &e);
		fixture_close(&f);
	}
	return 0;
}
