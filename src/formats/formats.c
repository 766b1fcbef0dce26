/* SPDX-License-Identifier: Zlib */
/* The formats that there are. Nothing else stands here, so that a test can bring a table of its
 * own. */
#include "formats/format.h"
#include "formats/teeworlds/format.h"
#include "formats/torchlight/format.h"
#include "formats/triclon/format.h"

const struct format *const formats[] = {
	&format_triclon, /* by its tag alone, so it may be called .map */
	&format_teeworlds,
	&format_torchlight_mod,
	&format_torchlight_pak,
	NULL,
};
