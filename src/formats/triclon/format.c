/* SPDX-License-Identifier: Zlib */
/* format: Triclon maps as the mounted tree sees them. */
#include "formats/triclon/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/reading.h"

static int stat_entry(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e)
{
	enum tcm_file f = (enum tcm_file)(id / 2);
	const struct bytes *text = id < 2 * TCM_FILES ? tcm_map_of(s)->texts[f] : NULL;

	*ret = (struct file_attr){.id = id, .is_dir = true, .is_permanent = true};
	if (id == ENTRY_ROOT)
		return 0;
	if (!text)
		return error_set(e, -ENOENT, "no such file");
	*ret = (struct file_attr){.id = id,
		.is_writable = true,
		.has_size = true,
		.size = text->size,
		.max_size = TCM_TEXT_MAX,
		.is_restored = f == TCM_INFO,
		.is_cleared_by_mount = f == TCM_POINTS || f == TCM_TERRAIN};
	return 0;
}

static int get_bytes(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct file_attr en;
	int r = stat_entry(s, id, &en, e);

	if (r == 0 && n)
		memcpy(dst, tcm_map_of(s)->texts[id / 2]->data + off, n);
	return r;
}

/* Did the mount show this file? The overlay knows of later changes. */
static bool has_file(const struct snapshot *s, enum tcm_file f)
{
	return f && f < TCM_FILES && (f != TCM_OBJECTS || tcm_map_of(s)->had_objects);
}

/* The file that has this name in this directory, or 0. */
static enum tcm_file file_named(entry_id dir, const char *name)
{
	for (enum tcm_file f = TCM_INFO; dir == ENTRY_ROOT && f < TCM_FILES; f++)
		if (strcmp(name, tcm_kinds[f].name) == 0)
			return f;
	return 0;
}

static int lookup_entry(const struct snapshot *s, entry_id dir, const char *name,
	struct file_attr *ret, struct error *e)
{
	enum tcm_file f = file_named(dir, name);

	return has_file(s, f) ? stat_entry(s, 2 * (entry_id)f, ret, e)
			      : error_set(e, -ENOENT, "%s: no such entry", name);
}

static int list_entries(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e)
{
	enum tcm_file f = (enum tcm_file)(*cookie + 1);
	int r;

	if (dir != ENTRY_ROOT || !has_file(s, f))
		return 0;
	r = stat_entry(s, 2 * (entry_id)f, ret, e);
	strcpy(name, tcm_kinds[f].name);
	*cookie = f;
	return r < 0 ? r : 1;
}

/* The map has an objects list if objects.csv exists. All other files always exist. */
static int classify_name(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *)
{
	enum tcm_file f = is_dir ? 0 : file_named(dir, name);

	*ret = (struct name_class){.kind = f ? NAME_OBJECT : NAME_SCRATCH, .id = 2 * (entry_id)f};
	ret->is_known = f && (f != TCM_OBJECTS || tcm_map_of(s)->had_objects);
	ret->accepts_object = f && object == ret->id;
	return 0;
}

/* Add objects.csv, the only file that a mount can lack. */
static int add_objects(struct snapshot **s, entry_id dir, const char *name, bool is_dir,
	entry_id *ret, struct error *e)
{
	struct tcm_content c = tcm_map_of(*s)->content;
	struct tcm_map *m;
	int r;

	if (is_dir || file_named(dir, name) != TCM_OBJECTS)
		return error_set(e, -EINVAL, "%s: not a valid name in this directory", name);
	c.lists[TCM_OBJECTS] = (struct tcm_list){(const uint8_t *)"", 0};
	r = tcm_map_make(tcm_map_of(*s), &c, &c.variant, &m, e);
	if (r < 0)
		return r;
	snapshot_unref(*s);
	*s = &m->base;
	*ret = 2 * TCM_OBJECTS;
	return 0;
}

/* Would the next mount read the map as another one? The file does not name its variant. */
static bool is_in_doubt(const struct tcm_map *m)
{
	const struct tcm_demand none = {.answers = {-1, -1, -1}};
	const struct tcm_content *is = &m->content;
	struct tcm_content read = {
		.variant.tag = is->variant.tag, .lists[TCM_INFO] = is->lists[TCM_INFO]};

	return tcm_reading_find(m->file, &none, &read, NULL) < 0 ||
	       read.variant.answers[TCM_ENDIAN] != is->variant.answers[TCM_ENDIAN] ||
	       read.variant.real != is->variant.real ||
	       !read.lists[TCM_OBJECTS].data != !is->lists[TCM_OBJECTS].data ||
	       read.lists[TCM_TERRAIN].n != is->lists[TCM_TERRAIN].n ||
	       read.lists[TCM_POINTS].n != is->lists[TCM_POINTS].n;
}

/* Record the variant, the number of points and their type, if the file can be read as another map.
 * The mount then reads its own file again as it wrote it. */
static int record_variant(const struct snapshot *finalized, struct bytes **ret, struct error *e)
{
	const struct tcm_content *c = &tcm_map_of(finalized)->content;
	char options[64], text[128];

	*ret = NULL;
	if (!is_in_doubt(tcm_map_of(finalized)))
		return 0;
	tcm_variant_describe(&c->variant, options);
	snprintf(text, sizeof(text), "%s,%zu,%d", options, c->lists[TCM_POINTS].n, c->variant.real);
	*ret = bytes_copy(text, strlen(text));
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int finalize_map(const struct snapshot *s, struct placement *p, size_t n,
	struct snapshot **ret, format_say say, void *arg, struct error *e)
{
	struct tcm_content c = tcm_map_of(s)->content;
	bool objects = tcm_map_of(s)->had_objects;
	char options[64], line[160];
	struct tcm_map *m = NULL;
	int r = 0;

	if (n == FORMAT_UNPLACED) {
		*ret = snapshot_ref(s);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (p[i].id == 2 * TCM_OBJECTS)
			objects = !p[i].is_removed;
		else if (p[i].is_removed && p[i].id == 2 * TCM_INFO)
			say(arg, FORMAT_NOTE,
				"info.json was not removed: the map keeps its name and author");
	}
	if (!objects && c.lists[TCM_OBJECTS].data) {
		c.lists[TCM_OBJECTS].data = NULL;
		r = tcm_map_make(tcm_map_of(s), &c, &c.variant, &m, e);
	}
	if (r < 0)
		return r;
	*ret = m ? &m->base : snapshot_ref(s);
	if (is_in_doubt(tcm_map_of(*ret))) {
		tcm_variant_describe(&c.variant, options);
		snprintf(line, sizeof(line),
			"the map can be mistaken for another variant: mount it with -o %s",
			options);
		say(arg, FORMAT_NOTE, line);
	}
	return 0;
}

static const struct format_tree tree = {.classify = classify_name,
	.add = add_objects,
	.finalize = finalize_map,
	.names = record_variant};

static int open_file(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	int r = tcm_open(src, ctx, ret, e);

	if (r == 0)
		(*ret)->format = &format_triclon;
	return r;
}

static const char *const endings[] = {"tcm", NULL};
static const char *const texts[] = {"info.json", NULL};

static const struct format_setting settings[] = {
	{"endian", tcm_questions[TCM_ENDIAN].words, .changes_meaning = true,
		.help = "Triclon: byte order (the first that fits)"},
	{"lists", tcm_questions[TCM_LISTS].words + TCM_BYTES, .changes_meaning = true,
		.help = "Triclon: unit of list sizes (the first that fits)"},
	{"points", tcm_questions[TCM_SIZE].words, .changes_meaning = true,
		.help = "Triclon: size before points (the first that fits)"},
	{0},
};

const struct format format_triclon = {
	.name = "triclon",
	.extensions = endings,
	.text_patterns = texts,
	.settings = settings,
	.can_create = true,
	.probe = tcm_probe,
	.open = open_file,
	.lookup = lookup_entry,
	.stat = stat_entry,
	.list = list_entries,
	.get = get_bytes,
	.edit = &tcm_edit,
	.tree = &tree,
	.preview = &tcm_preview,
};
