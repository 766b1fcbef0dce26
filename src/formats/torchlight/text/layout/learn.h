/* SPDX-License-Identifier: Zlib */
/*
 * layout_learn: what names mean that stand in a layout's text and in no table.
 *
 * The kit writes an object's properties in the order in which its text has them. So where a text
 * and the compiled file that was made of it are both at hand, a name that nobody knows belongs to
 * the code that nobody knows in the same place: between the same neighbours, and with the value
 * that the text says; or, in a text that is the kit's (it has no P_n) and for an object with as
 * many unknown names as codes, with one of the same length.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/names.h"

/* Appends lines of a table (schema.h). Of an old file that is not sound nothing is learnt. -ENOMEM.
 */
int layout_learn(const struct dat_block *root, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *lines);
