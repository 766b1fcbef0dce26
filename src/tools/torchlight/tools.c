/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/tools.h"

#include "formats/torchlight/format.h"
#include "tools/merge/schema.h"
#include "tools/pack/pack.h"
#include "tools/torchlight/index/index.h"

static const char *const rows[] = {"*.RAW", NULL}, *const row_keys[] = {"guid", "file", NULL};
static const char *const lists[] = {".mod/removed.txt", NULL};
static const char *const headers[] = {".mod/info.json", NULL};
static const struct merge_schema merge = {.lists = lists,
	.tables = rows,
	.row_keys = row_keys,
	.archive = &format_torchlight_pak,
	.headers = headers,
	.removals = ".mod/removed.txt"};
static const char *const left_out[] = {"*.CMP", "*.LNK", "*.LOG", "*.MAX", "*.MPD", "*.PSD",
	"*.THUMBNAIL.PNG", "*.XLS", "*.XML", "THUMBS.DB", NULL};
static const struct pack_rules pack = {.excluded_names = left_out, .has_backslashes = true};

#define TOOLS                                                                                      \
	.advise = tl_index_report_unlisted, .index = &tl_index_tool, .merge = &merge, .pack = &pack
const struct toolset tools_torchlight_mod = {.format = &format_torchlight_mod, TOOLS};
const struct toolset tools_torchlight_pak = {.format = &format_torchlight_pak, TOOLS};
