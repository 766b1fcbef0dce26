/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/check/check.h"

#include <errno.h>

#include "formats/teeworlds/check/faults.h"

int tw_check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct tw_faults old = {.m = before ? tw_map_of(before) : NULL};
	struct tw_faults now = {.m = tw_map_of(s), .why = why, .arg = arg, .before = &old};
	struct tw_grouped g = {0};
	int r = 0;

	if (before) {
		tw_check_refused(&old, &g);
		tw_grouped_finish(&g);
		tw_faults_settle(&old);
	}
	if (all)
		tw_check_file(&now);
	tw_check_refused(&now, &g);
	if (all && g.home) {
		tw_check_data(&now, &g);
		tw_check_parts(&now, &g);
	}
	if (old.failed || now.failed)
		r = error_set(e, -ENOMEM, "no memory to check the map");
	else if (now.refused)
		r = error_set(e, -EINVAL, "a game would refuse the map");
	tw_grouped_finish(&g);
	tw_faults_finish(&old);
	tw_faults_finish(&now);
	return r;
}
