/* SPDX-License-Identifier: Zlib */
/*
 * The target FUZZ_TARGET for libFuzzer. With FUZZ_REPLAY, a program that runs it over the given
 * files and the files of the given directories; with -m also over each file with every byte changed
 * and at every length.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void FUZZ_TARGET(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_TARGET(data, size);
	return 0;
}

#ifdef FUZZ_REPLAY
/* Copy into exactly n bytes, so that a sanitizer detects a read past the end. */
static void run_exact(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	FUZZ_TARGET(copy, n);
	free(copy);
}

static void run_changed(uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t was = data[i];

		data[i] = (uint8_t)(was ^ (1U << (i % 8)));
		run_exact(data, size);
		data[i] = (uint8_t)~was;
		run_exact(data, size);
		data[i] = was;
		run_exact(data, i);
	}
}

static int replay(const char *path, bool change);

static int replay_directory(const char *path, bool change)
{
	DIR *dir = opendir(path);
	int r = dir ? 0 : 1;

	for (struct dirent *d; dir && (d = readdir(dir));) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s/%s", path, d->d_name);
		if (*d->d_name != '.')
			r |= replay(name, change);
	}
	if (dir)
		closedir(dir);
	return r;
}

static int replay(const char *path, bool change)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 1;
	uint8_t *data = NULL;
	struct stat st;
	size_t size;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		r = replay_directory(path, change);
	} else if (fd >= 0) {
		size = (size_t)st.st_size;
		data = malloc(size + 1);
		if (data && read(fd, data, size) == (ssize_t)size) {
			run_exact(data, size);
			if (change)
				run_changed(data, size);
			r = 0;
		}
	}
	if (r)
		fprintf(stderr, "%s: cannot be replayed\n", path);
	free(data);
	if (fd >= 0)
		close(fd);
	return r;
}

int main(int argc, char **argv)
{
	bool change = argc > 1 && !strcmp(argv[1], "-m");
	int r = 0;

	for (int i = 1 + change; i < argc; i++)
		r |= replay(argv[i], change);
	return r;
}
#endif
