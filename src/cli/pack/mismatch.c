/* SPDX-License-Identifier: Zlib */
#include "cli/pack/mismatch.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"
#include "codec/text/json.h"
#include "formats/images.h"
#include "tools/merge/schema.h"
#include "tools/tools.h"
#include "vfs/offline/reader.h"
#include "vfs/offline/walk.h"

enum {
	TEXT_MAX = 64 << 20, /* bytes of a file that is compared */
	DIGITS_MAX = 9       /* of a position */
};

struct finding {
	struct offline *tree;
	int dirfd;
	const struct merge_kind *kinds;
	struct mismatch *mismatch;
};

void mismatch_finish(struct mismatch *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->dirs[i].path);
	free(u->dirs);
	*u = (struct mismatch){0};
}

static int skip_element(void *, const struct json_at *, struct error *)
{
	return 0;
}

/* Read a JSON file without its long list of points. Returns false if it is no such file. */
static bool read_head(const struct extent *x, struct json_doc *ret)
{
	return json_list_read(x, TEXT_MAX, "points", skip_element, NULL, ret, NULL) == 0;
}

static bool read_ours(struct offline *t, const struct offline_file *a, struct json_doc *ret)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct bytes *b = NULL;

	if (offline_read_all(t, a, TEXT_MAX, &b) < 0)
		return false;
	x = extent_of_bytes(b);
	return read_head(&x, ret);
}

static bool read_theirs(int dirfd, const char *path, struct json_doc *ret)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	return images_file_at(dirfd, path, &x, NULL) == 0 && read_head(&x, ret);
}

static bool kinds_differ(
	const struct json_doc *a, const struct json_doc *b, const struct merge_kind *kinds)
{
	struct json_at x = json_root(a), y = json_root(b);

	for (; kinds->key; kinds++) {
		int32_t v = 0, w = 0;
		bool has_v = false, has_w = false;

		if (json_get_word(&x, kinds->key, kinds->words, &v, &has_v, NULL) == 0 &&
			json_get_word(&y, kinds->key, kinds->words, &w, &has_w, NULL) == 0 &&
			has_v && has_w && v != w)
			return true;
	}
	return false;
}

/* Find the collection that has the innermost object of a path. Returns its length, or 0. */
static size_t collection_length(const char *path)
{
	const char *at = path + strlen(path);

	while (at > path) {
		while (at > path && at[-1] != '/')
			at--;
		if (at > path && at[0] >= '0' && at[0] <= '9')
			return (size_t)(at - 1 - path);
		at -= at > path;
	}
	return 0;
}

static bool has_references(const struct offline *t, const char *path)
{
	const struct merge_reference *ref = tools_of(t->vol->format)->merge->references;

	while (ref && ref->key && strcmp(ref->dir, path) != 0)
		ref++;
	return ref && ref->key;
}

static int list_names(struct offline *t, const char *path, struct names *ret)
{
	struct offline_file a;
	int r = offline_find(t, path, &a);

	return r < 0 ? r : offline_names(t, &a, true, ret);
}

static int add_mismatch(struct finding *f, const char *path)
{
	struct mismatch *u = f->mismatch;
	size_t n = collection_length(path);
	CLEANUP(free) char *dir = strndup(path, n);
	CLEANUP_NAMES struct names names = {0};
	int r;

	if (!dir)
		return -ENOMEM;
	if (!n || mismatch_has(u, dir))
		return 0;
	if (!array_reserve(u->dirs, u->n, u->room))
		return -ENOMEM;
	r = list_names(f->tree, dir, &names);
	if (r < 0)
		return r;
	u->dirs[u->n] =
		(struct mismatch_dir){.n = names.n, .is_referenced = has_references(f->tree, dir)};
	u->dirs[u->n++].path = TAKE(dir);
	return 0;
}

static int compare_file(void *arg, const char *path, const struct offline_file *a)
{
	struct finding *f = arg;
	size_t n = strlen(path);
	struct json_doc x, y;
	bool other = false;

	if (S_ISDIR(a->mode) || n < 5 || strcmp(path + n - 5, ".json") != 0)
		return 0;
	if (!read_theirs(f->dirfd, path, &y))
		return 0;
	if (read_ours(f->tree, a, &x)) {
		other = kinds_differ(&x, &y, f->kinds);
		json_doc_finish(&x);
	}
	json_doc_finish(&y);
	return other ? add_mismatch(f, path) : 0;
}

int mismatch_find(struct offline *t, int dirfd, struct mismatch *ret)
{
	const struct merge_schema *how = tools_of(t->vol->format)->merge;
	struct finding f = {.tree = t, .dirfd = dirfd, .mismatch = ret};

	*ret = (struct mismatch){0};
	f.kinds = how ? how->kinds : NULL;
	return f.kinds ? offline_walk(t, "", compare_file, NULL, &f) : 0;
}

bool mismatch_any(const struct mismatch *u, bool is_referenced)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->dirs[i].is_referenced == is_referenced)
			return true;
	return false;
}

bool mismatch_has(const struct mismatch *u, const char *path)
{
	for (size_t i = 0; u && i < u->n; i++)
		if (strcmp(u->dirs[i].path, path) == 0)
			return true;
	return false;
}

static int remove_objects(struct offline *t, const char *path)
{
	CLEANUP_NAMES struct names names = {0};
	int r = list_names(t, path, &names);

	for (size_t i = 0; r == 0 && i < names.n; i++) {
		CLEANUP(free) char *one = path_join(path, names.items[i]);

		r = one ? change_remove_tree(t, one) : -ENOMEM;
	}
	return r;
}

int mismatch_remove(struct offline *t, const struct mismatch *u, bool is_referenced)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < u->n; i++)
		if (u->dirs[i].is_referenced == is_referenced)
			r = remove_objects(t, u->dirs[i].path);
	return r;
}

/* Find the collection of u that the path is in. Returns NULL if there is none. */
static const struct mismatch_dir *find_mismatch_dir(const struct mismatch *u, const char *path)
{
	for (size_t i = 0; u && i < u->n; i++) {
		size_t n = strlen(u->dirs[i].path);

		if (strncmp(path, u->dirs[i].path, n) == 0 && path[n] == '/')
			return &u->dirs[i];
	}
	return NULL;
}

char *mismatch_place(const struct mismatch *u, const char *path)
{
	const struct mismatch_dir *dir = find_mismatch_dir(u, path);
	const char *name = dir ? path + strlen(dir->path) + 1 : path;
	size_t digits = dir ? strspn(name, "0123456789") : 0;

	/* A position with more digits is after all objects anyway. */
	if (!digits || digits > DIGITS_MAX || !strchr("_/", name[digits]))
		return strdup(path);
	return text_printf("%s/%lu%s", dir->path, strtoul(name, NULL, 10) + dir->n, name + digits);
}
