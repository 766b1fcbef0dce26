/* SPDX-License-Identifier: Zlib */
/* A mount that ends without a save. */
#include <string.h>

#include "vfs/volume/report.h"
#include "vfs/save/run.h"
#include "vfs/save/status.h"

struct discarding {
	vfs_saved done;
	void *arg;
};

static void found(void *arg, struct buffer *text)
{
	struct discarding d = *(struct discarding *)arg;
	struct report report = REPORT_INIT;
	char *line, *rest;

	free(arg);
	buffer_byte(text, '\0');
	rest = text->error ? NULL : (char *)text->data;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			report_add(&report, REPORT_DISCARDED, "%s", line);
	buffer_finish_free(text);
	d.done(d.arg, &report);
}

void vfs_discard(struct vfs *v, vfs_saved done, void *arg)
{
	struct discarding *d = malloc(sizeof(*d));
	struct report report = REPORT_INIT;

	v->discard = true;
	if (d)
		*d = (struct discarding){done, arg};
	if (d && status_find(v, found, d) == 0)
		return;
	free(d);
	report_add(&report, REPORT_NOTE, "out of memory: what is discarded cannot be told");
	done(arg, &report);
}

void vfs_keep(struct vfs *v)
{
	v->discard = false;
}
