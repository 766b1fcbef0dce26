/* SPDX-License-Identifier: Zlib */
/*
 * tools: which tools work on the maps of a format. The formats do not know of them: a toolset names
 * its format, and the table of toolsets is in tools.c.
 */
#pragma once

#include "formats/format.h"
#include "vfs/volume/options.h"

struct automap_tool;
struct convert_tool;
struct cp_tool;
struct edit_tool;
struct fix_tool;
struct index_tool;
struct merge_schema;
struct pack_rules;
struct review_tool;
struct rules_tool;
struct tidy_tool;

/* The tools for maps of one format. A tool is NULL if the format does not have it. */
struct toolset {
	const struct format *format;
	vfs_advise advise; /* reports on a map before it is saved (vfs/volume/options.h) */
	const struct automap_tool *automap;
	const struct convert_tool *convert;
	const struct cp_tool *cp;
	const struct edit_tool *edit;
	const struct fix_tool *fix;
	const struct index_tool *index;
	const struct merge_schema *merge; /* NULL: files are merged by their names alone */
	const struct pack_rules *pack;
	const struct review_tool *review;
	const struct rules_tool *rules;
	const struct tidy_tool *tidy;
	/* Estimate the bytes of all files that a map shows, from its tables alone. NULL: they are
	 * never more than a small multiple of the map's file. */
	uint64_t (*work)(const struct snapshot *map);
};

/* All toolsets, NULL-ended. */
extern const struct toolset *const toolsets[];

/* The toolset of a format. A format without tools gets a shared empty one, whose format is NULL. */
const struct toolset *tools_of(const struct format *f);

/* The vfs_options.advise of all formats: calls the one of the map's toolset. */
void tools_advise(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);
