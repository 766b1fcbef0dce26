/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "formats/format.h"

void call_done(struct call *c, int r)
{
	if (c->owns_arguments) {
		free((void *)(uintptr_t)c->name);
		free((void *)(uintptr_t)c->to_name);
		free((void *)(uintptr_t)c->data);
		c->name = c->to_name = NULL;
		c->data = NULL;
		c->owns_arguments = false;
	}
	if (c->pending_calls)
		--*c->pending_calls;
	c->pending_calls = NULL;
	snapshot_unref(TAKE(c->size_result.snapshot));
	c->reply(c, r);
}

void call_answer(struct call *c, struct buffer *b)
{
	int r = b->error;

	c->out = malloc(b->size + 1);
	if (!c->out)
		r = -ENOMEM;
	if (r == 0 && b->size)
		memcpy(c->out, b->data, b->size);
	c->out_size = b->size;
	buffer_finish_free(b);
	call_done(c, r);
}

static void out_of_memory(struct vfs *, struct call *c)
{
	call_done(c, -ENOMEM);
}

void call_keep(struct call *c)
{
	char *name = NULL, *to_name = NULL;
	void *data = NULL;

	if (c->owns_arguments)
		return;
	if (c->name)
		name = strdup(c->name);
	if (c->to_name)
		to_name = strdup(c->to_name);
	if (c->data) {
		data = malloc(c->size ? c->size : 1);
		if (data)
			memcpy(data, c->data, c->size);
	}
	/* The call fails when it runs again. */
	c->copy_failed = !name != !c->name || !to_name != !c->to_name || !data != !c->data;
	if (c->copy_failed)
		c->op = out_of_memory;
	c->name = name;
	c->to_name = to_name;
	c->data = data;
	c->owns_arguments = true;
}

void call_again(struct vfs *v, struct call *c)
{
	c->op(v, c);
}

void calls_add(struct calls *w, struct call *c)
{
	call_keep(c);
	c->next = NULL;
	*(w->first ? &w->last->next : &w->first) = c;
	w->last = c;
}

struct call *calls_take(struct calls *w)
{
	struct call *c = w->first;

	if (c)
		w->first = c->next;
	return c;
}

void calls_run(struct calls *w, struct vfs *v)
{
	struct calls all = *w;
	struct call *c;

	w->first = NULL;
	while ((c = calls_take(&all)))
		call_again(v, c);
}
