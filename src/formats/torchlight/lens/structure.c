/* SPDX-License-Identifier: Zlib */
/* Names, and new files and directories; see formats/format.h. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "codec/text/text.h"
#include "formats/torchlight/lens/lens.h"

/* Is it a name that editors and tools give to temporary files? */
static bool is_tool_name(const char *name)
{
	static const char *const habits[] = {
		".*", "*~", "#*#", "4913", "*.swp", "*.tmp", "*.part", "*.orig", NULL};

	for (size_t i = 0; habits[i]; i++)
		if (fnmatch(habits[i], name, 0) == 0)
			return true;
	return name_is_random(name);
}

/* Is it a file that the modding kit writes beside its sources: X.DAT.BINDAT, X.LAYOUT.BINLAYOUT? */
static bool is_kit_by_product(const char *name)
{
	const char *ending;
	enum compiled_kind kind = tl_kind_of_stem(name, &ending);

	return (kind == COMPILED_DAT && !strcasecmp(ending, ".BINDAT")) ||
	       (kind == COMPILED_LAYOUT && !strcasecmp(ending, ".BINLAYOUT"));
}

static int classify_name(
	const struct tl_map *m, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	char stored[NAME_MAX + 1];
	size_t n;

	if (tl_kind_of(dir) != TL_DIR || is_tool_name(name))
		return NAME_SCRATCH;
	n = name_unescape(name, strlen(name), stored);
	if (memchr(stored, '\\', n))
		return error_set(e, -EINVAL, "the game cannot find a name with a backslash");
	if (!is_dir && dir == ENTRY_ROOT && m->shared->fresh && !strcasecmp(name, "MOD.DAT.BINDAT"))
		return NAME_BY_PRODUCT;
	/* The game reads only MEDIA. */
	if (dir == ENTRY_ROOT)
		return is_dir && !strcasecmp(name, "MEDIA") ? NAME_OBJECT : NAME_SCRATCH;
	if (!is_dir && is_kit_by_product(name))
		return NAME_BY_PRODUCT;
	if (!utf8_valid(stored, n) || name_check(stored, n) < 0)
		return error_set(e, -EINVAL, "%s: not a valid name in an archive", name);
	return NAME_OBJECT;
}

static int check_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e)
{
	bool is_dir = tl_kind_of(id) == TL_DIR;
	int r;

	if (tl_kind_of(id) == TL_CONTROL || tl_kind_of(dir) != TL_DIR || id == ENTRY_ROOT)
		return error_set(e, -EINVAL, "%s: cannot be moved there", name);
	r = classify_name(tl_map_of(s), dir, name, is_dir, e);
	if (r != NAME_OBJECT)
		return r < 0 ? r
			     : error_set(
				       e, -EINVAL, "%s: not a valid name in that directory", name);
	/* Another ending needs another compiled form: the rename becomes a copy. */
	if (!is_dir && !tl_map_of(s)->shared->plain &&
		!compiled_alike(tl_file_name(tl_map_of(s), tl_index(id)).s, name))
		return error_set(
			e, -EINVAL, "%s: the ending is that of another kind of file", name);
	return 0;
}

int tl_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e)
{
	int r = 0;

	*ret = (struct name_class){.kind = NAME_SCRATCH};
	if (tl_find_entry(tl_map_of(s), dir, name, &ret->id) == 0 && tl_is_dir(ret->id) >= is_dir) {
		/* A file cannot replace a directory, which may stay for removed files. */
		ret->is_known = tl_is_dir(ret->id) == is_dir;
		ret->kind = ret->is_known ? NAME_OBJECT : NAME_SCRATCH;
	} else {
		r = classify_name(tl_map_of(s), dir, name, is_dir, e);
		ret->kind = r < 0 ? NAME_SCRATCH : (enum name_kind)r;
	}
	ret->accepts_object =
		r >= 0 && object != ENTRY_ROOT && check_move(s, object, dir, name, NULL) == 0;
	return r < 0 ? r : 0;
}

int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	int r = classify_name(tl_map_of(*s), dir, name, is_dir, e);
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tl_map *m;
	uint32_t handle;

	if (r != NAME_OBJECT)
		return r < 0 ? r
			     : error_set(
				       e, -EINVAL, "%s: not a valid name in this directory", name);
	m = tl_map_copy(tl_map_of(*s));
	done = m ? &m->snapshot : NULL;
	if (!m || tl_map_add(m, tl_index(dir), name, is_dir, &handle) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = tl_id(is_dir ? TL_DIR : TL_FILE, handle);
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
