/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/structure.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "codec/text.h"
#include "formats/torchlight/lens.h"
#include "formats/torchlight/made.h"

/* Names that editors and tools give to what they do not keep. */
static bool is_habit(const char *name)
{
	static const char *const habits[] = {".*", "*~", "#*#", "4913", "sed??????", "XX??????",
		"zi??????", "*.swp", "*.tmp", "*.part", "*.orig", NULL};

	for (size_t i = 0; habits[i]; i++)
		if (fnmatch(habits[i], name, 0) == 0)
			return true;
	return false;
}

int tl_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	char stored[NAME_MAX + 1];
	size_t n;

	(void)s;
	if (tl_kind_of(dir) != TL_DIR || is_habit(name))
		return FORMAT_SCRATCH;
	/* The game looks for nothing outside MEDIA. */
	if (dir == ENTRY_ROOT)
		return is_dir && !strcasecmp(name, "MEDIA") ? FORMAT_OBJECT : FORMAT_SCRATCH;
	n = name_unescape(name, strlen(name), stored);
	if (!utf8_valid(stored, n) || name_check(stored, n) < 0)
		return error_set(e, -EINVAL, "%s: no name for a file of an archive", name);
	return FORMAT_OBJECT;
}

static void note(struct tl_shared *sh, uint32_t handle, bool written)
{
	pthread_mutex_lock(&sh->lock);
	if (handle >= sh->n_order) {
		uint32_t n = sh->manifest->n_entries + sh->files.n + 256;
		struct tl_order *order = handle < n ? realloc(sh->order, n * sizeof(*order)) : NULL;

		if (order) {
			memset(order + sh->n_order, 0, (n - sh->n_order) * sizeof(*order));
			sh->order = order;
			sh->n_order = n;
		}
	}
	if (handle < sh->n_order)
		*(written ? &sh->order[handle].written : &sh->order[handle].asked) = ++sh->clock;
	pthread_mutex_unlock(&sh->lock);
}

void tl_note_asked(struct tl_shared *sh, uint32_t handle)
{
	note(sh, handle, false);
}

void tl_note_written(struct tl_shared *sh, uint32_t handle)
{
	note(sh, handle, true);
}

bool tl_written_last(struct tl_shared *sh, uint32_t handle)
{
	bool last;

	pthread_mutex_lock(&sh->lock);
	last = handle < sh->n_order && sh->order[handle].written > sh->order[handle].asked;
	pthread_mutex_unlock(&sh->lock);
	return last;
}

int tl_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret)
{
	return tl_find(tl_map_of(s), dir, name, ret);
}

/* The two names of a file that was made may part from here on. */
static void part(struct tl_shared *sh, uint32_t handle)
{
	uint32_t k = handle - sh->manifest->n_entries;

	pthread_mutex_lock(&sh->lock);
	if (handle >= sh->manifest->n_entries && k < sh->files.n)
		sh->files.all[k].moved = true;
	pthread_mutex_unlock(&sh->lock);
}

static enum compiled_kind kind_of(struct tl_shared *sh, uint32_t handle)
{
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;

	tl_file_name(sh, handle, &name);
	buffer_byte(&name, 0);
	return name.error ? COMPILED_NONE : compiled_kind_of((const char *)name.data);
}

int tl_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e)
{
	struct tl_shared *sh = tl_map_of(s)->shared;
	size_t stem = tl_text_stem(name);
	char file[NAME_MAX + 1];
	int r;

	if (tl_kind_of(id) == TL_CONTROL || tl_kind_of(dir) != TL_DIR || id == ENTRY_ROOT)
		return error_set(e, -EINVAL, "%s: it cannot stand there", name);
	r = tl_classify(s, dir, name, tl_kind_of(id) == TL_DIR, e);
	if (r != FORMAT_OBJECT)
		return r < 0 ? r : error_set(e, -EINVAL, "%s: the name means nothing there", name);
	if (tl_kind_of(id) == TL_DIR)
		return 0;
	if (stem) {
		memcpy(file, name, stem);
		file[stem] = 0;
	}
	/* A file's bytes are no text, and a text is one of its own kind of file. */
	if ((stem != 0) != (tl_kind_of(id) == TL_TEXT) ||
		(stem && compiled_kind_of(file) != kind_of(sh, tl_index(id))))
		return error_set(e, -EINVAL, "%s: the ending says that it is something else", name);
	part(sh, tl_index(id));
	return 0;
}

int tl_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e)
{
	int r = 0;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	/* A directory at the place of a file is none of the map's, and the other way round. */
	if (tl_identify(s, dir, name, &ret->id) == 0) {
		ret->known = tl_is_dir(ret->id) == is_dir;
		ret->is = ret->known ? FORMAT_OBJECT : FORMAT_SCRATCH;
	} else {
		r = tl_classify(s, dir, name, is_dir, e);
		ret->is = r < 0 ? FORMAT_SCRATCH : (enum format_class)r;
	}
	ret->fits = r >= 0 && object != ENTRY_ROOT && tl_may_move(s, object, dir, name, NULL) == 0;
	return r < 0 ? r : 0;
}

/* A file and its text are made one after the other: the one that was made last under the name. */
static uint32_t find_joint(const struct tl_made_list *l, uint32_t dir, const char *name, size_t n)
{
	uint32_t k = tl_made_find(l, dir, name, n);

	while (k != TL_NONE && l->all[k].moved)
		k = tl_made_older(l, k);
	return k;
}

int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	struct tl_shared *sh = tl_map_of(*s)->shared;
	size_t stem = is_dir ? 0 : tl_text_stem(name), n = stem ? stem : strlen(name);
	struct tl_made_list *l = is_dir ? &sh->dirs : &sh->files;
	uint32_t first = is_dir ? sh->tree->n_dirs : sh->manifest->n_entries, k;
	bool compiled = stem || (!is_dir && compiled_kind_of(name) != COMPILED_NONE);
	int r = tl_classify(*s, dir, name, is_dir, e);

	if (r != FORMAT_OBJECT)
		return r < 0 ? r : error_set(e, -EINVAL, "%s: the name means nothing here", name);
	r = 0;
	pthread_mutex_lock(&sh->lock);
	k = compiled ? find_joint(l, tl_index(dir), name, n) : TL_NONE;
	if (k == TL_NONE) {
		k = l->n;
		r = tl_made_append(l, tl_index(dir), name, n, stem != 0);
	}
	pthread_mutex_unlock(&sh->lock);
	if (r < 0)
		return error_set(e, r, "no memory for another file");
	if (!is_dir)
		tl_note_written(sh, first + k);
	*ret = tl_id(is_dir ? TL_DIR : stem ? TL_TEXT : TL_FILE, first + k);
	return 0;
}
