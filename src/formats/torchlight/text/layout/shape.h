/* SPDX-License-Identifier: Zlib */
/*
 * shape: which blocks and fields the text of a layout has. A compiled layout has a place for these
 * alone: what is called otherwise, or stands twice, would be gone without a word.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"

/* The fields of [PROPERTIES] and [DATAGROUP] are not looked at. -EINVAL with line and column. */
int layout_shape_check(const struct dat_block *root, struct error *e);
