/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads/parallel.h"
#include "formats/building.h"

/* Load the bytes of a file of the base. */
static int load_origin(const struct building *b, entry_id id, struct extent *ret, struct error *e)
{
	uint8_t *data;
	struct bytes *all;
	uint64_t size;
	int r = snapshot_size(b->base, id, &size, e);

	if (r < 0)
		return r;
	all = bytes_new(size, &data);
	if (!all)
		return error_set(e, -ENOMEM, "out of memory");
	r = b->format->get(b->base, id, 0, data, all->size, e);
	if (r < 0) {
		bytes_unref(all);
		return r;
	}
	*ret = extent_of_bytes(all);
	return 0;
}

/* Is anything to be applied to the entry of input i: its bytes, or those of another origin? */
static bool needs_apply(const struct building *b, size_t i)
{
	const struct build_input *t = &b->inputs[i];
	const struct build_output *o = &b->result->outputs[i];

	if (t->is_dir || t->is_removed || o->id == ENTRY_NONE)
		return false;
	return t->bytes || (t->origin != ENTRY_NONE && t->origin != o->id);
}

/* parsed.id for input i; ENTRY_NONE if new, because its number is valid in this build only. */
static entry_id parsed_id(const struct building *b, size_t i)
{
	const struct build_output *o = &b->result->outputs[i];

	return o->outcome == BUILD_NEW ? ENTRY_NONE : o->id;
}

static bool is_parsed_for(const struct parsed *p, entry_id id)
{
	return p && p->id == id;
}

/* Parse bytes (NULL: those of the origin) for input i, or reuse `had` if it is for its entry. */
static int parse_content(const struct building *b, size_t i, const struct extent *bytes,
	const struct parsed *had, struct parsed **ret, struct error *e)
{
	CLEANUP(content_unref) struct content *c = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	int r = 0;

	if (is_parsed_for(had, parsed_id(b, i))) {
		*ret = parsed_ref(had);
		return 0;
	}
	if (!bytes)
		r = load_origin(b, b->inputs[i].origin, &x, e);
	if (r == 0 || !error_is_transient(r))
		c = content_new(bytes ? bytes : &x);
	if (!c)
		return r < 0 ? r : error_set(e, -ENOMEM, "out of memory");
	if (r < 0)
		return content_refuse(parsed_id(b, i), c, r, e, ret);
	return content_parse(b->bare_map, b->result->outputs[i].id, parsed_id(b, i), c, ret, e);
}

struct parse_job {
	const struct building *b;
	const uint32_t *entries;
};

static int parse_one(void *arg, size_t k, struct error *e)
{
	const struct parse_job *p = arg;
	size_t i = p->entries[k];
	struct build_output *o = &p->b->result->outputs[i];

	return parse_content(p->b, i, p->b->inputs[i].bytes, p->b->inputs[i].parsed, &o->parsed, e);
}

/* Apply the accepted content of input i, or the bytes of its origin. */
static int apply_accepted(struct building *b, size_t i, bool *ret_changed, struct error *why)
{
	struct build_output *o = &b->result->outputs[i];
	int r;

	if (!b->inputs[i].accepted &&
		(b->inputs[i].origin == ENTRY_NONE || b->inputs[i].origin == o->id))
		return 0;
	r = o->accepted_parsed ? 0
			       : parse_content(b, i, b->inputs[i].accepted,
					 b->inputs[i].accepted_parsed, &o->accepted_parsed, why);
	return r < 0 ? r : building_apply(b, o->id, o->accepted_parsed, ret_changed, why);
}

/* Refuse the content of input i, and apply the accepted one. -ENOMEM. */
static int refuse_content(struct building *b, size_t i, int r, const struct error *why)
{
	struct build_output *o = &b->result->outputs[i];
	enum build_outcome was = o->outcome;
	struct error none = ERROR_INIT;
	struct name_class m;
	bool changed = false;

	if (b->inputs[i].bytes)
		o->has_accepted =
			apply_accepted(b, i, &changed, &none) == 0 && b->inputs[i].accepted;
	o->is_unresolved = r == -EAGAIN || why->is_unresolved;
	building_refuse(b, i, why);
	if (changed || was == BUILD_MOVED)
		o->hidden_outcome = was == BUILD_SAME ? BUILD_WRITTEN : was;
	/* A new object without content is not added to the map. */
	if (was != BUILD_NEW || changed || building_classify(b, i, &m, NULL) < 0 ||
		m.kind != NAME_OBJECT)
		return 0;
	return building_place(b, (struct placement){.id = o->id, .is_removed = true});
}

/* Apply the content of input i. 1: it needs other files first; try again. */
static int apply_content(struct building *b, size_t i, struct error *e)
{
	struct build_output *o = &b->result->outputs[i];
	struct error why = ERROR_INIT;
	bool changed = false;
	int r = building_apply(b, o->id, o->parsed, &changed, &why);

	if (error_is_transient(r))
		return error_set(e, r, "%s", error_text(&why));
	b->has_progress |= r == 0 || (r == -EAGAIN && changed);
	if (r == 0 && o->outcome == BUILD_SAME && !o->parsed->is_unchanged)
		o->outcome = BUILD_WRITTEN;
	if (r == 0)
		return 0;
	if (!b->is_last_round && (r == -EAGAIN || why.is_unresolved))
		return 1;
	return refuse_content(b, i, r, &why);
}

/* Is input i below raw/? Names there are numbers, so these files are applied first. */
static bool is_raw(const struct building *b, size_t i)
{
	while (b->inputs[i].parent)
		i = b->inputs[i].parent;
	return strcmp(b->inputs[i].name, "raw") == 0;
}

/* Try to apply the waiting contents. Those that still wait stay in the array; *n is updated. */
static int apply_round(struct building *b, uint32_t *waiting, size_t *n, struct error *e)
{
	size_t k = 0;
	int r = 0;

	b->has_progress = false;
	for (size_t i = 0; r >= 0 && i < *n; i++) {
		r = apply_content(b, waiting[i], e);
		if (r > 0)
			waiting[k++] = waiting[i];
	}
	*n = k;
	return r < 0 ? r : 0;
}

/* Set up the context for apply: placements and written files. */
static int make_context(struct building *b)
{
	struct build_context *o = &b->context;

	b->files = malloc(b->result->n * sizeof(*b->files));
	if (!b->files)
		return -ENOMEM;
	*o = (struct build_context){b->placements, b->n_placements, b->files, 0};
	for (size_t i = 1; i < b->result->n; i++)
		if (b->inputs[i].bytes && b->result->outputs[i].parsed)
			b->files[o->n_files++] = (struct written_file){b->result->outputs[i].id,
				b->result->outputs[i].parsed, b->inputs[i].is_refused};
	return 0;
}

/* Parse all contents. Reuse existing parsed values before starting threads. */
static int parse_all(struct building *b, const uint32_t *entries, size_t n, struct error *e)
{
	CLEANUP(free) uint32_t *missing = malloc((n + 1) * sizeof(*missing));
	struct parse_job p = {b, missing};
	size_t k = 0;

	b->bare_map = snapshot_ref(b->map);
	if (!missing)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t j = 0; j < n; j++) {
		size_t i = entries[j];

		if (is_parsed_for(b->inputs[i].parsed, parsed_id(b, i)))
			b->result->outputs[i].parsed = parsed_ref(b->inputs[i].parsed);
		else
			missing[k++] = (uint32_t)i;
	}
	return k ? parallel_each(k, parse_one, &p, e) : 0;
}

int apply_contents(struct building *b, struct error *e)
{
	CLEANUP(free) uint32_t *waiting = malloc(b->result->n * sizeof(*waiting));
	size_t n = 0;
	int r;

	if (!waiting)
		return error_set(e, -ENOMEM, "out of memory");
	for (int raw = 1; raw >= 0; raw--)
		for (size_t i = 1; i < b->result->n; i++)
			if (needs_apply(b, i) && is_raw(b, i) == raw)
				waiting[n++] = (uint32_t)i;
	r = parse_all(b, waiting, n, e);
	if (r == 0 && make_context(b) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	while (r == 0 && n) {
		r = apply_round(b, waiting, &n, e);
		if (b->is_last_round || r < 0)
			break;
		b->is_last_round = !b->has_progress;
	}
	return r;
}
