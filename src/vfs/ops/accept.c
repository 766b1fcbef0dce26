/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/accept.h"

#include <errno.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/place.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"

void forgotten_tell(struct vfs *v, const struct forgotten *f, struct job *then)
{
	if (f->dir && v->host->forget_name)
		v->host->forget_name(v->host, f->dir, f->name, then);
	else if (then)
		pool_return(v->pool, then);
}

/* The file of the other form of n's object, or NULL. */
static struct node *find_alternate(struct vfs *v, const struct node *n, char name[NAME_MAX + 1])
{
	struct node *alternate;

	if (!n->parent || !object_alternate(v, n->parent->id, n->name, name))
		return NULL;
	if (names_resolve(v, n->parent, name, &alternate, NULL) < 0)
		return NULL;
	if (!node_scratch(alternate) && entry_object(alternate->id) == entry_object(n->id))
		return alternate;
	node_free_unused(v, alternate);
	return NULL;
}

/* n goes, and the kernel does not know. Who opens it came by that name. */
static void take_name(struct vfs *v, struct node *n, struct forgotten *ret)
{
	ret->dir = n->parent->ino;
	strcpy(ret->name, n->name);
	n->misnamed = true;
	place_detach(v, n);
}

/* One image is one file: of 03_x.png and 03_x.json the one that was written last. */
static void hide_other_form(struct vfs *v, struct node *n, struct forgotten *ret)
{
	char name[NAME_MAX + 1];
	struct node *alternate = find_alternate(v, n, name);

	if (!alternate)
		return;
	take_name(v, alternate, ret);
	(void)object_here(v, n);
}

bool accept_drops_draft(struct vfs *v, const struct node *n)
{
	char name[NAME_MAX + 1];
	struct node *alternate = find_alternate(v, n, name);
	bool is = alternate && alternate->stage && alternate->stage->verdict < 0;

	if (alternate)
		node_free_unused(v, alternate);
	return is;
}

void accept_content(struct vfs *v, struct node *n, struct forgotten *ret)
{
	struct object *o;
	struct entry en;

	if (node_scratch(n))
		return;
	node_show(v, n, LENS_LIVE, n->id);
	if (node_entry(n, &en, NULL) == 0)
		n->fixed = en.fixed;
	if (!n->parent)
		return;
	hide_other_form(v, n, ret);
	/* The file that it was refused beside may have gone meanwhile. */
	o = object_find(v, n->id);
	if (o && o->state != OBJECT_HERE)
		(void)object_here(v, n);
	if (o && o->node == n)
		o->unwritten = false;
}

/* n's object, of which n has no content, is what it was before n was made, by the name of the form
 * that it has: removed, or in the map. */
static void leave_object(struct vfs *v, struct node *n, bool gone)
{
	char other[NAME_MAX + 1], *own = n->name;
	struct entry en;
	int r = -EINVAL;

	if (node_entry(n, &en, NULL) == 0) {
		r = object_left(v, n, OBJECT_GONE);
	} else if (object_alternate(v, n->parent->id, own, other)) {
		n->name = other;
		r = object_left(v, n, gone ? OBJECT_GONE : OBJECT_KEPT);
		n->name = own;
	}
	if (r < 0)
		object_forget(v, n->id);
}

void draft_dismiss(struct vfs *v, struct node *n, struct forgotten *ret)
{
	const struct object *o = object_find(v, n->id);
	bool stands = n->lens == LENS_LIVE ||
		      (n->lens == LENS_MADE && o && o->state == OBJECT_HERE && o->node == n);
	struct entry en;

	stage_drop(n);
	n->set &= ~(unsigned)ATTR_MTIME;
	n->cached = false;
	if (stands && !(o && o->unwritten) && node_entry(n, &en, NULL) == 0)
		return;
	if (n->lens == LENS_NEW)
		object_forget(v, n->id);
	else if (n->lens == LENS_MADE && stands)
		leave_object(v, n, o->was_gone);
	node_cut(v, n);
	names_tell(v, n->parent);
	take_name(v, n, ret);
}
