/* SPDX-License-Identifier: Zlib */
/* The table of formats, in a file of its own so that a test can link another one. */
#include "formats/format.h"
#include "formats/teeworlds/format.h"
#include "formats/torchlight/format.h"
#include "formats/triclon/format.h"

const struct format *const formats[] = {
	&format_triclon, /* first: its tag decides, and the file may be named .map */
	&format_teeworlds,
	&format_torchlight_mod,
	&format_torchlight_pak,
	NULL,
};
