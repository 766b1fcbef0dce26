/* SPDX-License-Identifier: Zlib */
/* format: Triclon maps as the mounted tree sees them. */
#include "formats/triclon/format.h"

#include <errno.h>
#include <string.h>

#include "formats/merging.h"
#include "formats/triclon/map.h"

/* The text of a file; NULL with the error in e. */
static const struct bytes *text_of(const struct snapshot *s, entry_id id, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s);

	if (id != ENTRY_ROOT && id <= tcm_id(TCM_OBJECTS) && m->texts[tcm_file_of(id)])
		return m->texts[tcm_file_of(id)];
	error_set(e, -ENOENT, "no such file");
	return NULL;
}

static int tcm_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	const struct bytes *text = text_of(s, id, e);

	if (!text)
		return -ENOENT;
	*ret = text->size;
	return 0;
}

static int tcm_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct bytes *text = text_of(s, id, e);

	if (!text)
		return -ENOENT;
	if (n)
		memcpy(dst, text->data + off, n);
	return 0;
}

static int tcm_stat(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e)
{
	struct entry file = {.id = id, .writable = true, .sized = true, .most = TCM_TEXT_MAX};
	struct entry root = {.id = id, .dir = true, .fixed = true};
	enum tcm_file f = tcm_file_of(id);
	int r = id == ENTRY_ROOT ? 0 : tcm_size(s, id, &file.size, e);

	file.needed = f == TCM_INFO;
	file.lasting = f == TCM_POINTS || f == TCM_TERRAIN;
	if (r == 0)
		*ret = id == ENTRY_ROOT ? root : file;
	return r;
}

static int tcm_lookup(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
	struct error *e)
{
	struct meaning m;

	/* The names are those of the mount; what was added since is the tree's to know. */
	tcm_meaning(s, dir, name, false, ENTRY_ROOT, &m, NULL);
	return m.known ? tcm_stat(s, m.id, ret, e)
		       : error_set(e, -ENOENT, "%s: no such entry", name);
}

static int tcm_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct entry *ret, struct error *e)
{
	/* Points come before what refers to them, so that a copy file by file is accepted. */
	static const enum tcm_file order[] = {TCM_INFO, TCM_POINTS, TCM_TERRAIN, TCM_OBJECTS};
	int r;

	if (dir != ENTRY_ROOT || *cookie >= TCM_FILES)
		return 0;
	r = tcm_lookup(s, dir, tcm_names[order[*cookie]], ret, NULL);
	if (r == -ENOENT) /* the last one */
		return 0;
	if (r < 0)
		return error_set(e, r, "%s cannot be listed", tcm_names[order[*cookie]]);
	strcpy(name, tcm_names[order[*cookie]]);
	++*cookie;
	return 1;
}

static int parse_file(struct tcm_map *m, enum tcm_file f, const struct extent *in, struct error *e)
{
	int r = f == TCM_INFO ? tcm_info_parse(m, in, e) : tcm_table_parse(m, f, in, e);

	if (r == -EFBIG)
		return error_set(e, -EINVAL, "line 1, column 1: the file is larger than any map's");
	return r < 0 ? r : tcm_show(m, f, e);
}

static int tcm_put(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct format_others *others, struct snapshot **ret, struct touched *t,
	struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tcm_map *m;
	int r;

	(void)others;
	(void)t; /* no other file shows what one of them says */
	if (!text_of(s, id, e))
		return -ENOENT;
	m = tcm_map_copy(tcm_map_of(s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	done = &m->base;
	r = parse_file(m, tcm_file_of(id), in, e);
	if (r == 0 && !tcm_map_same(tcm_map_of(s), m))
		*ret = TAKE(done);
	return r;
}

static bool tcm_same(const struct snapshot *a, const struct snapshot *b)
{
	/* What was never written is like no file. */
	return !tcm_map_of(a)->fresh && tcm_map_same(tcm_map_of(a), tcm_map_of(b));
}

/* The file that a map is. */
static int encode_all(const struct snapshot *s, struct buffer *to, struct error *e)
{
	tcm_encode(tcm_map_of(s), to);
	if (to->error)
		return error_set(e, to->error, "no memory for the map to be written");
	if (to->size > TCM_FILE_MAX)
		return error_set(e, -EFBIG, "the map would have %zu bytes (at most %d)", to->size,
			TCM_FILE_MAX);
	return 0;
}

static int tcm_encode_to(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	int r = encode_all(s, &file, e);

	(void)force; /* all is encoded anew every time */
	if (r < 0)
		return r;
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
	if (r == 0)
		r = encode_all(s, &file, e);
	if (r == 0 && (back->size != file.size || memcmp(back->data, file.data, file.size) != 0))
		r = error_set(e, -EIO, "the file holds something else");
	return r;
}

static int open_file(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return tcm_open(&format_triclon, src, ctx, ret, e);
}

static const char *const endings[] = {"tcm", NULL};
static const char *const texts[] = {"info.json", NULL};

static const char *const endian_values[] = {"little", "big", "le", "be", NULL};
static const char *const lists_values[] = {"bytes", "count", NULL};
static const char *const points_values[] = {"none", "bytes", "count", NULL};
static const struct format_setting settings[] = {
	{"endian", endian_values, .help = "Triclon: the byte order of numbers (what fits best)"},
	{"lists", lists_values, .help = "Triclon: what sizes of lists count (what fits best)"},
	{"points", points_values, .help = "Triclon: what stands before points (what fits best)"},
	{0},
};

static const struct format_edit edit = {
	.put = tcm_put,
	.check = tcm_check,
	.encode = tcm_encode_to,
	.verify = tcm_verify,
	.same = tcm_same,
};

static const struct format_tree tree = {
	.meaning = tcm_meaning,
	.add = tcm_add,
	.finalize = tcm_finalize,
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
	.lookup = tcm_lookup,
	.stat = tcm_stat,
	.list = tcm_list,
	.size = tcm_size,
	.get = tcm_get,
	.edit = &edit,
	.tree = &tree,
	.preview = &tcm_preview,
	.merging = &merging,
};
