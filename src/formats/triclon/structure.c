/* SPDX-License-Identifier: Zlib */
/*
 * structure: the objects list is the one thing that a map may have or not. It stands for an object
 * of the tree that is in the map where objects.csv is; the other files are always there.
 */
#include "formats/triclon/structure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/variant.h"

enum { ID_OBJECTS = TCM_ID_TABLE + TCM_OBJECTS };

const char *tcm_name_of(entry_id id)
{
	return id == TCM_ID_INFO ? "info.json" : tcm_table_files[id - TCM_ID_TABLE];
}

int tcm_id_of(const char *name, entry_id *ret)
{
	for (entry_id id = TCM_ID_INFO; id < TCM_ID_END; id++) {
		if (strcmp(name, tcm_name_of(id)) == 0) {
			*ret = id;
			return 0;
		}
	}
	return -ENOENT;
}

int tcm_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	entry_id id;

	(void)s, (void)e;
	return dir == ENTRY_ROOT && !is_dir && tcm_id_of(name, &id) == 0 ? FORMAT_OBJECT
									 : FORMAT_SCRATCH;
}

int tcm_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret)
{
	entry_id id;

	if (dir != ENTRY_ROOT || tcm_id_of(name, &id) < 0 ||
		(id == ID_OBJECTS && !tcm_map_of(s)->had_objects))
		return -ENOENT;
	*ret = id;
	return 0;
}

int tcm_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e)
{
	(void)s;
	if (dir == ENTRY_ROOT && strcmp(name, tcm_name_of(id)) == 0)
		return 0;
	return error_set(e, -EINVAL, "%s: it cannot have another name", tcm_name_of(id));
}

int tcm_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	struct tcm_map *m;

	if (tcm_classify(*s, dir, name, is_dir, e) != FORMAT_OBJECT ||
		strcmp(name, tcm_name_of(ID_OBJECTS)) != 0)
		return error_set(e, -EINVAL, "%s: the name means nothing here", name);
	m = tcm_map_copy(tcm_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	tcm_list_unref(m->lists[TCM_OBJECTS]);
	m->lists[TCM_OBJECTS] = tcm_list_new(TCM_OBJECTS, m->variant.real, NULL, 0);
	if (!m->lists[TCM_OBJECTS]) {
		snapshot_unref(&m->base);
		return error_set(e, -ENOMEM, "no memory for a list");
	}
	*ret = ID_OBJECTS;
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

static int empty_table(struct tcm_map *m, enum tcm_table table)
{
	struct tcm_list *l = tcm_list_new(table, m->variant.real, NULL, 0);

	if (!l)
		return -ENOMEM;
	tcm_list_unref(m->lists[table]);
	m->lists[table] = l;
	return 0;
}

static int place(struct tcm_map *m, const struct placement *p,
	void (*say)(void *arg, const char *line), void *arg)
{
	switch (p->id) {
	case ID_OBJECTS:
		m->has_objects = !p->removed;
		return 0;
	case TCM_ID_INFO:
		if (p->removed)
			say(arg, "info.json is gone, but its name and author stay: a map has them");
		return 0;
	default:
		return p->removed ? empty_table(m, (enum tcm_table)(p->id - TCM_ID_TABLE)) : 0;
	}
}

/* Nothing in a file says which reading is meant, so the written one may be mistaken for another. */
static int tell_misreading(const struct tcm_map *m, void (*say)(void *arg, const char *line),
	void *arg, struct error *e)
{
	const struct tcm_demand none = {-1, -1, -1};
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	size_t at = sizeof(m->variant.tag) + 1 + m->name->size + 1 + m->author->size;
	struct tcm_reading r, rival;
	char options[64], line[160];

	tcm_encode(m, &file);
	if (file.error)
		return error_set(e, -ENOMEM, "no memory for the map to be written");
	if (tcm_reading_find(file.data, file.size, at, &none, &r, &rival, NULL) == 0 &&
		r.variant.big == m->variant.big && r.variant.real == m->variant.real &&
		r.n_terrain == m->lists[TCM_TERRAIN]->n && r.n_points == m->lists[TCM_POINTS]->n &&
		r.has_objects == m->has_objects)
		return 0;
	tcm_variant_options(&m->variant, options, sizeof(options));
	snprintf(line, sizeof(line),
		"the map as it is now can be mistaken for another variant; mount it with -o %s",
		options);
	say(arg, line);
	return 0;
}

int tcm_settle(const struct snapshot *s, const struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e)
{
	const struct tcm_map *from = tcm_map_of(s);
	struct tcm_map *m = tcm_map_copy(from);
	CLEANUP(snapshot_unref) struct snapshot *done = m ? &m->base : NULL;
	int r = m ? 0 : -ENOMEM;

	if (m)
		m->has_objects = m->had_objects;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = place(m, &p[i], say, arg);
	if (r < 0)
		return error_set(e, r, "no memory for the map to be written");
	r = tell_misreading(m, say, arg, e);
	if (r < 0)
		return r;
	*ret = tcm_map_same(from, m) ? snapshot_ref(s) : TAKE(done);
	return 0;
}

int tcm_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const char *line), void *arg, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s), *old = tcm_map_of(before);
	uint64_t size = tcm_encoded_size(m);
	size_t record = 0, at;
	int64_t max = tcm_max_index(m, &record);
	int64_t had = tcm_max_index(old, &at);
	char line[160];

	if (max >= (int64_t)m->lists[TCM_POINTS]->n &&
		(had < (int64_t)old->lists[TCM_POINTS]->n || max > had)) {
		snprintf(line, sizeof(line),
			"terrain.csv: line %zu, column 1: %lld is beyond the points (points.csv "
			"has "
			"%zu, counted from 0)",
			record + 2, (long long)max, m->lists[TCM_POINTS]->n);
		why(arg, line);
		return error_set(e, -EINVAL, "terrain.csv refers to points that are not there");
	}
	if (size > TCM_FILE_MAX)
		return error_set(e, -EINVAL, "the map would have %llu bytes (at most %d)",
			(unsigned long long)size, TCM_FILE_MAX);
	return 0;
}
