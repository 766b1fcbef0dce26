/* SPDX-License-Identifier: Zlib */
/* The data that all versions share: the mounted archive, and its contents. */
#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/torchlight/model/map.h"

int tl_shared_new(const struct format_context *ctx, struct archive *take, struct tl_shared **ret,
	struct error *e)
{
	CLEANUP(archive_free) struct archive *a = take;
	CLEANUP(tl_shared_unref) struct tl_shared *sh = calloc(1, sizeof(*sh));
	const char *text = format_option(ctx->options, "text");

	if (!sh)
		return error_set(e, -ENOMEM, "out of memory");
	atomic_init(&sh->refs, 1);
	pthread_mutex_init(&sh->lock, NULL);
	pthread_mutex_init(&sh->names_lock, NULL);
	sh->budget = ctx->budget;
	sh->store = ctx->store;
	sh->names_file = file_ref(ctx->names_file);
	sh->form = text && strcmp(text, "utf16") == 0 ? TEXTFORM_UTF16 : TEXTFORM_UTF8;
	sh->plain = text && strcmp(text, "off") == 0;
	sh->archive = TAKE(a);
	sh->contents =
		calloc((size_t)sh->archive->manifest->n_entries + 1, sizeof(struct tl_content *));
	if (!sh->contents)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = TAKE(sh);
	return 0;
}

DEFINE_REF(struct tl_shared, tl_shared_ref)

void tl_shared_unref(struct tl_shared *sh)
{
	if (!sh || !refs_drop(&sh->refs))
		return;
	for (uint32_t i = 0; sh->contents && i < sh->archive->manifest->n_entries; i++)
		tl_content_unref(sh->contents[i]);
	free(sh->contents);
	modheader_unref(sh->fresh);
	archive_free(sh->archive);
	tree_free(sh->tree);
	file_unref(sh->names_file);
	names_unref(sh->names);
	pthread_mutex_destroy(&sh->lock);
	pthread_mutex_destroy(&sh->names_lock);
	free(sh);
}

int tl_stored(struct tl_shared *sh, uint32_t handle, struct tl_content **ret, struct error *e)
{
	const struct manifest_entry *x = manifest_file(sh->archive->manifest, handle);
	int r = 0;

	if (!x)
		return error_set(e, -ENODATA, "no content");
	pthread_mutex_lock(&sh->lock);
	if (!sh->contents[handle])
		r = tl_content_stored(
			&sh->archive->section, x, sh->budget, &sh->contents[handle], e);
	if (r == 0)
		*ret = tl_content_ref(sh->contents[handle]);
	pthread_mutex_unlock(&sh->lock);
	return r;
}

struct tl_content *tl_stored_peek(struct tl_shared *sh, uint32_t handle)
{
	struct tl_content *c = NULL;

	if (handle >= sh->archive->manifest->n_entries)
		return NULL;
	pthread_mutex_lock(&sh->lock);
	c = tl_content_ref(sh->contents[handle]);
	pthread_mutex_unlock(&sh->lock);
	return c;
}
