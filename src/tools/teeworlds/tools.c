/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/tools.h"

#include "formats/teeworlds/format.h"
#include "formats/teeworlds/lens/record.h"
#include "tools/merge/schema.h"
#include "tools/teeworlds/advise.h"
#include "tools/teeworlds/automap/layer.h"
#include "tools/teeworlds/convert/convert.h"
#include "tools/teeworlds/cp/cp.h"
#include "tools/teeworlds/edit/edit.h"
#include "tools/teeworlds/fix/fix.h"
#include "tools/teeworlds/review/review.h"
#include "tools/teeworlds/rules/look.h"
#include "tools/teeworlds/tidy/tidy.h"
#include "tools/teeworlds/work.h"

static const struct merge_reference references[] = {
	{"image", "images"}, {"sound", "sounds"}, {"envelope", "envelopes"}, {0}};
static const struct merge_kind sorts[] = {{"type", tw_type_words, NULL},
	{"kind", tw_kind_words, "\"design\""}, {"channels", NULL, NULL}, {0}};
static const char *const lists[] = {"info/settings.cfg", NULL};
static const char *const drawn[] = {"image", "sound", NULL};

/* Items of types without a name, and UUID items that no other file shows (model/map.h). */
static const char *const hidden[] = {
	"raw/items/[0-9][0-9][0-9][0-9][0-9]/*", "raw/items/*-*-*-*-*/*", NULL};
static const char *const shown[] = {"raw/items/*_3e1b2716-178c-3978-9bd9-b11ae0410dd8/*",
	"raw/items/*_3ab4f84d-d9cc-3c78-b585-0d6ccdb2e25c/*",
	"raw/items/*_4a26ca1f-64bd-30e3-907a-707eacd1f080/*", NULL};

static const struct merge_schema merge = {
	.references = references,
	.kinds = sorts,
	.drawn_with = drawn,
	.external = "images",
	.unset_in = "automapper",
	.unset = "version",
	.lists = lists,
	.hidden_in = "raw",
	.hidden = hidden,
	.shown = shown,
	.mark_file = "layer.json",
	.mark_text = {"{\"type\": \"tiles\", \"version\": 3, \"width\": ", ", \"height\": ",
		", \"kind\": \"design\", \"color\": [255, 0, 0, 160]}"},
	.mark_table = "id.csv",
};

const struct toolset tools_teeworlds = {
	.format = &format_teeworlds,
	.advise = tw_advise,
	.automap = &tw_automap,
	.convert = &tw_convert,
	.cp = &tw_cp,
	.edit = &tw_edit,
	.fix = &tw_fix,
	.merge = &merge,
	.review = &tw_review,
	.rules = &tw_rules,
	.tidy = &tw_tidy,
	.work = tw_work,
};
