/* SPDX-License-Identifier: Zlib */
/* The text of a file of the mount, anew from the map. */
#include <errno.h>

#include "formats/triclon/map.h"

int tcm_show(struct tcm_map *m, enum tcm_file f, struct error *e)
{
	struct buffer text = BUFFER_INIT;
	struct bytes *b;

	if (f == TCM_INFO)
		tcm_info_show(m, &text);
	else
		tcm_table_show(m, f, &text);
	if (buffer_finish(&text, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for %s", tcm_names[f]);
	tcm_set(&m->texts[f], b);
	return 0;
}

int tcm_clear(struct tcm_map *m, enum tcm_file f, struct error *e)
{
	struct bytes *none = bytes_copy("", 0);

	if (!none)
		return error_set(e, -ENOMEM, "no memory for an empty table");
	tcm_set(&m->records[f], none);
	return tcm_show(m, f, e);
}
