/* SPDX-License-Identifier: Zlib */
/*
 * structure: the objects list is the one thing that a map may have or not. It stands for an object
 * of the tree that is in the map where objects.csv is; the other files are always there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/reading.h"

/* The file that a name below the root is, or -ENOENT. */
static int find_name(entry_id dir, const char *name, enum tcm_file *ret)
{
	for (enum tcm_file f = TCM_INFO; dir == ENTRY_ROOT && f < TCM_FILES; f++) {
		if (strcmp(name, tcm_names[f]) == 0) {
			*ret = f;
			return 0;
		}
	}
	return -ENOENT;
}

int tcm_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e)
{
	enum tcm_file f;

	(void)e;
	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (is_dir || find_name(dir, name, &f) < 0)
		return 0;
	ret->is = FORMAT_OBJECT;
	ret->known = f != TCM_OBJECTS || tcm_map_of(s)->had_objects;
	ret->id = tcm_id(f);
	ret->fits = object == ret->id;
	return 0;
}

int tcm_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	struct tcm_map *m = tcm_map_copy(tcm_map_of(*s));
	CLEANUP(snapshot_unref) struct snapshot *next = m ? &m->base : NULL;
	enum tcm_file f;
	int r;

	if (is_dir || find_name(dir, name, &f) < 0 || f != TCM_OBJECTS)
		return error_set(e, -EINVAL, "%s: the name means nothing here", name);
	r = m ? tcm_clear(m, f, e) : error_set(e, -ENOMEM, "no memory for a list");
	if (r < 0)
		return r;
	snapshot_unref(*s);
	*s = TAKE(next);
	*ret = tcm_id(f);
	return 0;
}

static int place(struct tcm_map *m, const struct placement *p, bool *objects,
	void (*say)(void *arg, const char *line), void *arg, struct error *e)
{
	enum tcm_file f = tcm_file_of(p->id);

	if (f == TCM_OBJECTS)
		*objects = !p->removed;
	else if (p->removed && f == TCM_INFO)
		say(arg, "info.json is gone, but its name and author stay: a map has them");
	else if (p->removed)
		return tcm_clear(m, f, e);
	return 0;
}

/* Nothing in a file says how it is to be read. Would its next reader come to the same? */
static bool reads_back(const struct tcm_map *m, const struct buffer *file)
{
	const struct tcm_demand none = {{-1, -1, -1}, false};
	size_t at = strlen(m->variant.tag) + 1 + m->name->size + 1 + m->author->size;
	struct tcm_reading r, rival;

	return tcm_reading_find(
		       file->data, file->size, at, m->variant.tag, &none, &r, &rival, NULL) == 0 &&
	       r.variant.answers[TCM_ENDIAN] == m->variant.answers[TCM_ENDIAN] &&
	       r.variant.real == m->variant.real &&
	       r.has_objects == (m->records[TCM_OBJECTS] != NULL) &&
	       r.lists[TCM_TERRAIN].n == tcm_count(m, TCM_TERRAIN) &&
	       r.lists[TCM_POINTS].n == tcm_count(m, TCM_POINTS);
}

int tcm_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e)
{
	struct tcm_map *m = tcm_map_copy(tcm_map_of(s));
	CLEANUP(snapshot_unref) struct snapshot *done = m ? &m->base : NULL;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	bool objects = tcm_map_of(s)->had_objects;
	char options[64], line[160];
	int r = 0;

	if (!m)
		return error_set(e, -ENOMEM, "no memory for the map to be written");
	for (size_t i = 0; r == 0 && i < n; i++)
		r = place(m, &p[i], &objects, say, arg, e);
	if (r < 0)
		return r;
	if (!objects)
		tcm_set(&m->records[TCM_OBJECTS], NULL);
	tcm_encode(m, &file);
	if (file.error)
		return error_set(e, file.error, "no memory for the map to be written");
	if (!reads_back(m, &file)) {
		tcm_variant_describe(&m->variant, options);
		snprintf(line, sizeof(line),
			"the map as it is now can be mistaken for another variant; mount it with "
			"-o %s",
			options);
		say(arg, line);
	}
	*ret = tcm_map_same(tcm_map_of(s), m) ? snapshot_ref(s) : TAKE(done);
	return 0;
}

int tcm_check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s), *old = before ? tcm_map_of(before) : NULL;
	size_t record = 0, at, n_points = tcm_count(m, TCM_POINTS);
	int64_t max = tcm_max_index(m, &record), had = old ? tcm_max_index(old, &at) : -1;
	struct format_fault fault = {.path = "terrain.csv", .field = "column 1"};
	char line[200], value[24], bound[64];

	(void)all;
	if (max < (int64_t)n_points ||
		(old && had >= (int64_t)tcm_count(old, TCM_POINTS) && max <= had))
		return 0;
	snprintf(value, sizeof(value), "%lld", (long long)max);
	snprintf(bound, sizeof(bound), "points.csv has %zu, counted from 0", n_points);
	snprintf(line, sizeof(line),
		"terrain.csv: line %zu, column 1: %s is beyond the points (%s)", record + 2, value,
		bound);
	fault.value = value;
	fault.bound = bound;
	fault.line = line;
	fault.text = line + strlen("terrain.csv: ");
	why(arg, &fault);
	return error_set(e, -EINVAL, "terrain.csv refers to points that are not there");
}
