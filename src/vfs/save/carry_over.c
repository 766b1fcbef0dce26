/* SPDX-License-Identifier: Zlib */
/* Carry over the operations whose effect is not in the saved map. */
#include <errno.h>
#include <string.h>

#include "vfs/save/save.h"

static bool is_carried_over(const struct overlay_build *s, size_t i)
{
	enum build_outcome fate = s->result.outputs[i].outcome;

	return !s->inputs[i].is_removed && (fate == BUILD_REFUSED || fate == BUILD_KEPT);
}

bool has_carried_over(const struct overlay_build *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (is_carried_over(s, i))
			return true;
	return false;
}

bool has_completed(const struct overlay_build *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (oentry_differs(s->oentries[i]) && !is_carried_over(s, i) &&
			(s->oentries[i]->is_dir || !s->oentries[i]->is_scratch))
			return true;
	return false;
}

struct carry_over_args {
	const struct overlay_build *s;
	carry_over_fn fn;
	void *arg;
};

static int pass_operation(const struct carry_over_args *l, enum journal_type type, const char *path,
	const struct extent *content, const char *second)
{
	return l->fn(l->arg, &(struct journal_op){type, path, second, second, content});
}

static int carry_over_file(const struct carry_over_args *l, size_t i)
{
	const struct oentry *u = l->s->oentries[i];
	const struct build_output *b = &l->s->result.outputs[i];
	const char *why = b->reason              ? b->reason
			  : oentry_is_refused(u) ? u->refusal
						 : "cannot be in the map";
	CLEANUP(free) char *path = overlay_build_kept_path(l->s, i), *now = oentry_path(u);
	bool kept = b->outcome == BUILD_KEPT, draft = !kept || u->refusal;
	int r = path && now ? 0 : -ENOMEM;

	if (r == 0 && (kept || !b->has_accepted) && (u->accepted.mem || u->accepted.file))
		r = pass_operation(l, JOURNAL_PUT, path, &u->accepted, NULL);
	if (r == 0 && u->has_content)
		r = pass_operation(l, draft ? JOURNAL_DRAFT : JOURNAL_PUT, path, &u->bytes, why);
	return r == 0 && kept ? pass_operation(l, JOURNAL_RENAME, path, NULL, now) : r;
}

static int carry_over_dir(const struct carry_over_args *l, size_t i)
{
	CLEANUP(free) char *path = oentry_path(l->s->oentries[i]);

	return path ? pass_operation(l, JOURNAL_MKDIR, path, NULL, NULL) : -ENOMEM;
}

/* Carry over the new directories that contain carried-over files. All others are in the map. */
static int carry_over_dirs(const struct carry_over_args *l)
{
	const struct overlay_build *s = l->s;
	CLEANUP(free) bool *holds = calloc(s->n, sizeof(*holds));
	int r = holds ? 0 : -ENOMEM;

	for (size_t i = 1; r == 0 && i < s->n; i++)
		for (size_t k = i; is_carried_over(s, i) && k; k = s->inputs[k].parent)
			holds[k] = true;
	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (holds[i] && s->inputs[i].is_dir && s->inputs[i].origin == ENTRY_NONE)
			r = carry_over_dir(l, i);
	return r;
}

int carry_over(const struct overlay_build *s, carry_over_fn fn, void *arg)
{
	const struct carry_over_args l = {s, fn, arg};
	int r = carry_over_dirs(&l);

	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (is_carried_over(s, i) && !s->inputs[i].is_dir)
			r = carry_over_file(&l, i);
	return r;
}
