/* SPDX-License-Identifier: Zlib */
/* parsed: parsed values that several kinds of files share. Each holds a reference to `in`. */
#pragma once

#include "codec/blob.h"
#include "codec/text/json.h"
#include "formats/format.h"

/* The parsed value of a file that becomes one blob. */
struct tw_parsed_blob {
	struct parsed parsed; /* first */
	/* Owned reference; the base's blob if the content is unchanged. NULL: the file is empty. */
	struct blob *blob;
};

/* Create a parsed value. Takes over the reference to the blob `take` (may be NULL), also on
 * failure. same: parsed.is_unchanged. -ENOMEM. */
int tw_parsed_blob(
	struct content *in, bool same, struct blob *take, struct parsed **ret, struct error *e);

/* The blob of a parsed value; borrowed. */
static inline struct blob *tw_blob_of_parsed(const struct parsed *p)
{
	return ((const struct tw_parsed_blob *)p)->blob;
}

/* Parse a JSON file of at most JSON_TEXT_MAX bytes. *ret_doc is its document, which the caller
 * zeroes before, checks, and finishes in any case. *ret keeps its own reference to the document of
 * a short text, so that apply need not load it again. -EINVAL: invalid JSON, or too long. */
int tw_parsed_json(
	struct content *in, struct parsed **ret, struct json_doc *ret_doc, struct error *e);
/* The document of a parsed value, for apply: kept, or loaded again. The caller finishes it. */
int tw_parsed_json_load(const struct parsed *p, struct json_doc *ret, struct error *e);
