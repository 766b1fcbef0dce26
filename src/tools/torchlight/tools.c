/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/tools.h"

#include "formats/torchlight/format.h"
#include "tools/merge/schema.h"
#include "tools/torchlight/index/index.h"

static const char *const rows[] = {"*.RAW", NULL}, *const row_keys[] = {"guid", "file", NULL};
static const char *const lists[] = {".mod/removed.txt", NULL};
static const struct merge_schema merge = {.lists = lists, .rows = rows, .row_keys = row_keys};

const struct toolset tools_torchlight_mod = {
	.format = &format_torchlight_mod, .index = &tl_index_tool, .merge = &merge};
const struct toolset tools_torchlight_pak = {
	.format = &format_torchlight_pak, .index = &tl_index_tool, .merge = &merge};
