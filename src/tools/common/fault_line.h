/* SPDX-License-Identifier: Zlib */
/* fault_line: a fault of a map as a line of the report of mapfs check, or as a JSON object. */
#pragma once

#include "base/buffer.h"
#include "formats/format.h"

/* Append "FILE: error: LINE" or "FILE: warning: LINE", with " (fixable)" if it is. */
void fault_line_append(struct buffer *out, const char *file, const struct format_fault *f,
	bool is_fixable, bool json);
/* Append "FILE: repaired PATH: REPAIR" or, for a fault without a path, "FILE: repaired REPAIR:
 * FAULT". repair (not NULL): what was done, or repaired (tools/fix/fix.h). JSON omits it. */
void fault_line_append_repair(struct buffer *out, const char *file, const struct format_fault *f,
	const char *repair, bool json);
