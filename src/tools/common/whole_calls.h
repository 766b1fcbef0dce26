/* SPDX-License-Identifier: Zlib */
/* whole_calls: callbacks for a format that makes a changed copy of a map (tidy.h, convert.h). */
#pragma once

#include "formats/images.h"
#include "formats/preview.h"

enum whole_event {
	WHOLE_DONE,    /* "removed images/3_old.png: nothing uses it" */
	WHOLE_LEFT,    /* why a requested change was not made: "PATH: ..." */
	WHOLE_REFUSED, /* why no copy is made */
};

struct whole_calls {
	/* Report one change, in one line. */
	void (*say)(void *arg, enum whole_event what, const char *line);
	void *arg;
	preview_image_fn image; /* not NULL; its arg: the struct images in the tool's options */
};
