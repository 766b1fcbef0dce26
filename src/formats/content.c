/* SPDX-License-Identifier: Zlib */
/* Contents of closed files, and their parsed values. */
#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/format.h"

static atomic_ullong parsed_total;

struct content *content_new(const struct extent *x)
{
	struct content *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	atomic_init(&c->refs, 1);
	c->bytes = extent_ref(x);
	return c;
}

DEFINE_REF(struct content, content_ref)

void content_unref(struct content *c)
{
	if (!c || !refs_drop(&c->refs))
		return;
	extent_finish(&c->bytes);
	free(c);
}

void content_move(struct content *c, const struct extent *x)
{
	extent_finish(&c->bytes);
	c->bytes = extent_ref(x);
}

void *parsed_new(size_t size, struct content *c, void (*finish)(struct parsed *p))
{
	struct parsed *p = calloc(1, size);

	if (!p)
		return NULL;
	atomic_init(&p->refs, 1);
	p->content = content_ref(c);
	p->finish = finish;
	return p;
}

int parsed_finish(struct parsed *p, int r, struct parsed **ret)
{
	if (r < 0)
		parsed_unref(p);
	else
		*ret = p;
	return r;
}

struct parsed *parsed_ref(const struct parsed *p)
{
	struct parsed *mine = (struct parsed *)(uintptr_t)p;

	if (mine)
		refs_take(&mine->refs);
	return mine;
}

void parsed_unref(struct parsed *p)
{
	if (!p || !refs_drop(&p->refs))
		return;
	if (p->finish)
		p->finish(p);
	content_unref(p->content);
	free(p->refusal);
	free(p);
}

int content_refuse(entry_id id, struct content *c, int r, struct error *why, struct parsed **ret)
{
	struct parsed *p = parsed_new(sizeof(*p), c, NULL);

	if (!p)
		return error_set(why, -ENOMEM, "out of memory");
	p->id = id;
	p->refusal_errno = r;
	p->depends_on_others = why->is_unresolved;
	p->refusal = strdup(why->code ? error_text(why) : strerror(-r));
	error_clear(why);
	*ret = p;
	return 0;
}

int parsed_error(const struct parsed *p, struct error *e)
{
	int r = error_set(
		e, p->refusal_errno, "%s", p->refusal ? p->refusal : strerror(-p->refusal_errno));

	return p->depends_on_others ? error_set_unresolved(e, r) : r;
}

uint64_t content_parsed_total(void)
{
	return atomic_load(&parsed_total);
}

int content_parse(const struct snapshot *s, entry_id at, entry_id id, struct content *c,
	struct parsed **ret, struct error *e)
{
	struct error why = ERROR_INIT;
	int r = s->format->edit->parse(s, at, c, ret, &why);

	atomic_fetch_add(&parsed_total, 1);
	if (error_is_transient(r))
		return error_set(e, r, "%s", error_text(&why));
	if (r < 0) {
		r = content_refuse(id, c, r, &why, ret);
		return r < 0 ? error_set(e, r, "%s", error_text(&why)) : 0;
	}
	(*ret)->id = id;
	return 0;
}

/* Update the derived parts of *s, without placements. */
static int update_derived(struct snapshot **s, struct error *e)
{
	const struct format_tree *tree = (*s)->format->tree;
	struct snapshot *next;
	int r = tree ? tree->finalize(*s, NULL, FORMAT_UNPLACED, &next, NULL, NULL, e) : 0;

	if (r == 0 && tree) {
		snapshot_unref(*s);
		*s = next;
	}
	return r;
}

int format_put_file(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct build_context *others, struct snapshot **ret, struct error *e)
{
	const struct format_edit *edit = s->format->edit;
	CLEANUP(snapshot_unref) struct snapshot *now = snapshot_ref(s);
	CLEANUP(content_unref) struct content *c = in ? content_new(in) : NULL;
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	bool changed = false;
	int r = 0, derived;

	if (in && !c)
		return error_set(e, -ENOMEM, "out of memory");
	if (c)
		r = edit->parse(s, id, c, &p, e);
	if (r == 0)
		r = edit->apply(&now, id, p, others, NULL, &changed, e);
	if ((r < 0 && r != -EAGAIN) || !changed)
		return r;
	derived = update_derived(&now, r < 0 ? NULL : e);
	if (derived < 0)
		return derived;
	*ret = TAKE(now);
	return r;
}
