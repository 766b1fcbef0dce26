/* SPDX-License-Identifier: Zlib */
/*
 * rescue: the files that neither the map nor the journal will hold after the unmount: refused
 * contents, files that were never closed, and most scratch files (lost_at_end of tree/lost.h). They
 * are copied to NAME.mapfs-left/ beside the map, each to its path (files/rescue_dir.h).
 */
#pragma once

#include "vfs/tree/inode.h"
#include "vfs/volume/change_queue.h"

/*
 * A task of the change queue. It copies on the owner's thread, and syncs the copies on a thread of
 * the pool. A failure is a report line, OUTCOME_PARTIAL and report.unrescued.
 *
 * Before an unmount that can be refused (`ends` is false), it makes sure that the end will not fail
 * on a full disk. It skips files that are open for writing, reports no success, and on failure
 * removes all copies. The next run, or the end, brings the copies up to date.
 *
 * At the end it reports a line for each file, and OUTCOME_PARTIAL if there is any.
 */
struct rescue {
	struct change_task task; /* must be first; rescue_begin sets it */
	struct vfs *v;
	bool ends;
	struct report *report;
	void (*done)(
		struct rescue *r); /* on the owner's thread, after it left the queue; may be NULL */
	bool failed;               /* a file could not be copied */
	struct error error;        /* of the sync */
};

/* Enter the change queue. r must live until done() or, without it, until the queue is empty. */
void rescue_begin(struct rescue *r);
