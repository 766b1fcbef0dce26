/* SPDX-License-Identifier: Zlib */
/*
 * layout_learn: learn unknown names in a layout's text from the previous compiled file.
 *
 * The kit writes an object's properties in the order of its text. So if a text and its compiled
 * file are both available, an unknown name in the text belongs to the unknown code at the same
 * place: between the same neighbors, and with the value in the text. A value of the same length is
 * enough if the text is the kit's (it has no P_n) and the object has as many unknown names as
 * unknown codes.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/names.h"

/* Append lines of learned names: type, its name, code, property, kind, with tabs between; none if
 * old is invalid or empty. Sets is_read below root, the new text. names may be NULL. -ENOMEM. */
int layout_learn(const struct dat_block *root, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *lines);
