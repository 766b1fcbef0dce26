/* SPDX-License-Identifier: Zlib */
#include "tools/triclon/tools.h"

#include "formats/triclon/format.h"
#include "tools/merge/schema.h"

static const char *const rows[] = {"*.csv", NULL}, *const row_keys[] = {"index", NULL};
static const struct merge_schema merge = {.tables = rows, .row_keys = row_keys};

const struct toolset tools_triclon = {.format = &format_triclon, .merge = &merge};
