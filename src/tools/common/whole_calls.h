/* SPDX-License-Identifier: Zlib */
/* whole: what a format may call while it makes another map of a map (tidy.h, convert.h). */
#pragma once

#include "formats/images.h"
#include "formats/preview.h"

enum whole_said {
	WHOLE_DONE,    /* "removed images/3_old.png: nothing uses it" */
	WHOLE_LEFT,    /* why something stays that was to change: "PATH: ..." */
	WHOLE_REFUSED, /* why no other map is made of it */
};

struct whole_calls {
	/* What became of what, a line each. */
	void (*say)(void *arg, enum whole_said what, const char *line);
	void *arg;
	preview_image_fn image; /* its arg is a struct images */
};
