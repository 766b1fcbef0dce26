/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/hash.h"
#include "codec/text/text.h"

/* A child while the tree is built, with its stored name. */
struct pending {
	uint32_t parent;
	uint32_t index;
	struct str name; /* in the manifest's text */
	bool is_dir;
};

/* A directory in builder.found, by parent and name. */
struct found_dir {
	struct hash_link link;
	struct pending child;
};

struct builder {
	const struct manifest *m;
	struct shown_names called;
	struct pending *all;
	size_t n, room;
	struct hash found;
	uint32_t n_dirs;
	struct tree *tree;
	struct buffer text;
};

static int add_pending(struct builder *b, struct pending p)
{
	if (b->n >= UINT32_MAX || !array_reserve(b->all, b->n, b->room))
		return -ENOMEM;
	b->all[b->n++] = p;
	return 0;
}

/* Find or add the directory `name` in parent. */
static int enter_dir(struct builder *b, uint32_t parent, struct str name, uint32_t *ret)
{
	uint64_t key = str_key(parent, name);
	struct found_dir *f;

	for (struct hash_link *l = hash_find(&b->found, key); l; l = hash_find_next(l)) {
		f = container_of(l, struct found_dir, link);
		if (f->child.parent == parent && str_equal_nocase(f->child.name, name)) {
			*ret = f->child.index;
			return 0;
		}
	}
	f = hash_reserve(&b->found) ? malloc(sizeof(*f)) : NULL;
	if (!f)
		return -ENOMEM;
	f->child = (struct pending){parent, b->n_dirs, name, true};
	hash_add(&b->found, &f->link, key);
	*ret = b->n_dirs++;
	return add_pending(b, f->child);
}

static void found_finish(struct hash *h)
{
	for (struct hash_link *l = hash_next(h, NULL), *next; l; l = next) {
		next = hash_next(h, l);
		free(container_of(l, struct found_dir, link));
	}
	hash_finish(h);
}

/* Find or add the directory at a path below dir. Empty parts of the path are skipped. */
static int enter_path(struct builder *b, uint32_t dir, struct str path, uint32_t *ret)
{
	int r = 0;

	while (r == 0 && path.n) {
		struct str part = str_cut(&path, '/');

		if (part.n)
			r = enter_dir(b, dir, part, &dir);
	}
	*ret = dir;
	return r;
}

static int collect_record(struct builder *b, const struct manifest_record *record)
{
	const struct manifest *m = b->m;
	uint32_t dir, inner;
	int r = enter_path(b, 0, manifest_path(m, record), &dir);

	if (r == 0)
		b->tree->record_dirs[record - m->records] = dir;
	for (uint32_t i = record->first; r == 0 && i < record->first + record->n; i++) {
		struct str name = manifest_name(m, &m->entries[i]);

		if (m->entries[i].type == MANIFEST_DIR)
			r = enter_path(b, dir, name, &inner);
		else if (!manifest_removed(&m->entries[i]))
			r = add_pending(b, (struct pending){dir, i, name, false});
	}
	return r;
}

/* Sort the children by directory. */
static int place_children(struct builder *b)
{
	struct tree *t = b->tree;
	uint32_t at = 0, *filled;

	t->n_dirs = b->n_dirs;
	t->n_children = (uint32_t)b->n;
	t->dirs = calloc(b->n_dirs, sizeof(*t->dirs));
	t->children = calloc(b->n + 1, sizeof(*t->children));
	filled = calloc(b->n_dirs, sizeof(*filled));
	if (!t->dirs || !t->children || !filled) {
		free(filled);
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++)
		t->dirs[b->all[i].parent].n++;
	for (uint32_t i = 0; i < b->n_dirs; i++) {
		t->dirs[i].first = at;
		at += t->dirs[i].n;
	}
	/* Directories come first: they keep their names, and conflicting files get others. */
	for (int dirs = 1; dirs >= 0; dirs--) {
		for (size_t i = 0; i < b->n; i++) {
			const struct pending *p = &b->all[i];

			if (p->is_dir != (dirs == 1))
				continue;
			/* `name` is the index in b->all until put_shown_name. */
			t->children[t->dirs[p->parent].first + filled[p->parent]++] =
				(struct tree_child){p->index, (uint32_t)i, p->is_dir};
		}
	}
	free(filled);
	return 0;
}

static void put_shown_name(struct builder *b, struct tree_child *c)
{
	struct str stored = b->all[c->name].name;
	uint32_t n = c->index + (c->is_dir ? b->m->n_entries : 0);
	const char *called = b->called.names ? b->called.names[n] : NULL;
	char shown[NAME_MAX + 1];

	c->name = (uint32_t)b->text.size;
	if (c->is_dir)
		b->tree->dirs[c->index].is_renamed = called;
	if (called)
		strcpy(shown, called);
	else if (!name_escape_whole(stored.s, stored.n, shown, NAME_MAX))
		memcpy(shown, "%", 2);
	buffer_append(&b->text, shown, strlen(shown) + 1);
}

static void mark_recorded(struct builder *b)
{
	struct tree *t = b->tree;

	for (uint32_t i = 0; i < b->m->n_records; i++) {
		const struct manifest_record *r = &b->m->records[i];
		uint32_t dir = t->record_dirs[i], k = r->first;

		t->split |= t->dirs[dir].has_record;
		t->dirs[dir].has_record = true;
		while (k < r->first + r->n && !manifest_removed(&b->m->entries[k]))
			k++;
		for (; k < r->first + r->n && !t->dirs[dir].lists_removed;
			dir = t->dirs[dir].parent)
			t->dirs[dir].lists_removed = true;
	}
}

static int by_name(const void *x, const void *y, void *text)
{
	const struct tree_child *a = x, *b = y;
	int r = strcasecmp((char *)text + a->name, (char *)text + b->name);

	/* Equal names: their order in text is that of precedence. */
	return r ? r : (a->name > b->name) - (a->name < b->name);
}

/* Find a child by its name in text, in a sorted directory. NULL: there is none. */
static const struct tree_child *search_dir(
	const struct tree *t, const struct tree_dir *d, const char *text, const char *name)
{
	const struct tree_child *children = t->children + d->first;
	size_t at = array_bisect(i, d->n, strcasecmp(text + children[i].name, name) >= 0);

	return at < d->n && !strcasecmp(text + children[at].name, name) ? &children[at] : NULL;
}

/* Append NAME.EXT as NAME~2.EXT, or with the next free number. Returns its offset in text. */
static uint32_t make_other_name(const struct tree *t, const struct tree_dir *d, struct buffer *text,
	const struct tree_child *c, unsigned *number)
{
	const char *names = (const char *)text->data, *old = names + c->name;
	const char *dot = strrchr(old, '.');
	size_t length = strlen(old), ending = dot && dot != old ? strlen(dot) : 0;
	char name[NAME_MAX + 1], mark[16];
	uint32_t at = (uint32_t)text->size;

	do {
		size_t mark_n = (size_t)snprintf(mark, sizeof(mark), "~%u", ++*number);
		size_t stem;

		if (ending + mark_n > NAME_MAX)
			ending = 0;
		stem = length - ending;
		if (stem + mark_n + ending > NAME_MAX)
			stem = NAME_MAX - mark_n - ending;
		/* Do not cut within a character. */
		while (stem && ((unsigned char)old[stem] & 0xC0) == 0x80)
			stem--;
		snprintf(name, sizeof(name), "%.*s%s%s", (int)stem, old, mark,
			old + length - ending);
	} while (search_dir(t, d, names, name));
	buffer_append(text, name, strlen(name) + 1);
	return at;
}

/* Give other names to children that have the name of the one before. The directory is searched by
 * the old names until all are done. *ret_changed: there are new names, which may conflict. */
static int make_unique(
	const struct tree *t, const struct tree_dir *d, struct buffer *text, bool *ret_changed)
{
	CLEANUP(free) uint32_t *names = NULL;
	struct tree_child *c = t->children + d->first;
	unsigned number = 1;
	bool clashes = false;

	for (uint32_t i = 1; i < d->n && !text->error; i++, number = clashes ? number : 1) {
		const char *all = (const char *)text->data;

		clashes = !strcasecmp(all + c[i].name, all + c[i - 1].name);
		if (clashes && !names && !(names = calloc(d->n, sizeof(*names))))
			return -ENOMEM;
		if (clashes)
			names[i] = make_other_name(t, d, text, &c[i], &number);
	}
	for (uint32_t i = 1; names && i < d->n; i++)
		c[i].name = names[i] ? names[i] : c[i].name;
	*ret_changed = names;
	return text->error;
}

/* Sort the children of a directory and make their names unique. New names are appended to text. */
static int name_dir(const struct tree *t, const struct tree_dir *d, struct buffer *text)
{
	bool changed = true;
	int r = 0;

	while (r == 0 && changed) {
		if (d->n > 1)
			qsort_r(t->children + d->first, d->n, sizeof(*t->children), by_name,
				text->data);
		r = make_unique(t, d, text, &changed);
	}
	return r;
}

static int finish_tree(struct builder *b, const struct bytes *names, struct error *e)
{
	struct tree *t = b->tree;
	int r = called_read(names, b->m->n_entries + b->n_dirs, &b->called, e);

	if (r < 0)
		return r;
	if (place_children(b) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_children; i++)
		put_shown_name(b, &t->children[i]);
	if (b->text.error)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_dirs; i++)
		if (name_dir(t, &t->dirs[i], &b->text) < 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < t->n_dirs; i++) {
		for (uint32_t k = t->dirs[i].first; k < t->dirs[i].first + t->dirs[i].n; k++) {
			if (!t->children[k].is_dir)
				continue;
			t->dirs[t->children[k].index].parent = i;
			t->dirs[t->children[k].index].self = k;
		}
	}
	mark_recorded(b);
	if (buffer_finish(&b->text, &t->text_bytes) < 0)
		return -ENOMEM;
	t->text = (const char *)t->text_bytes->data;
	return 0;
}

int tree_build(
	const struct manifest *m, const struct bytes *names, struct tree **ret, struct error *e)
{
	CLEANUP(tree_free) struct tree *t = calloc(1, sizeof(*t));
	struct builder b = {.m = m, .tree = t, .n_dirs = 1};
	int r = t ? 0 : -ENOMEM;

	if (t)
		t->record_dirs = calloc((size_t)m->n_records + 1, sizeof(*t->record_dirs));
	if (t && !t->record_dirs)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < m->n_records; i++)
		r = collect_record(&b, &m->records[i]);
	if (r == 0)
		r = finish_tree(&b, names, e);
	called_finish(&b.called);
	free(b.all);
	found_finish(&b.found);
	buffer_finish_free(&b.text);
	if (r < 0)
		return r == -EINVAL ? r : error_set(e, r, "out of memory");
	*ret = TAKE(t);
	return 0;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->dirs);
	free(t->children);
	free(t->record_dirs);
	bytes_unref(t->text_bytes);
	free(t);
}

void tree_fold(const char *name, char *ret)
{
	char stored[NAME_MAX + 1];
	size_t n = name_unescape(name, strnlen(name, NAME_MAX), stored);

	if (!name_escape_whole(stored, n, ret, NAME_MAX))
		*ret = '\0';
	for (; *ret; ret++)
		*ret = char_upper(*ret);
}

const struct tree_child *tree_find(const struct tree *t, uint32_t dir, const char *name)
{
	const struct tree_child *c = search_dir(t, &t->dirs[dir], t->text, name);
	char folded[NAME_MAX + 1];

	if (c)
		return c;
	tree_fold(name, folded);
	return search_dir(t, &t->dirs[dir], t->text, folded);
}
