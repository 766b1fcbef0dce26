/* SPDX-License-Identifier: Zlib */
/*
 * json_place: where in a file a value stands. Internal to codec.
 *
 * jansson's values do not know; this walks the text, which jansson has accepted, along the path.
 * Only refusals need it.
 */
#ifndef CODEC_JSON_PLACE_H
#define CODEC_JSON_PLACE_H

#include "codec/json.h"

struct json_place {
	unsigned line;    /* from 1 */
	unsigned column;  /* from 1, in characters */
	const char *text; /* the value as it is written, in the doc */
	size_t n;
};

struct json_place json_place(const struct json_at *at);

#endif
