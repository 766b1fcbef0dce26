/* SPDX-License-Identifier: Zlib */
/*
 * structure: the objects list is the one thing that a map may have or not. It stands for an object
 * of the tree that is in the map where objects.csv is; the other files are always there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/reading.h"

enum tcm_file tcm_file_named(entry_id dir, const char *name)
{
	for (enum tcm_file f = TCM_INFO; dir == ENTRY_ROOT && f < TCM_FILES; f++)
		if (strcmp(name, tcm_kinds[f].name) == 0)
			return f;
	return 0;
}

static int meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e)
{
	enum tcm_file f = is_dir ? 0 : tcm_file_named(dir, name);

	(void)e;
	*ret = (struct meaning){.is = f ? FORMAT_OBJECT : FORMAT_SCRATCH, .id = 2 * (entry_id)f};
	ret->known = f && (f != TCM_OBJECTS || tcm_map_of(s)->had_objects);
	ret->fits = f && object == ret->id;
	return 0;
}

/* The only one that the mount may not have had. */
static int add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *next = NULL;
	struct buffer none = BUFFER_INIT;
	struct tcm_map *m;
	int r;

	if (is_dir || tcm_file_named(dir, name) != TCM_OBJECTS)
		return error_set(e, -EINVAL, "%s: the name means nothing here", name);
	r = tcm_map_new((*s)->format, tcm_map_of(*s), &m, e);
	if (r < 0)
		return r;
	next = &m->base;
	r = tcm_put(m, TCM_OBJECTS, &none, e);
	if (r < 0)
		return r;
	snapshot_unref(*s);
	*s = TAKE(next);
	*ret = 2 * TCM_OBJECTS;
	return 0;
}

/* Nothing in a file says how it is to be read. Would its next reader come to the same? */
static bool reads_back(const struct tcm_map *m, const struct buffer *file)
{
	const struct tcm_demand none = {.answers = {-1, -1, -1}};
	size_t at = TCM_TAG_SIZE + m->stored[TCM_INFO]->size;
	struct tcm_reading r, rival;

	return tcm_reading_find(
		       file->data, file->size, at, m->variant.tag, &none, &r, &rival, NULL) == 0 &&
	       r.variant.answers[TCM_ENDIAN] == m->variant.answers[TCM_ENDIAN] &&
	       r.variant.real == m->variant.real &&
	       !r.lists[TCM_OBJECTS].at == !m->stored[TCM_OBJECTS] &&
	       r.lists[TCM_TERRAIN].n == tcm_count(m, TCM_TERRAIN) &&
	       r.lists[TCM_POINTS].n == tcm_count(m, TCM_POINTS);
}

/* 1: it would not, and the options say as what it is to be read. */
static int is_in_doubt(const struct tcm_map *m, char options[64], struct error *e)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;

	tcm_variant_describe(&m->variant, options);
	tcm_encode(m, &file);
	if (file.error)
		return error_set(e, file.error, "no memory for the map to be written");
	return !reads_back(m, &file);
}

/* A mount goes on with the variant that it wrote, whatever its file can be mistaken for; and with
 * its points, whose number may not stand in the file. */
static int names(const struct snapshot *finalized, struct bytes **ret, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(finalized);
	char options[64], text[128];
	int r = is_in_doubt(m, options, e);

	*ret = NULL;
	if (r <= 0)
		return r;
	snprintf(text, sizeof(text), "%s,%zu,%d", options, tcm_count(m, TCM_POINTS),
		m->variant.real);
	*ret = bytes_copy(text, strlen(text));
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for the variant");
}

static int finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	bool objects = tcm_map_of(s)->had_objects;
	char options[64], line[160];
	struct tcm_map *m;
	int r = tcm_map_new(s->format, tcm_map_of(s), &m, e);

	if (r < 0)
		return r;
	done = &m->base;
	for (size_t i = 0; i < n; i++) {
		if (p[i].id == 2 * TCM_OBJECTS)
			objects = !p[i].removed;
		else if (p[i].removed && p[i].id == 2 * TCM_INFO)
			say(arg, "info.json is gone, but its name and author stay: a map has them");
	}
	if (!objects) {
		bytes_unref(m->stored[TCM_OBJECTS]);
		m->stored[TCM_OBJECTS] = NULL;
	}
	r = is_in_doubt(m, options, e);
	snprintf(line, sizeof(line),
		"the map as it is now can be mistaken for another variant; mount it with -o %s",
		options);
	if (r > 0)
		say(arg, line);
	if (r >= 0)
		*ret = tcm_map_same(tcm_map_of(s), m) ? snapshot_ref(s) : TAKE(done);
	return r < 0 ? r : 0;
}

const struct format_tree tcm_tree = {
	.meaning = meaning, .add = add, .finalize = finalize, .names = names};
