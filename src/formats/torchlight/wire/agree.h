/* SPDX-License-Identifier: Zlib */
/*
 * agree: do the blocks of a section and the manifest belong together? Beside the PAK may lie the
 * manifest of another version of it, and what is saved by that one destroys the files of both.
 */
#pragma once

#include "formats/torchlight/wire/archive.h"

enum { AGREE_SAMPLE = 64 };

/*
 * Compares the headers of `most` blocks (0: of all), spread over the section, the first and the
 * last among them, with what the manifest says of them. -EINVAL names the first that differs.
 */
int agree_check(const struct archive *a, unsigned most, struct error *e);
