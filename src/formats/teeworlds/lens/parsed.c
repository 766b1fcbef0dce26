/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/parsed.h"

#include <errno.h>
#include <stdlib.h>

static void free_blob(struct parsed *p)
{
	blob_unref(tw_blob_of_parsed(p));
	free(p);
}

int tw_parsed_blob(
	struct content *in, bool same, struct blob *take, struct parsed **ret, struct error *e)
{
	struct tw_parsed_blob *p = calloc(1, sizeof(*p));

	if (!p) {
		blob_unref(take);
		return error_set(e, -ENOMEM, "no memory for a data item");
	}
	parsed_init(&p->parsed, in, free_blob);
	p->parsed.same = same;
	p->blob = take;
	*ret = &p->parsed;
	return 0;
}

/* Bytes of a text whose document is kept, which takes about ten times as many. */
enum { KEPT_MAX = 4096 };

struct parsed_json {
	struct parsed parsed; /* first */
	struct json_doc doc;  /* its root is NULL if it is not kept */
};

static void free_json(struct parsed *p)
{
	json_doc_finish(&((struct parsed_json *)p)->doc);
	free(p);
}

int tw_parsed_json(
	struct content *in, struct parsed **ret, struct json_doc *ret_doc, struct error *e)
{
	struct parsed_json *p = calloc(1, sizeof(*p));
	struct json_doc doc = {0};
	int r = p ? json_doc_load(&in->bytes, JSON_TEXT_MAX, &doc, e)
		  : error_set(e, -ENOMEM, "no memory for a text");

	if (r < 0) {
		free(p);
		return r;
	}
	parsed_init(&p->parsed, in, free_json);
	if (in->bytes.size <= KEPT_MAX)
		p->doc = json_doc_ref(&doc);
	*ret = &p->parsed;
	*ret_doc = doc;
	return 0;
}

int tw_parsed_json_load(const struct parsed *p, struct json_doc *ret, struct error *e)
{
	const struct parsed_json *own = (const struct parsed_json *)p;

	if (!own->doc.root)
		return json_doc_load(&p->content->bytes, JSON_TEXT_MAX, ret, e);
	*ret = json_doc_ref(&own->doc);
	return 0;
}
