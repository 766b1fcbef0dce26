/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "vfs/folder/opened.h"
#include "vfs/save/status.h"

struct status {
	struct folder *folder;
	struct call *call;
	struct buffer records;
	unsigned under_way;
};

struct part {
	struct status *all;
	struct opened *o;
};

static void finish_part(struct status *s)
{
	struct call *c = s->call;
	struct buffer b = BUFFER_INIT;

	if (--s->under_way)
		return;
	status_show(c->name, &s->records, &b);
	buffer_finish_free(&s->records);
	free(s);
	call_answer(c, &b);
}

/* Add the records of one map, with its path: "info/author" becomes "dm1.map/info/author". */
static void add_records(void *arg, struct buffer *records)
{
	struct part part = *(struct part *)arg;
	struct status *s = part.all;
	struct status_entry e;

	free(arg);
	status_add_refusals(part.o->v, records);
	if (records->error)
		s->records.error = records->error;
	for (size_t at = 0; status_next(records, &at, &e);) {
		CLEANUP(free) char *path = NULL;

		if (asprintf(&path, "%s/%s", part.o->path, e.path) < 0) {
			s->records.error = -ENOMEM;
			break;
		}
		e.path = path;
		status_add(&s->records, &e);
	}
	buffer_finish_free(records);
	part.o->calls--;
	finish_part(s);
}

static void request_status(struct status *s, struct opened *o)
{
	struct part *part = malloc(sizeof(*part));

	if (part)
		*part = (struct part){s, o};
	s->under_way++;
	o->calls++;
	if (part && status_collect(o->v, add_records, part) == 0)
		return;
	free(part);
	o->calls--;
	s->under_way--;
	s->records.error = -ENOMEM;
}

void level_getxattr(struct folder *f, struct level *l, struct call *c)
{
	struct status *s;

	if (l->parent || !status_is_attribute(c->name)) {
		call_done(c, strncmp(c->name, "user.", 5) == 0 ? -ENODATA : -EOPNOTSUPP);
		return;
	}
	s = malloc(sizeof(*s));
	if (!s) {
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*s = (struct status){f, c, BUFFER_INIT, 1};
	for (struct opened *o = opened_next(f, NULL), *next; o; o = next) {
		next = opened_next(f, o);
		if (opened_changed(o))
			request_status(s, o);
	}
	finish_part(s);
}
