/* SPDX-License-Identifier: Zlib */
/*
 * parts: files of objects that were removed while the object stays. They take their empty
 * form: an info text none, a table zeros, a list no elements; what a layer or group is stays, and
 * so does what a layer has that stands in several groups, whose files show it in each of them.
 */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/group.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/lens/kinds.h"

/* A file's content, put as its user would put it. */
static int put_text(
	struct finalizing *s, entry_id id, const char *text, struct tw_change *c, struct error *e)
{
	CLEANUP_EXTENT struct extent in = extent_of_bytes(bytes_copy(text, strlen(text)));

	if (!in.mem)
		return error_set(e, -ENOMEM, "no memory for an empty file");
	return tw_kind(id)->parse(s->to, id, &in, c, e);
}

/* -ENOTSUP: it has no empty form. */
static int empty(struct finalizing *s, entry_id id, struct tw_change *c, struct error *e)
{
	switch (tw_id_kind(id)) {
	case TW_K_INFO:
		return put_text(s, id, "", c, e);
	case TW_K_QUADS:
	case TW_K_SOURCES:
		return put_text(s, id, "[]", c, e);
	case TW_K_PLANE:
		return tw_plane_clear(s->to, id, c, e);
	default:
		return -ENOTSUP;
	}
}

static bool is_part(entry_id id)
{
	return tw_sort_of(id) == TW_SORTS && tw_kind(id) && tw_kind(id)->parse;
}

/* The object that the part belongs to leaves too, so nothing is to be said or done. Of a layer in
 * two groups it is the one in the part's group that counts: the other has the same files. */
static bool leaves(const struct finalizing *s, entry_id id)
{
	bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
	const struct tw_order *r = &s->orders[group ? TW_SORT_GROUP : TW_SORT_LAYER];
	uint32_t at = group ? tw_id_a(id) : tw_id_b(id);
	const struct tw_slot *slot;

	if (tw_id_kind(id) == TW_K_INFO)
		return false;
	slot = tw_order_slot(r, at, tw_id_a(id));
	return !slot || slot->gone;
}

static void say_stays(struct finalizing *s, entry_id id, const char *path, bool shared)
{
	bool plane = tw_id_kind(id) == TW_K_PLANE;

	finalize_say(s, "%s%s was removed from %s, which %s: it stays",
		plane ? tw_plane_names[tw_id_c(id)] : tw_kind(id)->label, plane ? ".csv" : "", path,
		shared ? "stands in several groups" : "cannot be without it");
}

static int remove_part(struct finalizing *s, entry_id id, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(s->to);
	struct snapshot *to = &s->to->base;
	char path[FINALIZE_PATH_MAX];
	bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
	bool shared = tw_id_kind(id) > TW_K_LAYER && tw_layer_is_shared(s->from, tw_id_b(id));
	int r = shared ? -ENOTSUP
		: c    ? empty(s, id, c, e)
		       : error_set(e, -ENOMEM, "no memory for a change");

	if (r == -ENOTSUP || r == -EIO) {

		finalize_path(s, group ? TW_SORT_GROUP : TW_SORT_LAYER,
			group ? tw_id_a(id) : tw_id_b(id), path);
		say_stays(s, id, path, shared);
		return 0;
	}
	if (r == 0 && c->error)
		r = error_set(e, c->error, "no memory for a change");
	if (r < 0 || c->n_edits == 0)
		return r;
	r = tw_change_apply(&to, c, e);
	s->to = (struct tw_map *)to;
	return r;
}

bool finalize_has_parts(const struct placement *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].removed && is_part(p[i].id))
			return true;
	return false;
}

int finalize_parts(struct finalizing *s, const struct placement *p, size_t n, struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		int r = 0;

		if (p[i].removed && is_part(p[i].id) && !leaves(s, p[i].id))
			r = remove_part(s, p[i].id, e);
		if (r < 0)
			return r;
	}
	return 0;
}
