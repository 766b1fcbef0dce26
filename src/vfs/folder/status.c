/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "vfs/folder/open.h"
#include "vfs/save/status.h"

struct status {
	struct folder *folder;
	struct call *call;
	struct buffer text;
	unsigned under_way;
};

struct part {
	struct status *all;
	struct opened *o;
};

static void finish(struct status *s)
{
	struct call *c = s->call;
	int r = s->text.error;

	if (--s->under_way)
		return;
	c->out = malloc(s->text.size + 1);
	if (r == 0 && !c->out)
		r = -ENOMEM;
	if (r == 0 && s->text.size)
		memcpy(c->out, s->text.data, s->text.size);
	c->out_size = s->text.size;
	buffer_finish_free(&s->text);
	free(s);
	call_done(c, r);
}

/* "changed info/author" is "changed dm1.map/info/author" here. */
static void found(void *arg, struct buffer *text)
{
	struct part part = *(struct part *)arg;
	struct status *s = part.all;
	char *line, *rest, name[PATH_MAX];

	free(arg);
	snprintf(name, sizeof(name), "%s", part.o->path);
	for (char *at = name; (at = strchr(at, '\n'));)
		*at = '?';
	buffer_byte(text, '\0');
	rest = text->error ? NULL : (char *)text->data;
	while ((line = strsep(&rest, "\n"))) {
		char *path = strchr(line, ' ');

		if (path)
			buffer_printf(
				&s->text, "%.*s %s/%s\n", (int)(path - line), line, name, path + 1);
	}
	buffer_finish_free(text);
	part.o->calls--;
	finish(s);
}

static void ask(struct status *s, struct opened *o)
{
	struct part *part = malloc(sizeof(*part));

	if (part)
		*part = (struct part){s, o};
	s->under_way++;
	o->calls++;
	if (part && status_find(o->v, found, part) == 0)
		return;
	free(part);
	o->calls--;
	s->under_way--;
	s->text.error = -ENOMEM;
}

void level_getxattr(struct folder *f, struct level *l, struct call *c)
{
	struct status *s;

	if (l->parent || strcmp(c->name, STATUS_ATTRIBUTE) != 0) {
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
	for (struct opened *o = open_next(f, NULL), *next; o; o = next) {
		next = open_next(f, o);
		if (open_changed(o))
			ask(s, o);
	}
	finish(s);
}

struct syncing {
	struct folder *folder;
	struct call *call;
};

static void saved(void *arg, struct report *report)
{
	struct syncing s = *(struct syncing *)arg;
	int r = report->error && report->error != -EINVAL ? report->error : -EIO;
	enum outcome code = report->code;

	free(arg);
	for (size_t i = 0; i < report->n; i++)
		s.folder->host->note(s.folder->host, report->lines[i]);
	report_finish(report);
	call_done(s.call, code == OUTCOME_SAVE_FAILED ? r : 0);
}

void level_fsync(struct folder *f, struct level *l, struct call *c)
{
	struct syncing *s = malloc(sizeof(*s));

	(void)l;
	if (!s) {
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*s = (struct syncing){f, c};
	folder_save(f, false, saved, s);
}
