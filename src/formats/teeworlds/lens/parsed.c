/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/parsed.h"

#include <errno.h>
#include <stdlib.h>

static void finish_blob(struct parsed *p)
{
	blob_unref(tw_blob_of_parsed(p));
}

int tw_parsed_blob(
	struct content *in, bool same, struct blob *take, struct parsed **ret, struct error *e)
{
	struct tw_parsed_blob *p = parsed_new(sizeof(*p), in, finish_blob);

	if (!p) {
		blob_unref(take);
		return error_set(e, -ENOMEM, "out of memory");
	}
	p->parsed.is_unchanged = same;
	p->blob = take;
	*ret = &p->parsed;
	return 0;
}

/* Largest text whose document is kept. A document takes about ten times as many bytes. */
enum { KEPT_MAX = 4096 };

struct parsed_json {
	struct parsed parsed; /* first */
	struct json_doc doc;  /* its root is NULL if it is not kept */
};

static void finish_json(struct parsed *p)
{
	json_doc_finish(&((struct parsed_json *)p)->doc);
}

int tw_parsed_json(
	struct content *in, struct parsed **ret, struct json_doc *ret_doc, struct error *e)
{
	struct parsed_json *p = parsed_new(sizeof(*p), in, finish_json);
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	r = json_doc_load(&in->bytes, JSON_TEXT_MAX, ret_doc, e);
	if (r == 0 && in->bytes.size <= KEPT_MAX)
		p->doc = json_doc_ref(ret_doc);
	return parsed_finish(&p->parsed, r, ret);
}

int tw_parsed_json_load(const struct parsed *p, struct json_doc *ret, struct error *e)
{
	const struct parsed_json *own = (const struct parsed_json *)p;

	if (!own->doc.root)
		return json_doc_load(&p->content->bytes, JSON_TEXT_MAX, ret, e);
	*ret = json_doc_ref(&own->doc);
	return 0;
}
