/* SPDX-License-Identifier: Zlib */
/* format: Triclon maps as the mounted tree sees them. */
#include "formats/triclon/format.h"

#include <errno.h>
#include <string.h>

#include "formats/triclon/open.h"
#include "formats/triclon/structure.h"

static int need_file(const struct tcm_map *m, entry_id id, struct error *e)
{
	if (id == ENTRY_ROOT)
		return error_set(e, -EISDIR, "the root is a directory");
	if (id >= TCM_ID_END || (id >= TCM_ID_TABLE && !m->lists[id - TCM_ID_TABLE]))
		return error_set(e, -ENOENT, "no such entry");
	return 0;
}

static int tcm_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s);
	CLEANUP_BUFFER struct buffer info = BUFFER_INIT;
	int r = need_file(m, id, e);

	if (r < 0)
		return r;
	if (id == TCM_ID_INFO)
		tcm_info_show(m, &info);
	*ret = id == TCM_ID_INFO ? info.size : m->lists[id - TCM_ID_TABLE]->text_size;
	return info.error ? error_set(e, info.error, "no memory for info.json") : 0;
}

static int tcm_stat(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e)
{
	struct entry en = {.id = id, .writable = true, .sized = true};
	int r = 0;

	if (id == ENTRY_ROOT)
		en = (struct entry){.id = id, .dir = true, .fixed = true};
	else
		r = tcm_size(s, id, &en.size, e);
	if (r == 0)
		*ret = en;
	return r;
}

/* The names are those of the mount; what was added since is the tree's to know. */
static bool is_listed(const struct tcm_map *m, entry_id id)
{
	return id != TCM_ID_TABLE + TCM_OBJECTS || m->had_objects;
}

static int tcm_lookup(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
	struct error *e)
{
	entry_id id;

	if (dir != ENTRY_ROOT)
		return error_set(e, -ENOTDIR, "%s is no directory", tcm_name_of(dir));
	if (tcm_id_of(name, &id) < 0 || !is_listed(tcm_map_of(s), id))
		return error_set(e, -ENOENT, "%s: no such entry", name);
	return tcm_stat(s, id, ret, e);
}

static int tcm_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct entry *ret, struct error *e)
{
	/* Points come before what refers to them, so that a copy file by file is accepted. */
	static const entry_id order[] = {TCM_ID_INFO, TCM_ID_TABLE + TCM_POINTS,
		TCM_ID_TABLE + TCM_TERRAIN, TCM_ID_TABLE + TCM_OBJECTS};
	int r;

	if (dir != ENTRY_ROOT)
		return error_set(e, -ENOTDIR, "%s is no directory", tcm_name_of(dir));
	if (*cookie >= sizeof(order) / sizeof(order[0]) ||
		!is_listed(tcm_map_of(s), order[*cookie]))
		return 0;
	strcpy(name, tcm_name_of(order[*cookie]));
	r = tcm_stat(s, order[*cookie], ret, e);
	++*cookie;
	return r < 0 ? r : 1;
}

static int tcm_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s);
	CLEANUP_BUFFER struct buffer info = BUFFER_INIT;
	int r = need_file(m, id, e);

	if (r < 0)
		return r;
	if (id != TCM_ID_INFO) {
		enum tcm_table t = (enum tcm_table)(id - TCM_ID_TABLE);

		tcm_list_get(m->lists[t], t, m->variant.real, off, dst, n);
		return 0;
	}
	tcm_info_show(m, &info);
	if (info.error)
		return error_set(e, info.error, "no memory for info.json");
	if (n)
		memcpy(dst, info.data + off, n);
	return 0;
}

/* One table, or the other values of info.json. */
struct change {
	const struct snapshot *base; /* to compare, not held */
	entry_id id;
	struct tcm_list *list;
	struct tcm_map *info;
};

static void tcm_change_free(struct change *c)
{
	if (!c)
		return;
	tcm_list_unref(c->list);
	if (c->info)
		snapshot_unref(&c->info->base);
	free(c);
}

static int tcm_parse(const struct snapshot *s, entry_id id, const struct extent *in,
	struct change **ret, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s);
	struct change *c;
	int r = need_file(m, id, e);

	if (r < 0)
		return r;
	c = calloc(1, sizeof(*c));
	if (!c)
		return error_set(e, -ENOMEM, "no memory for a change");
	c->base = s;
	c->id = id;
	if (id == TCM_ID_INFO)
		r = tcm_info_parse(m, in, &c->info, e);
	else
		r = tcm_list_parse(m, (enum tcm_table)(id - TCM_ID_TABLE), in, &c->list, e);
	*ret = NULL;
	if (r == 0 && (c->list || c->info))
		*ret = c;
	else
		tcm_change_free(c);
	return r;
}

static int tcm_apply(
	struct snapshot **s, const struct change *c, struct touched *t, struct error *e)
{
	struct tcm_map *m;

	(void)t; /* no other file shows what one of them says */
	if (c->base != *s)
		return error_set(e, -ESTALE, "the map changed meanwhile");
	m = tcm_map_copy(c->info ? c->info : tcm_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	if (c->list) {
		tcm_list_unref(m->lists[c->id - TCM_ID_TABLE]);
		m->lists[c->id - TCM_ID_TABLE] = tcm_list_ref(c->list);
	}
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

static bool tcm_same(const struct snapshot *a, const struct snapshot *b)
{
	/* What was never written is like no file. */
	return !tcm_map_of(a)->fresh && tcm_map_same(tcm_map_of(a), tcm_map_of(b));
}

static int tcm_encode_to(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;

	(void)force; /* all is encoded anew every time */
	tcm_encode(tcm_map_of(s), &file);
	if (file.error)
		return error_set(e, file.error, "no memory for the map to be written");
	replace_write(outs[0], file.data, file.size);
	*ret = NULL;
	return 0;
}

/* Byte for byte, rather than read: how a file is read can be in doubt, what it holds cannot. */
static int tcm_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	int r = tcm_load_file(written, &back, e);

	(void)p;
	if (r < 0)
		return r;
	tcm_encode(tcm_map_of(s), &file);
	if (file.error)
		return error_set(e, file.error, "no memory to read the map back");
	if (back->size != file.size || memcmp(back->data, file.data, file.size) != 0)
		return error_set(e, -EIO, "the file holds something else");
	return 0;
}

/* Nothing is read from the file again. */
static int tcm_rebase(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct snapshot **ret, struct error *e)
{
	struct tcm_map *m;

	(void)p, (void)written;
	m = tcm_map_copy(tcm_map_of(s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	m->fresh = false;
	*ret = &m->base;
	return 0;
}

static void tcm_plan_free(struct plan *p)
{
	(void)p; /* there never is one */
}

static const char *const endings[] = {"tcm", NULL};

const struct format format_triclon = {
	.name = "triclon",
	.endings = endings,
	.probe = tcm_probe,
	.open = tcm_open,
	.free = tcm_map_free,
	.lookup = tcm_lookup,
	.stat = tcm_stat,
	.list = tcm_list,
	.size = tcm_size,
	.get = tcm_get,
	.parse = tcm_parse,
	.apply = tcm_apply,
	.change_free = tcm_change_free,
	.classify = tcm_classify,
	.identify = tcm_identify,
	.may_move = tcm_may_move,
	.add = tcm_add,
	.settle = tcm_settle,
	.same = tcm_same,
	.create = tcm_create,
	.check = tcm_check,
	.encode = tcm_encode_to,
	.verify = tcm_verify,
	.rebase = tcm_rebase,
	.plan_free = tcm_plan_free,
};
