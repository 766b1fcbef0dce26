/* SPDX-License-Identifier: Zlib */
#include "vfs/files/sidecar.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "codec/zlib/checksum.h"

enum { IDENTITY_WHOLE_MAX = 16 << 20, IDENTITY_SAMPLE = 1 << 20, IDENTITY_CHUNK = 64 << 10 };

void sidecar_name(char ret[NAME_MAX + 1], const char *map, const char *suffix)
{
	size_t room = NAME_MAX - strlen(suffix);

	snprintf(ret, NAME_MAX + 1, "%.*s%s", (int)room, map, suffix);
}

void sidecar_family(char ret[NAME_MAX + 1], const char *map)
{
	static const char ending[] = ".mapfs-conflict";
	char *at, *rest;

	snprintf(ret, NAME_MAX + 1, "%s", map);
	at = strstr(ret, ending);
	if (!at || at == ret)
		return;
	rest = at + strlen(ending);
	if (*rest == '\0' || (*rest == '.' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]))
		*at = '\0';
}

struct sums {
	uint32_t crc, adler;
};

static int sum_range(
	const struct file *f, uint64_t off, uint64_t end, struct sums *s, struct error *e)
{
	uint8_t chunk[IDENTITY_CHUNK];
	int r;

	while (off < end) {
		size_t n = end - off < sizeof(chunk) ? (size_t)(end - off) : sizeof(chunk);

		r = file_read(f, off, chunk, n, e);
		if (r < 0)
			return r;
		s->crc = checksum_crc32(s->crc, chunk, n);
		s->adler = checksum_adler32(s->adler, chunk, n);
		off += n;
	}
	return 0;
}

static void sum_number(struct sums *s, uint64_t v)
{
	uint8_t raw[8];

	for (int i = 0; i < 8; i++)
		raw[i] = (uint8_t)(v >> (8 * i));
	s->crc = checksum_crc32(s->crc, raw, sizeof(raw));
	s->adler = checksum_adler32(s->adler, raw, sizeof(raw));
}

bool identity_is_whole(uint64_t size)
{
	return size <= IDENTITY_WHOLE_MAX;
}

int identity_of(const struct file *f, char ret[IDENTITY_SIZE], struct error *e)
{
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return error_errno(e, "cannot stat the map");
	return identity_as(f, &st, ret, e);
}

int identity_as(
	const struct file *f, const struct stat *as, char ret[IDENTITY_SIZE], struct error *e)
{
	struct sums s = {CRC32_START, ADLER32_START};
	uint64_t size = (uint64_t)as->st_size;
	int r;

	if (identity_is_whole(size)) {
		r = sum_range(f, 0, size, &s, e);
	} else {
		sum_number(&s, (uint64_t)as->st_mtim.tv_sec);
		sum_number(&s, (uint64_t)as->st_mtim.tv_nsec);
		r = sum_range(f, 0, IDENTITY_SAMPLE, &s, e);
		if (r == 0)
			r = sum_range(f, size - IDENTITY_SAMPLE, size, &s, e);
	}
	if (r < 0)
		return r;
	sum_number(&s, size);
	snprintf(ret, IDENTITY_SIZE, "%08" PRIx32 "%08" PRIx32, s.crc, s.adler);
	return 0;
}
