/* SPDX-License-Identifier: Zlib */
#include "tools/tools.h"

#include "tools/teeworlds/tools.h"
#include "tools/torchlight/tools.h"
#include "tools/triclon/tools.h"

const struct toolset *const toolsets[] = {
	&tools_teeworlds, &tools_torchlight_mod, &tools_torchlight_pak, &tools_triclon, NULL};

const struct toolset *tools_of(const struct format *f)
{
	static const struct toolset none;

	for (size_t i = 0; toolsets[i]; i++)
		if (toolsets[i]->format == f)
			return toolsets[i];
	return &none;
}

void tools_advise(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg)
{
	const struct toolset *t = tools_of(map->format);

	if (t->advise)
		t->advise(before, map, say, arg);
}
