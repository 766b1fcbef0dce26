/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/kit.h"

#include <errno.h>
#include <string.h>

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

static const char *const string_keys[MOD_STRINGS] = {
	"NAME", "AUTHOR", "DESCRIPTION", "WEBSITE", "DOWNLOAD_URL"};

static int read_strings(const struct dat_block *b, struct mod_header *h, struct error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < MOD_STRINGS; i++) {
		const struct dat_field *f = dat_find_field(b, str_of(string_keys[i]));

		if (!f)
			continue;
		r = dat_check_string(f, e);
		if (r == 0 && text_set(&h->strings[i], f->value.s, f->value.n) < 0)
			r = error_set(e, -ENOMEM, "out of memory");
	}
	return r;
}

/* MOD.DAT has the version that was published last. The kit increments it when it publishes. */
static int read_numbers(const struct dat_block *b, struct mod_header *h, struct error *e)
{
	const struct dat_field *version = dat_find_field(b, STR("VERSION")),
			       *id = dat_find_field(b, STR("MOD_ID"));
	int32_t n = h->mod_version - 1;

	if (version && (!number_get_i32(version->value, &n) || n < 0 || n >= UINT16_MAX))
		return dat_field_error(e, version, "must be a number from 0 to %d", UINT16_MAX - 1);
	if (id && !number_get_i64(id->value, &h->id))
		return dat_field_error(e, id, "must be a number of 64 bits");
	h->mod_version = (uint16_t)(n + 1);
	return 0;
}

int kit_read(const struct bytes *written, struct mod_header *h, struct error *e)
{
	CLEANUP(dattext_free) struct dattext *t = NULL;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	int r = textform_read(written->data, written->size, &text, e);

	if (r == 0)
		r = dattext_parse((const char *)text.data, text.size, &t, e);
	if (r < 0)
		return r;
	if (!str_equal_nocase(t->root->name, STR("MOD")))
		return text_error(e, t->root->line, 1, "the root is [%.*s] (must be [MOD])",
			STR_ARGS(t->root->name));
	r = read_strings(t->root, h, e);
	return r < 0 ? r : read_numbers(t->root, h, e);
}

static void put_difference(struct buffer *out, const char *key, bool is)
{
	if (is)
		buffer_printf(out, "%s%s", out->size ? ", " : "", key);
}

void kit_differences(const struct mod_header *a, const struct mod_header *b, struct buffer *out)
{
	for (int i = 0; i < MOD_STRINGS; i++)
		put_difference(out, string_keys[i], !text_same(&a->strings[i], &b->strings[i]));
	put_difference(out, "VERSION", a->mod_version != b->mod_version);
	put_difference(out, "MOD_ID", a->id != b->id);
}
