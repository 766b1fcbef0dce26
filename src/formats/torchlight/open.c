/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "codec/text/text.h"
#include "formats/torchlight/lens/taught.h"
#include "formats/torchlight/model/map.h"

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);

	return n > k && !strcasecmp(name + n - k, ending);
}

/* A file called .mod is accepted here, whatever it holds, so that open can refuse it with a reason.
 * Under another name, a file with a valid header is accepted. */
bool tl_probe_mod(const struct source *src, const uint8_t *head, size_t n)
{
	CLEANUP(modheader_unref) struct mod_header *h = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (ends_in(src->name, ".mod"))
		return true;
	if (!modheader_sniff(head, n))
		return false;
	x = extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);
	return modheader_read(&x, &h, NULL) == 0;
}

/* A PAK has no signature, so its name decides. A map saved after a conflict has a longer name. */
bool tl_probe_pak(const struct source *src, const uint8_t *, size_t)
{
	return strcasestr(src->name, ".pak") || !strcasecmp(src->name, "PAK.ZIP");
}

/* X.PAK.MAN, else X.MAN. */
bool tl_companion(const char *name, unsigned i, char *ret)
{
	size_t n = strlen(name);

	if (i > 1 || n + 4 > NAME_MAX)
		return false;
	if (i == 0) {
		snprintf(ret, NAME_MAX + 1, "%s.MAN", name);
		return true;
	}
	if (!ends_in(name, ".pak"))
		return false;
	snprintf(ret, NAME_MAX + 1, "%.*s.MAN", (int)(n - 4), name);
	return true;
}

/* Make the first version of an archive. Takes ownership of the archive, also on failure. */
static int make_map(struct archive *take, const struct format *f, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct tl_shared *sh = NULL;
	struct tl_map *m;
	int r = tl_shared_new(ctx, take, &sh, e);

	if (r < 0)
		return r;
	m = tl_map_new(sh, f);
	if (!m)
		return error_set(e, -ENOMEM, "out of memory");
	s = &m->snapshot;
	m->removed = bytes_ref(sh->archive->removed);
	m->header = modheader_ref(sh->archive->header);
	r = tree_build(sh->archive->manifest, ctx->names, &sh->tree, e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}

static int refuse_foreign(const struct source *src, struct error *e)
{
	uint8_t head[64];
	size_t n = src->sizes[0] < sizeof(head) ? (size_t)src->sizes[0] : sizeof(head);
	const char *what;
	int r = file_read(src->files[0], 0, head, n, e);

	if (r < 0)
		return r;
	what = archive_foreign(head, n, src->sizes[0]);
	return what ? error_set(e, -EINVAL, "%s, not an archive of Torchlight II", what) : 0;
}

static bool is_pak(const struct format *f)
{
	return f->companion;
}

/* As the game's tool does: a MOD lists MEDIA in a record of its own, a PAK begins with MEDIA. */
static struct manifest *empty_manifest(bool pak)
{
	const struct manifest_entry dir = {.handle = MANIFEST_NO_FILE, .type = MANIFEST_DIR};
	CLEANUP(manifest_free) struct manifest *m = manifest_new(2, STR("MEDIA/"));

	if (!m)
		return NULL;
	manifest_add_record(m, pak ? STR("MEDIA/") : STR(""));
	if (!pak)
		manifest_add_entry(m, &dir, STR("MEDIA/"));
	return m->text.error ? NULL : TAKE(m);
}

/* Its title is the name of the file without the ending. */
static int empty_header(const char *name, struct mod_header **ret, struct error *e)
{
	static const struct mod_header begin = {
		.version = MOD_VERSION, .mod_version = 1, .game_version = {1, 25, 9, 5}};
	CLEANUP(modheader_unref) struct mod_header *h = modheader_copy(&begin);
	const char *dot = strrchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	if (!h || text_set(&h->strings[MOD_TITLE], name, utf8_valid(name, n) ? n : 0) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	/* The game identifies mods by the id only. */
	if (getrandom(&h->id, sizeof(h->id), 0) != sizeof(h->id))
		return error_errno(e, "cannot make a random id for the mod");
	*ret = TAKE(h);
	return 0;
}

static int create_map(const struct format *f, const char *name, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = calloc(1, sizeof(*a));
	struct tl_shared *sh;
	int r;

	if (a) {
		a->section_header = PAK_HEADER;
		a->hash_ok = true;
		a->manifest = empty_manifest(is_pak(f));
		a->removed = bytes_new(0, NULL);
	}
	if (!a || !a->manifest || !a->removed)
		return error_set(e, -ENOMEM, "out of memory");
	r = is_pak(f) ? 0 : empty_header(name, &a->header, e);
	if (r == 0)
		r = make_map(TAKE(a), f, ctx, ret, e);
	if (r < 0)
		return r;
	sh = tl_map_of(*ret)->shared;
	sh->fresh = modheader_ref(sh->archive->header);
	sh->tree->split = !is_pak(f);
	return 0;
}

static int open_files(const struct format *f, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = NULL;
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	bool hash_ok;
	int r = refuse_foreign(src, e);

	if (r == 0 && is_pak(f) && ends_in(src->name, ".man"))
		r = error_set(e, -EINVAL, "the manifest of an archive: use the PAK beside it");
	if (r == 0)
		r = archive_open_source(src, is_pak(f), &a, e);
	if (r < 0)
		return r;
	hash_ok = a->hash_ok;
	r = make_map(TAKE(a), f, ctx, &s, e);
	if (r == 0)
		r = tl_taught_take((struct tl_map *)s, ctx->names, e);
	if (r < 0)
		return r;
	*ret = TAKE(s);
	if (!hash_ok && ctx->note)
		ctx->note(ctx->note_arg, "the archive's hash is wrong, so the game ignores the "
					 "archive; a save corrects it");
	return 0;
}

int tl_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return src->n_files ? open_files(f, src, ctx, ret, e)
			    : create_map(f, src->name, ctx, ret, e);
}
