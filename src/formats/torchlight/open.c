/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "formats/torchlight/lens/taught.h"
#include "formats/torchlight/model/map.h"
#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/wire/removed.h"

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);

	return n > k && !strcasecmp(name + n - k, ending);
}

/* A file that is called a mod is refused with a reason, whatever it holds; one that begins as a mod
 * does, and says where its parts are, is taken under any name. */
bool tl_probe_mod(const struct source *src, const uint8_t *head, size_t n)
{
	CLEANUP(modheader_free) struct mod_header *h = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (ends_in(src->name, ".mod"))
		return true;
	if (!modheader_sniff(head, n))
		return false;
	x = extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);
	return modheader_read(&x, &h, NULL) == 0;
}

/* A PAK has no mark of its own: by its name, which a save in a conflict lengthens. */
bool tl_probe_pak(const struct source *src, const uint8_t *head, size_t n)
{
	(void)head, (void)n;
	return strcasestr(src->name, ".pak") || !strcasecmp(src->name, "PAK.ZIP");
}

/* X.PAK.MAN, or X.MAN. */
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

static int read_options(const struct format_context *ctx, struct tl_shared *sh, struct error *e)
{
	const char *text = format_option(ctx->options, "text");

	if (text && strcmp(text, "utf16") == 0)
		sh->form = TEXTFORM_UTF16;
	else if (text && strcmp(text, "off") == 0)
		sh->plain = true;
	else if (text && strcmp(text, "utf8") != 0)
		return error_set(e, -EINVAL, "option text is %s (utf8, utf16 or off)", text);
	sh->names_file = file_ref(ctx->names_file);
	return 0;
}

static int shared_new(const struct format_context *ctx, struct tl_shared **ret, struct error *e)
{
	CLEANUP(tl_shared_unref) struct tl_shared *sh = calloc(1, sizeof(*sh));
	int r;

	if (!sh)
		return error_set(e, -ENOMEM, "no memory for the archive");
	atomic_init(&sh->refs, 1);
	pthread_mutex_init(&sh->lock, NULL);
	sh->budget = ctx->budget;
	sh->store = ctx->store;
	r = read_options(ctx, sh, e);
	if (r == 0)
		*ret = TAKE(sh);
	return r;
}

static int by_path(const void *x, const void *y)
{
	return str_compare(*(const struct str *)x, *(const struct str *)y);
}

/* Does any directory have two records? Then files and subdirectories stand apart. */
static int find_split(const struct manifest *m, bool *ret)
{
	struct str *paths = calloc((size_t)m->n_records + 1, sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n_records; i++)
		paths[i] = manifest_path(m, &m->records[i]);
	qsort(paths, m->n_records, sizeof(*paths), by_path);
	*ret = false;
	for (uint32_t i = 1; i < m->n_records; i++)
		*ret |= str_equal(paths[i - 1], paths[i]);
	free(paths);
	return 0;
}

static struct tl_base *base_of(const struct archive *a, struct budget *budget)
{
	const struct manifest *m = a->manifest;
	struct tl_base *b = tl_base_new(&a->section, a->section_header, m->n_entries, budget);

	for (uint32_t i = 0; b && i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];

		b->spots[i] = (struct tl_spot){
			.here = x->type != MANIFEST_DIR && !x->removed,
			.offset = x->offset,
			.usize = x->usize,
			.crc = x->crc,
			.filetime = x->filetime,
		};
	}
	if (b)
		b->n_removed = a->n_removed;
	return b;
}

/* The map of an archive, whose manifest and header it takes. */
static int make_map(struct archive *a, struct tl_shared *take, const struct format *f,
	const struct bytes *names, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct tl_shared *sh = take;
	struct tl_map *m = tl_map_new(sh, f);
	int r;

	if (!m)
		return error_set(e, -ENOMEM, "no memory for the archive");
	s = &m->snapshot;
	m->base = base_of(a, sh->budget);
	if (!m->base)
		return error_set(e, -ENOMEM, "no memory for the archive");
	r = removed_text(a->manifest, a->header, &m->removed, e);
	if (r == 0)
		r = tree_build(a->manifest, names, &sh->tree, e);
	if (r == 0)
		r = find_split(a->manifest, &sh->split);
	if (r < 0)
		return e && e->code ? r : error_set(e, r, "no memory for the archive");
	sh->manifest = TAKE(a->manifest);
	sh->removed = bytes_ref(m->removed);
	if (a->header) {
		m->header = tl_header_new(TAKE(a->header));
		if (!m->header)
			return error_set(e, -ENOMEM, "no memory for the header");
	}
	*ret = TAKE(s);
	return 0;
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
	return what ? error_set(e, -EINVAL, "%s, and none of Torchlight II", what) : 0;
}

static bool is_pak(const struct format *f)
{
	return f->companion;
}

static int open_mod(const struct source *src, struct archive **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent mod =
		extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);

	return archive_open_mod(&mod, ret, e);
}

static int open_pak(const struct source *src, struct archive **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent pak =
		extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);
	CLEANUP_EXTENT struct extent man = EXTENT_INIT;

	if (ends_in(src->name, ".man"))
		return error_set(e, -EINVAL, "the manifest of an archive: name the PAK beside it");
	if (src->n_files < 2)
		return error_set(e, -EINVAL, "its manifest %s.MAN is not beside it", src->name);
	man = extent_of_file(file_ref(src->files[1]), 0, src->sizes[1]);
	return archive_open_pak(&pak, &man, ret, e);
}

/* A MOD lists MEDIA in a record of its own, as the game's tool does; a PAK begins with MEDIA. */
static int empty_manifest(bool pak, struct manifest **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const struct manifest_entry dir = {.type = MANIFEST_DIR};
	struct manifest_writer w;
	int r;

	manifest_begin(&w, &out, 2, STR("MEDIA/"));
	manifest_put_record(&w, pak ? STR("MEDIA/") : STR(""));
	if (!pak)
		manifest_put_entry(&w, &dir, STR("MEDIA/"));
	r = manifest_end(&w, MANIFEST_STEP, e);
	return r < 0 ? r : manifest_read(out.data, out.size, ret, e);
}

static int empty_header(const char *name, struct mod_header **ret, struct error *e)
{
	static const uint16_t game[MOD_GAME_VERSION_WORDS] = {1, 25, 9, 5};
	CLEANUP(modheader_free) struct mod_header *h = calloc(1, sizeof(*h));
	const char *dot = strrchr(name, '.');
	bool ok = h != NULL;

	if (ok) {
		h->version = MOD_VERSION;
		h->mod_version = 1;
		memcpy(h->game_version, game, sizeof(game));
		for (int i = 0; i < MOD_STRINGS; i++) {
			const char *s = i == MOD_TITLE ? name : "";

			h->strings[i].n = i == MOD_TITLE && dot ? (size_t)(dot - name) : strlen(s);
			h->strings[i].s = strndup(s, h->strings[i].n);
			ok &= h->strings[i].s != NULL;
		}
	}
	if (!ok)
		return error_set(e, -ENOMEM, "no memory for the header");
	/* The game tells mods apart by this alone. */
	if (getrandom(&h->id, sizeof(h->id), 0) != sizeof(h->id))
		return error_errno(e, "no random number for the mod's id");
	*ret = TAKE(h);
	return 0;
}

static int create(const struct format *f, const char *name, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	const bool pak = is_pak(f);
	CLEANUP(archive_free) struct archive *a = calloc(1, sizeof(*a));
	CLEANUP(tl_shared_unref) struct tl_shared *sh = NULL;
	int r = a ? shared_new(ctx, &sh, e) : error_set(e, -ENOMEM, "no memory for the archive");

	if (r == 0)
		r = empty_manifest(pak, &a->manifest, e);
	if (r == 0 && !pak)
		r = empty_header(name, &a->header, e);
	if (r < 0)
		return r;
	a->section_header = PAK_HEADER;
	r = make_map(a, tl_shared_ref(sh), f, NULL, ret, e);
	if (r == 0)
		sh->fresh = tl_header_ref(tl_map_of(*ret)->header);
	sh->split = !pak;
	return r;
}

static int open_files(const struct format *f, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = NULL;
	CLEANUP(tl_shared_unref) struct tl_shared *sh = NULL;
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	bool hash_ok;
	int r = refuse_foreign(src, e);

	if (r == 0)
		r = shared_new(ctx, &sh, e);
	if (r == 0)
		r = is_pak(f) ? open_pak(src, &a, e) : open_mod(src, &a, e);
	if (r < 0)
		return r;
	hash_ok = a->hash_ok;
	r = make_map(a, TAKE(sh), f, ctx->names, &s, e);
	if (r == 0)
		r = tl_taught_take((struct tl_map *)s, ctx->names, e);
	if (r < 0)
		return r;
	*ret = TAKE(s);
	if (!hash_ok && ctx->note)
		ctx->note(ctx->note_arg,
			"the archive's hash is wrong, so the game takes no notice of it; a save "
			"writes the right one");
	return 0;
}

int tl_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return src->n_files ? open_files(f, src, ctx, ret, e) : create(f, src->name, ctx, ret, e);
}
