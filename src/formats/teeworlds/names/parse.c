/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/parse.h"

#include <errno.h>
#include <string.h>

#include "codec/text/text.h"

static size_t count_digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

static uint64_t read_digits(const char *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (v > (UINT64_MAX - 9) / 10)
			return UINT64_MAX;
		v = 10 * v + (uint64_t)(s[i] - '0');
	}
	return v;
}

int tw_numbered_parse(
	enum tw_sort sort, const char *stem, size_t n, struct tw_parsed_name *ret, struct error *e)
{
	size_t digits = count_digits(stem, n), skip = 0;
	bool bare = digits == n;

	/* The name of an image or sound may be only digits, so they are no position. */
	ret->has_position =
		digits > 0 && (bare ? !tw_sorts[sort].is_embedded : stem[digits] == '_');
	ret->position = 0;
	if (ret->has_position) {
		ret->position = read_digits(stem, digits);
		skip = bare ? n : digits + 1;
	}
	ret->n = name_unescape(stem + skip, n - skip, ret->name);
	if (memchr(ret->name, '\0', ret->n))
		return error_set(e, -EINVAL, "the name has a NUL byte (%%00)");
	if (ret->n > tw_sorts[sort].name_max)
		return error_set(e, -ENAMETOOLONG, "the name has %zu bytes (at most %zu)", ret->n,
			tw_sorts[sort].name_max);
	return 0;
}
