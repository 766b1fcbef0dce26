/* SPDX-License-Identifier: Zlib */
/* triangle: half of a quad, with colours and places in an image that change evenly over it. */
#pragma once

#include "formats/teeworlds/preview/view.h"

struct tw_corner {
	double x, y;     /* on the canvas */
	double color[4]; /* 0..255 */
	double u, v;     /* 1: the image's width, its height */
};

/* What changes evenly: its value at the canvas's corner, and from pixel to pixel. */
struct tw_slope {
	double at, dx, dy;
};

enum { TW_SLOPE_COLOR, TW_SLOPE_U = 4, TW_SLOPE_V, TW_SLOPES };

struct tw_triangle {
	const struct tw_corner *c[3];
	double area;              /* twice */
	struct tw_clip box;       /* what it can touch of the clip */
	struct tw_slope edges[3]; /* not negative inside; the i-th is opposite to corner i */
	struct tw_slope slopes[TW_SLOPES];
	bool even; /* of one colour */
};

/* With c set. false: nothing of it can be seen. */
bool tw_triangle_init(struct tw_triangle *t, const struct tw_clip *clip);
/* With an image, which repeats, or NULL. -E2BIG as tw_canvas_spend. */
int tw_triangle_draw(struct tw_painter *p, const struct tw_triangle *t,
	const struct tw_texture *texture, struct error *e);
