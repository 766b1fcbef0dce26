/* SPDX-License-Identifier: Zlib */
#include <fnmatch.h>

#include "base/name.h"
#include "vfs/tree/lost.h"

/* Not among them: swap and autosave files (.x.swp, #x#, .x.kate-swp). One that is there at the end
 * is all that is left of a text that nobody saved. */
bool is_editor_file(const char *name)
{
	static const char *const habits[] = {
		"4913",
		"5036",
		"5159", /* vim asks whether it may create */
		"*~",
		"*.bak",
		"*.BAK",
		"*.orig", /* backups */
		".#*",
		".~lock.*#",
		".goutputstream-??????", /* GLib */
		".*.??????",             /* rsync, install */
		"*.tmp",
		"magick-*",
		"._*",
		".DS_Store",
		".directory",
		".xdg-volume-info",
		".nfs*",
		NULL,
	};

	for (size_t i = 0; habits[i]; i++)
		if (fnmatch(habits[i], name, 0) == 0)
			return true;
	return name_is_random(name);
}
