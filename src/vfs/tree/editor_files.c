/* SPDX-License-Identifier: Zlib */
#include <fnmatch.h>

#include "base/name.h"
#include "vfs/tree/lost.h"

/* Swap and autosave files (.x.swp, #x#, .x.kate-swp) are not in the list: at the end of a mount one
 * may be the only copy of an unsaved text. */
bool is_editor_file(const char *name)
{
	static const char *const patterns[] = {
		"4913",
		"5036",
		"5159", /* vim tests whether it may create files */
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

	for (size_t i = 0; patterns[i]; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return name_is_random(name);
}
