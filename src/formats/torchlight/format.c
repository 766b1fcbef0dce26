/* SPDX-License-Identifier: Zlib */
/* format: mods and archives of Torchlight II as the mounted tree sees them. */
#include "formats/torchlight/format.h"

#include "formats/torchlight/check/check.h"
#include "formats/torchlight/finalize/finalize.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/taught.h"
#include "formats/torchlight/open.h"
#include "formats/torchlight/picture/picture.h"
#include "formats/torchlight/save/write.h"

static int tl_open_mod(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return tl_open(&format_torchlight_mod, src, ctx, ret, e);
}

static int tl_open_pak(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return tl_open(&format_torchlight_pak, src, ctx, ret, e);
}

static int tl_check_sound(const struct snapshot *s, bool all, struct error *e)
{
	return archive_check_blocks(tl_map_of(s)->shared->archive, all ? 0 : ARCHIVE_SAMPLE, e);
}

static int tl_put_name_table(const struct snapshot *finalized, struct bytes **ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(finalized);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = tl_taught_put(m, &out, e);

	*ret = NULL;
	if (r == 0)
		r = tl_put_shown_names(m, &out, e);
	if (r == 0 && (out.size || out.error))
		r = buffer_finish(&out, ret);
	return r < 0 && !(e && e->code) ? error_set(e, r, "out of memory") : r;
}

static const char *const texts[] = {".mod/*", NULL};
static const char *const endings_mod[] = {"mod", NULL}, *const endings_pak[] = {"pak", NULL};

/* The operations that MODs and PAKs share. */
#define TL_COMMON                                                                                  \
	.fold = tree_fold, .kept_time = tl_kept_time, .can_create = true, .lookup = tl_lookup,     \
	.stat = tl_stat, .list = tl_list, .size = tl_size, .get = tl_get, .note = tl_note,         \
	.edit = &edit, .tree = &tree, .preview = &tl_preview

static const struct format_edit edit = {
	.parse = tl_parse,
	.apply = tl_apply,
	.check_sound = tl_check_sound,
	.check = tl_check,
	.encode = tl_encode,
	.verify = tl_verify,
	.same = tl_same,
};

static const struct format_tree tree = {
	.classify = tl_classify,
	.add = tl_add,
	.finalize = tl_finalize,
	.names = tl_put_name_table,
};

static const char *const text_values[] = {"utf8", "utf16", "off", NULL};
static const struct format_setting settings[] = {
	{"text", text_values, .changes_meaning = true,
		.help = "Torchlight II: compiled files as text (utf8)"},
	{"names", .help = "Torchlight II: further names, one a line"},
	{0},
};

const struct format format_torchlight_mod = {
	.name = "torchlight-mod",
	.extensions = endings_mod,
	.text_patterns = texts,
	.settings = settings,
	.probe = tl_probe_mod,
	.open = tl_open_mod,
	TL_COMMON,
};

const struct format format_torchlight_pak = {
	.name = "torchlight-pak",
	.extensions = endings_pak,
	.text_patterns = texts,
	.settings = settings,
	.probe = tl_probe_pak,
	.companion = tl_companion,
	.open = tl_open_pak,
	TL_COMMON,
};
