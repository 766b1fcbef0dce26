/* SPDX-License-Identifier: Zlib */
/* End a mount without a save. */
#include <string.h>

#include "vfs/volume/report.h"
#include "vfs/save/run.h"
#include "vfs/save/save.h"
#include "vfs/save/status.h"

struct discarding {
	struct vfs *v;
	vfs_saved done;
	void *arg;
};

static void report_discarded(void *arg, struct buffer *records)
{
	struct discarding d = *(struct discarding *)arg;
	struct report report = REPORT_INIT;
	struct status_entry e;

	free(arg);
	for (size_t at = 0; status_next(records, &at, &e);) {
		CLEANUP_BUFFER struct buffer line = BUFFER_INIT;

		status_line(&line, &e);
		if (!line.error)
			report_add(&report, REPORT_DISCARDED, "%.*s", (int)line.size - 1,
				(char *)line.data);
	}
	buffer_finish_free(records);
	report_new_map(d.v->vol, &report);
	/* A map that was saved after a conflict stays. */
	report_conflict(&report, d.v->vol);
	d.done(d.arg, &report);
}

void vfs_discard(struct vfs *v, vfs_saved done, void *arg)
{
	struct discarding *d = malloc(sizeof(*d));
	struct report report = REPORT_INIT;

	v->discards = true;
	if (d)
		*d = (struct discarding){v, done, arg};
	if (d && status_collect(v, report_discarded, d) == 0)
		return;
	free(d);
	report_add(&report, REPORT_NOTE, "out of memory: cannot list the discarded changes");
	done(arg, &report);
}

void vfs_undo_discard(struct vfs *v)
{
	v->discards = false;
}
