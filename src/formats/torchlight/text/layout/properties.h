/* SPDX-License-Identifier: Zlib */
/* properties: an object's [PROPERTIES] compiled: what it is, and its values. */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/layout/group.h"
#include "formats/torchlight/text/names.h"

/* A layout that is being compiled (encode.c). */
struct layout_encoder {
	struct buffer *out;
	const struct names *names;
	struct layout_nodes nodes; /* the root, then the Groups so far */
	struct layout_nodes old;   /* those of the old file */
	bool old_known;
	bool unknown; /* it ended at a name that nobody knows */
	struct error *e;
};

/* What an object's first fields say. */
struct layout_identity {
	uint8_t type;
	struct str name; /* empty: the type's own */
	int64_t id;
	const struct dat_field *fields[4]; /* DESCRIPTOR, NAME, ID, PARENTID */
};

int layout_read_identity(
	struct layout_encoder *en, const struct dat_block *b, struct layout_identity *ret);
/* Appends all of them but the identity, after a byte that says how many. */
int layout_put_properties(
	struct layout_encoder *en, const struct dat_block *b, const struct layout_identity *id);
