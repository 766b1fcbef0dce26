/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/lens/structure.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "codec/text/text.h"
#include "formats/torchlight/lens/lens.h"

/* Names that editors and tools give to what they do not keep. */
static bool is_habit(const char *name)
{
	static const char *const habits[] = {
		".*", "*~", "#*#", "4913", "*.swp", "*.tmp", "*.part", "*.orig", NULL};

	for (size_t i = 0; habits[i]; i++)
		if (fnmatch(habits[i], name, 0) == 0)
			return true;
	return name_is_random(name);
}

/* What the modding kit leaves beside its sources: X.DAT.BINDAT, X.LAYOUT.BINLAYOUT. */
static bool is_compiled_beside(const char *name)
{
	char source[NAME_MAX + 1];
	const char *dot = strrchr(name, '.');
	enum compiled_kind kind;

	if (!dot || strlen(name) > NAME_MAX)
		return false;
	memcpy(source, name, (size_t)(dot - name));
	source[dot - name] = 0;
	kind = compiled_kind_of(source);
	return (kind == COMPILED_DAT && !strcasecmp(dot, ".BINDAT")) ||
	       (kind == COMPILED_LAYOUT && !strcasecmp(dot, ".BINLAYOUT"));
}

/* At the root of a MOD that is being made. */
static bool is_named(const struct tl_map *m, entry_id dir, const char *name, const char *is)
{
	return dir == ENTRY_ROOT && m->shared->fresh && !strcasecmp(name, is);
}

static int classify(
	const struct tl_map *m, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	char stored[NAME_MAX + 1];
	size_t n;

	if (tl_kind_of(dir) != TL_DIR || is_habit(name))
		return FORMAT_SCRATCH;
	if (!is_dir && is_named(m, dir, name, "MOD.DAT.BINDAT"))
		return FORMAT_DERIVED;
	/* The game looks for nothing outside MEDIA. */
	if (dir == ENTRY_ROOT)
		return is_dir && !strcasecmp(name, "MEDIA") ? FORMAT_OBJECT : FORMAT_SCRATCH;
	if (!is_dir && is_compiled_beside(name))
		return FORMAT_DERIVED;
	n = name_unescape(name, strlen(name), stored);
	if (!utf8_valid(stored, n) || name_check(stored, n) < 0)
		return error_set(e, -EINVAL, "%s: no name for a file of an archive", name);
	return FORMAT_OBJECT;
}

/* A file whose name says that it is something else is made of what is shown of this one. */
static int check_alike(const struct tl_map *m, uint32_t handle, const char *name, struct error *e)
{
	CLEANUP_BUFFER struct buffer own = BUFFER_INIT;

	if (m->shared->plain)
		return 0;
	tl_file_name(m, handle, &own);
	buffer_byte(&own, 0);
	if (own.error)
		return error_set(e, -ENOMEM, "no memory for a name");
	return compiled_alike((const char *)own.data, name)
		       ? 0
		       : error_set(
				 e, -EINVAL, "%s: the ending says that it is something else", name);
}

static int may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e)
{
	bool is_dir = tl_kind_of(id) == TL_DIR;
	int r;

	if (tl_kind_of(id) == TL_CONTROL || tl_kind_of(dir) != TL_DIR || id == ENTRY_ROOT)
		return error_set(e, -EINVAL, "%s: it cannot stand there", name);
	r = classify(tl_map_of(s), dir, name, is_dir, e);
	if (r != FORMAT_OBJECT)
		return r < 0 ? r : error_set(e, -EINVAL, "%s: the name means nothing there", name);
	return is_dir ? 0 : check_alike(tl_map_of(s), tl_index(id), name, e);
}

static bool stands_for_dir(entry_id id)
{
	return tl_kind_of(id) == TL_DIR || id == tl_id(TL_CONTROL, TL_CONTROL_DIR);
}

/* What has that name, listed or not. */
static bool find(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret)
{
	bool kit = is_named(m, dir, name, "MOD.DAT");

	if (kit)
		*ret = tl_id(TL_CONTROL, TL_CONTROL_KIT);
	return kit || tl_find(m, dir, name, ret) == 0;
}

int tl_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e)
{
	int r = 0;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (find(tl_map_of(s), dir, name, &ret->id) && stands_for_dir(ret->id) >= is_dir) {
		/* The place of a directory, which may stay for what it hides, is no file's. */
		ret->known = stands_for_dir(ret->id) == is_dir;
		ret->is = ret->known ? FORMAT_OBJECT : FORMAT_SCRATCH;
	} else {
		r = classify(tl_map_of(s), dir, name, is_dir, e);
		ret->is = r < 0 ? FORMAT_SCRATCH : (enum format_class)r;
	}
	ret->fits = r >= 0 && object != ENTRY_ROOT && may_move(s, object, dir, name, NULL) == 0;
	return r < 0 ? r : 0;
}

int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	int r = classify(tl_map_of(*s), dir, name, is_dir, e);
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tl_map *m;
	uint32_t handle;

	if (r != FORMAT_OBJECT)
		return r < 0 ? r : error_set(e, -EINVAL, "%s: the name means nothing here", name);
	m = tl_map_copy(tl_map_of(*s));
	done = m ? &m->snapshot : NULL;
	if (!m || tl_map_make(m, tl_index(dir), name, is_dir, &handle) < 0)
		return error_set(e, -ENOMEM, "no memory for another file");
	*ret = tl_id(is_dir ? TL_DIR : TL_FILE, handle);
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
