/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/call.h"

#include <stdlib.h>
#include <string.h>

void call_done(struct call *c, int r)
{
	if (c->kept) {
		free((void *)(uintptr_t)c->name);
		free((void *)(uintptr_t)c->to_name);
		free((void *)(uintptr_t)c->data);
		c->name = c->to_name = NULL;
		c->data = NULL;
		c->kept = false;
	}
	c->reply(c, r);
}

void call_keep(struct call *c)
{
	void *data = NULL;

	if (c->kept)
		return;
	c->name = c->name ? strdup(c->name) : NULL;
	c->to_name = c->to_name ? strdup(c->to_name) : NULL;
	if (c->data) {
		data = malloc(c->size ? c->size : 1);
		if (data)
			memcpy(data, c->data, c->size);
	}
	c->data = data;
	c->kept = true;
}

void call_again(struct vfs *v, struct call *c)
{
	c->op(v, c);
}
