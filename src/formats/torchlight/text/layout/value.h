/* SPDX-License-Identifier: Zlib */
/*
 * layout_value: the value of a layout's property, compiled from its text.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/layout/schema.h"

/* Appends f's value as one of that kind (no vector). -EINVAL with line and column. */
int layout_value_encode(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e);
