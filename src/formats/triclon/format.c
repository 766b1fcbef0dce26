/* SPDX-License-Identifier: Zlib */
/* format: Triclon maps as the mounted tree sees them. */
#include "formats/triclon/format.h"

#include <errno.h>
#include <string.h>

#include "formats/merging.h"
#include "formats/triclon/map.h"

static int stat_entry(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e)
{
	enum tcm_file f = (enum tcm_file)(id / 2);
	const struct bytes *text = id < 2 * TCM_FILES ? tcm_map_of(s)->texts[f] : NULL;

	*ret = (struct entry){.id = id, .dir = true, .fixed = true};
	if (id == ENTRY_ROOT)
		return 0;
	if (!text)
		return error_set(e, -ENOENT, "no such file");
	*ret = (struct entry){.id = id,
		.writable = true,
		.sized = true,
		.size = text->size,
		.most = TCM_TEXT_MAX,
		.needed = f == TCM_INFO,
		.lasting = f == TCM_POINTS || f == TCM_TERRAIN};
	return 0;
}

static int get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct entry en;
	int r = stat_entry(s, id, &en, e);

	if (r == 0 && n)
		memcpy(dst, tcm_map_of(s)->texts[id / 2]->data + off, n);
	return r;
}

/* The names are those of the mount; what was added since is the tree's to know. */
static bool has(const struct snapshot *s, enum tcm_file f)
{
	return f && f < TCM_FILES && (f != TCM_OBJECTS || tcm_map_of(s)->had_objects);
}

static int lookup(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
	struct error *e)
{
	enum tcm_file f = tcm_file_named(dir, name);

	return has(s, f) ? stat_entry(s, 2 * (entry_id)f, ret, e)
			 : error_set(e, -ENOENT, "%s: no such entry", name);
}

static int list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct entry *ret, struct error *e)
{
	enum tcm_file f = (enum tcm_file)(*cookie + 1);
	int r;

	if (dir != ENTRY_ROOT || !has(s, f))
		return 0;
	r = stat_entry(s, 2 * (entry_id)f, ret, e);
	strcpy(name, tcm_kinds[f].name);
	*cookie = f;
	return r < 0 ? r : 1;
}

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
	{"endian", tcm_questions[TCM_ENDIAN].words, .means = true,
		.help = "Triclon: the byte order of numbers (what fits best)"},
	{"lists", tcm_questions[TCM_LISTS].words + TCM_BYTES, .means = true,
		.help = "Triclon: what sizes of lists count (what fits best)"},
	{"points", tcm_questions[TCM_SIZE].words, .means = true,
		.help = "Triclon: what stands before points (what fits best)"},
	{0},
};

static const char *const rows[] = {"*.csv", NULL}, *const row_keys[] = {"index", NULL};
static const struct format_merging merging = {.rows = rows, .row_keys = row_keys};

const struct format format_triclon = {
	.name = "triclon",
	.endings = endings,
	.texts = texts,
	.settings = settings,
	.creates = true,
	.probe = tcm_probe,
	.open = open_file,
	.lookup = lookup,
	.stat = stat_entry,
	.list = list,
	.get = get,
	.edit = &tcm_edit,
	.tree = &tcm_tree,
	.preview = &tcm_preview,
	.merging = &merging,
};
