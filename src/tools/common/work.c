/* SPDX-License-Identifier: Zlib */
#include "tools/common/work.h"

#include <errno.h>
#include <inttypes.h>

#include "tools/tools.h"

int work_expect(const struct snapshot *map, bool no_limit, struct error *e)
{
	const struct toolset *tools = tools_of(map->format);
	uint64_t n = tools->work && !no_limit ? tools->work(map) : 0;

	if (n > WORK_BYTES_MAX)
		return error_set(e, -E2BIG,
			"reading the map takes the work of %" PRIu64 " bytes (at most %" PRIu64
			"; use --no-limit for more)",
			n, WORK_BYTES_MAX);
	return 0;
}
