/* SPDX-License-Identifier: Zlib */
/* fault_line: a fault of a map as a line of the report of mapfs check, or as a JSON object. */
#pragma once

#include "base/buffer.h"
#include "formats/format.h"

/* Append "FILE: error: LINE" or "FILE: warning: LINE", with " (fixable)" if it is. */
void fault_line_append(struct buffer *out, const char *file, const struct format_fault *f,
	bool is_fixable, bool json);
/* Append "FILE: repaired PATH: REPAIR". repair: as in tools/fix/fix.h. */
void fault_line_append_repair(struct buffer *out, const char *file, const struct format_fault *f,
	const char *repair, bool json);
