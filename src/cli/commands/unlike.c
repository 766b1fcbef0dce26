/* SPDX-License-Identifier: Zlib */
#include "cli/commands/unlike.h"

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
	TEXT_MAX = 64 << 20, /* bytes of a file that is looked at */
	DIGITS_MAX = 9       /* of a number that an object can have */
};

struct finding {
	struct offline *t;
	int dirfd;
	const struct merge_sort *sorts;
	struct unlike *found;
};

void unlike_finish(struct unlike *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->at[i].path);
	free(u->at);
	*u = (struct unlike){0};
}

static int pass_over(void *, const struct json_at *, struct error *)
{
	return 0;
}

/* A file without what is long in it; false: it is no such file. */
static bool read_head(const struct extent *x, struct json_doc *ret)
{
	return json_list_read(x, TEXT_MAX, "points", pass_over, NULL, ret, NULL) == 0;
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

static bool differ(
	const struct json_doc *a, const struct json_doc *b, const struct merge_sort *sorts)
{
	struct json_at x = json_root(a), y = json_root(b);

	for (; sorts->key; sorts++) {
		int32_t v = 0, w = 0;
		bool has_v = false, has_w = false;

		if (json_get_word(&x, sorts->key, sorts->words, &v, &has_v, NULL) == 0 &&
			json_get_word(&y, sorts->key, sorts->words, &w, &has_w, NULL) == 0 &&
			has_v && has_w && v != w)
			return true;
	}
	return false;
}

/* The length of the path of what the object stands in that this file is, or is of; 0: none. */
static size_t collection_of(const char *path)
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

static bool is_named(const struct offline *t, const char *path)
{
	const struct merge_reference *ref = tools_of(t->vol->format)->merge->references;

	while (ref && ref->key && strcmp(ref->dir, path) != 0)
		ref++;
	return ref && ref->key;
}

static int names_in(struct offline *t, const char *path, struct names *ret)
{
	struct offline_file a;
	int r = offline_find(t, path, &a);

	return r < 0 ? r : offline_names(t, &a, true, ret);
}

static int add(struct finding *f, const char *path)
{
	struct unlike *u = f->found;
	size_t n = collection_of(path);
	CLEANUP(free) char *dir = strndup(path, n);
	CLEANUP_NAMES struct names names = {0};
	int r;

	if (!dir)
		return -ENOMEM;
	if (!n || unlike_has(u, dir))
		return 0;
	if (!array_room(u->at, u->n, u->room))
		return -ENOMEM;
	r = names_in(f->t, dir, &names);
	if (r < 0)
		return r;
	u->at[u->n] = (struct unlike_dir){.n = names.n, .named = is_named(f->t, dir)};
	u->at[u->n++].path = TAKE(dir);
	return 0;
}

static int visit(void *arg, const char *path, const struct offline_file *a)
{
	struct finding *f = arg;
	size_t n = strlen(path);
	struct json_doc x, y;
	bool other = false;

	if (S_ISDIR(a->mode) || n < 5 || strcmp(path + n - 5, ".json") != 0)
		return 0;
	if (!read_theirs(f->dirfd, path, &y))
		return 0;
	if (read_ours(f->t, a, &x)) {
		other = differ(&x, &y, f->sorts);
		json_doc_finish(&x);
	}
	json_doc_finish(&y);
	return other ? add(f, path) : 0;
}

int unlike_find(struct offline *t, int dirfd, struct unlike *ret)
{
	const struct merge_schema *how = tools_of(t->vol->format)->merge;
	struct finding f = {.t = t, .dirfd = dirfd, .found = ret};

	*ret = (struct unlike){0};
	f.sorts = how ? how->sorts : NULL;
	return f.sorts ? offline_walk(t, "", visit, NULL, &f) : 0;
}

bool unlike_any(const struct unlike *u, bool named)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->at[i].named == named)
			return true;
	return false;
}

bool unlike_has(const struct unlike *u, const char *path)
{
	for (size_t i = 0; u && i < u->n; i++)
		if (strcmp(u->at[i].path, path) == 0)
			return true;
	return false;
}

static int empty(struct offline *t, const char *path)
{
	CLEANUP_NAMES struct names names = {0};
	int r = names_in(t, path, &names);

	for (size_t i = 0; r == 0 && i < names.n; i++) {
		CLEANUP(free) char *one = path_join(path, names.at[i]);

		r = one ? change_remove_tree(t, one) : -ENOMEM;
	}
	return r;
}

int unlike_remove(struct offline *t, const struct unlike *u, bool named)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < u->n; i++)
		if (u->at[i].named == named)
			r = empty(t, u->at[i].path);
	return r;
}

/* The directory that the path leads into, of those whose objects went. */
static const struct unlike_dir *find_above(const struct unlike *u, const char *path)
{
	for (size_t i = 0; u && i < u->n; i++) {
		size_t n = strlen(u->at[i].path);

		if (strncmp(path, u->at[i].path, n) == 0 && path[n] == '/')
			return &u->at[i];
	}
	return NULL;
}

char *unlike_place(const struct unlike *u, const char *path)
{
	const struct unlike_dir *dir = find_above(u, path);
	const char *name = dir ? path + strlen(dir->path) + 1 : path;
	size_t digits = dir ? strspn(name, "0123456789") : 0;

	/* A longer one is beyond them anyway. */
	if (!digits || digits > DIGITS_MAX || !strchr("_/", name[digits]))
		return strdup(path);
	return text_printf("%s/%lu%s", dir->path, strtoul(name, NULL, 10) + dir->n, name + digits);
}
