/* SPDX-License-Identifier: Zlib */
/*
 * parsed: what several kinds of files have for a parsed value.
 */
#pragma once

#include "codec/blob.h"
#include "codec/text/json.h"
#include "formats/format.h"

/* A data item. Its blob is that of the base if the file says the same. NULL: the file is empty, and
 * the item has no data. */
struct tw_parsed_blob {
	struct parsed parsed; /* first */
	struct blob *blob;
};

/* take: the blob, taken over also on failure. */
int tw_parsed_blob(
	struct content *in, bool same, struct blob *take, struct parsed **ret, struct error *e);

static inline struct blob *tw_blob_of_parsed(const struct parsed *p)
{
	return ((const struct tw_parsed_blob *)p)->blob;
}

/*
 * A small JSON file. Its document is kept, and apply reads from it. The document of a long text is
 * not kept: each apply loads it again from the bytes. Both results are the caller's. Errors: those
 * of json_doc_load.
 */
int tw_parsed_json(
	struct content *in, struct parsed **ret, struct json_doc *ret_doc, struct error *e);
int tw_parsed_json_load(const struct parsed *p, struct json_doc *ret, struct error *e);
