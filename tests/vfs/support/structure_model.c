/* SPDX-License-Identifier: Zlib */
#include "structure_model.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fields[FIELDS] = {
	"info/author", "info/version", "info/credits", "info/license", "info/settings.cfg"};

/* Names. */

static size_t stem_size(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	return dot && dot > slash ? (size_t)(dot - path) : strlen(path);
}

static bool ends(const char *path, const char *ending)
{
	size_t n = strlen(path), k = strlen(ending);

	return n > k && strcmp(path + n - k, ending) == 0;
}

static bool in_dir(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/' && !strchr(path + n + 1, '/');
}

/* Does the name denote an object, and of which kind? */
static bool is_object(const char *path, enum kind *ret)
{
	if (in_dir(path, "info"))
		for (int i = 0; i < FIELDS; i++)
			if (strcmp(path, fields[i]) == 0)
				return *ret = KIND_INFO, true;
	if (in_dir(path, "images") && path[7] != '.')
		return *ret = KIND_IMAGE, ends(path, ".png") || ends(path, ".json");
	*ret = KIND_SOUND;
	return in_dir(path, "sounds") && path[7] != '.' && ends(path, ".opus");
}

static enum form form_of(const char *path)
{
	if (in_dir(path, "info"))
		return ends(path, ".cfg")      ? FORM_SETTINGS
		       : ends(path, "credits") ? FORM_LONG
					       : FORM_LINE;
	return ends(path, ".opus") ? FORM_OPUS : ends(path, ".png") ? FORM_PNG : FORM_JSON;
}

/* Rule 7: an image is identified by its stem. */
static bool same_place(const char *a, const char *b)
{
	size_t n = stem_size(a);
	enum kind kind, other;

	return is_object(a, &kind) && is_object(b, &other) && kind == other &&
	       (kind == KIND_IMAGE ? n == stem_size(b) && memcmp(a, b, n) == 0 : strcmp(a, b) == 0);
}

/* Layout rule 5: the position in a name, INT_MAX if there is none; and the rest. */
static int parse_name(const char *path, char ret_name[NAME_SIZE])
{
	const char *stem = strrchr(path, '/') + 1;
	size_t n = stem_size(path) - (size_t)(stem - path);
	size_t digits = strspn(stem, "0123456789");
	int position = INT_MAX;

	if (digits && digits < n && stem[digits] == '_') {
		position = atoi(stem);
		stem += digits + 1;
		n -= digits + 1;
	}
	snprintf(ret_name, NAME_SIZE, "%.*s", (int)n, stem);
	return position;
}

/* Compare as bytes; numbers by value. */
static int compare_names(const char *a, const char *b)
{
	const char *p = a, *q = b;

	while (*p && *q) {
		size_t n = strspn(p, "0123456789"), k = strspn(q, "0123456789");

		if (n && k && atol(p) != atol(q))
			return atol(p) < atol(q) ? -1 : 1;
		if ((!n || !k) && *p != *q)
			return (uint8_t)*p - (uint8_t)*q;
		p += n && k ? n : 1;
		q += n && k ? k : 1;
	}
	return *p || *q ? (uint8_t)*p - (uint8_t)*q : strcmp(a, b);
}

/* Trees. */

static struct model_file *find_file(struct tree *t, const char *path)
{
	for (int i = 0; i < t->n_files; i++)
		if (strcmp(t->files[i].path, path) == 0)
			return &t->files[i];
	return NULL;
}

struct model_file *model_file(struct model *m, const char *path)
{
	return find_file(&m->now, path);
}

static struct model_file *file_add(struct tree *t, struct model_file f, const char *path)
{
	if (t->n_files == FILES_MAX)
		abort();
	snprintf(f.path, PATH_SIZE, "%s", path);
	t->files[t->n_files] = f;
	return &t->files[t->n_files++];
}

static void file_remove(struct tree *t, const char *path)
{
	struct model_file *f = find_file(t, path);

	if (f)
		*f = t->files[--t->n_files];
}

static int known(const struct model *m, const char *path)
{
	for (int i = 0; i < m->n_base; i++)
		if (same_place(m->base[i].path, path))
			return i;
	return NONE;
}

bool model_has_path(const struct model *m, const char *path)
{
	return known(m, path) != NONE;
}

/* A file takes the path. Returns the origin of the file that was there last. */
static int occupy(struct tree *t, const char *path)
{
	for (int i = 0; i < t->n_vacant; i++)
		if (strcmp(t->vacant[i].path, path) == 0) {
			int from = t->vacant[i].from;

			t->vacant[i] = t->vacant[--t->n_vacant];
			return from;
		}
	return NONE;
}

static void vacate(const struct model *m, struct tree *t, const char *path, int from)
{
	int home = known(m, path);

	occupy(t, path);
	if (home != NONE && strcmp(m->base[home].path, path) == 0)
		from = home;
	if (from == NONE)
		return;
	if (t->n_vacant == FILES_MAX)
		abort();
	t->vacant[t->n_vacant].from = from;
	snprintf(t->vacant[t->n_vacant++].path, PATH_SIZE, "%s", path);
}

static void inherit(struct model_file *f, int from)
{
	if (f->from != NONE || from == NONE)
		return;
	f->from = from;
	f->form = form_of(f->path);
}

/* f's content was accepted: the other form of the image disappears, unless it was refused. */
static void take_form(const struct model *m, struct tree *t, struct model_file *f)
{
	char path[PATH_SIZE], other[PATH_SIZE];
	struct model_file *o;
	enum kind kind;

	if (!is_object(f->path, &kind) || kind != KIND_IMAGE)
		return;
	memcpy(path, f->path, PATH_SIZE);
	snprintf(other, sizeof(other), "%.*s.%s", (int)stem_size(path), path,
		form_of(path) == FORM_PNG ? "json" : "png");
	o = find_file(t, other);
	if (!o || o->dir)
		return;
	/* The content accepted there before is older than f. */
	o->last = NO_CONTENT;
	if (o->draft)
		return;
	inherit(f, o->from);
	file_remove(t, other);
	vacate(m, t, other, NONE);
}

/* Operations on a tree. */

static void tree_put(const struct model *m, struct tree *t, const char *path, int bytes, bool good)
{
	struct model_file *f = find_file(t, path);
	enum kind kind;

	if (!f) {
		int from = occupy(t, path);

		f = file_add(t,
			(struct model_file){.scratch = !is_object(path, &kind),
				.from = NONE,
				.bytes = NO_CONTENT,
				.last = NO_CONTENT,
				.edit = NO_CONTENT},
			path);
		if (!f->scratch)
			inherit(f, from);
	}
	if (f->scratch) {
		f->edit = bytes;
		return;
	}
	f->last = good ? NO_CONTENT : f->draft ? f->last : f->bytes;
	f->bytes = bytes;
	f->draft = !good;
	if (good)
		take_form(m, t, f);
}

static void tree_mkdir(struct tree *t, const char *path)
{
	occupy(t, path);
	if (!find_file(t, path))
		file_add(t, (struct model_file){.dir = true, .scratch = true, .from = NONE}, path);
}

/* Create the missing directories of a path, except mandatory ones. */
static void make_dirs(struct tree *t, const char *path)
{
	for (const char *s = path; (s = strchr(s, '/')); s++) {
		char dir[PATH_SIZE];

		snprintf(dir, sizeof(dir), "%.*s", (int)(s - path), path);
		if (strcmp(dir, "images") != 0 && strcmp(dir, "sounds") != 0 &&
			strcmp(dir, "info") != 0)
			tree_mkdir(t, dir);
	}
}

static void tree_remove(const struct model *m, struct tree *t, const char *path)
{
	const struct model_file *f = find_file(t, path);
	int from = f && !f->scratch ? f->from : NONE;

	file_remove(t, path);
	if (f)
		vacate(m, t, path, from);
}

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

static void move_below(struct tree *t, const char *from, const char *to)
{
	for (int i = 0; i < t->n_files; i++) {
		char path[2 * PATH_SIZE], *at = t->files[i].path;

		if (!below(at, from))
			continue;
		snprintf(path, sizeof(path), "%s%s", to, at + strlen(from));
		path[PATH_SIZE - 1] = '\0';
		memcpy(at, path, PATH_SIZE);
	}
}

static void tree_rename(const struct model *m, struct tree *t, const char *from, const char *to)
{
	struct model_file f = *find_file(t, from), *target = find_file(t, to), *now;
	bool was_scratch = f.scratch;
	enum kind kind;
	int there = occupy(t, to);

	if (target)
		there = target->from;
	file_remove(t, to);
	file_remove(t, from);
	f.scratch = f.dir || !is_object(to, &kind);
	if (f.dir)
		move_below(t, from, to);
	now = file_add(t, f, to);
	if (!now->scratch)
		inherit(now, there);
	if (!now->scratch && !now->draft)
		take_form(m, t, now);
	/* A backup: a file created at the old path has the same origin again. */
	vacate(m, t, from, f.scratch && !was_scratch ? f.from : NONE);
}

int model_shows(const struct model *m, const struct model_file *f)
{
	if (f->dir || f->edit != NO_CONTENT)
		return f->dir ? NO_CONTENT : f->edit;
	return f->bytes != NO_CONTENT || f->from == NONE ? f->bytes : m->base[f->from].content;
}

static void tree_drop(const struct model *m, struct tree *t, const char *path)
{
	struct model_file *f = find_file(t, path);

	if (!f || !f->draft)
		return;
	f->draft = false;
	f->bytes = f->last;
	f->last = NO_CONTENT;
	/* A file disappears if its only content was refused. */
	if (f->bytes == NO_CONTENT &&
		(f->from == NONE || content_judge(f->form, m->base[f->from].content) == NO_CONTENT))
		tree_remove(m, t, path);
}

/* Operations of programs. */

static bool dir_there(struct model *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_SIZE];
	const struct model_file *f;

	if (!slash || in_dir(path, "images") || in_dir(path, "sounds") || in_dir(path, "info"))
		return true;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	f = model_file(m, dir);
	return f && f->dir;
}

int model_put(struct model *m, const char *path, int content)
{
	const struct model_file *f = model_file(m, path);
	bool good;
	enum kind kind;

	if (f && f->dir)
		return -EISDIR;
	if (!dir_there(m, path))
		return -ENOENT;
	if (!is_object(path, &kind)) {
		tree_put(m, &m->now, path, content, true);
		return 0;
	}
	good = content_judge(form_of(path), content) != NO_CONTENT;
	tree_put(m, &m->now, path, content, good);
	tree_put(m, &m->journal, path, content, good);
	/* Without a write, the verdict comes after the close (rule 2). */
	return good || !content_bytes(content)->size ? 0 : -EINVAL;
}

/* A directory cannot replace a file of the base. */
static bool is_place_of_file(const struct model *m, const char *path)
{
	for (int i = 0; i < m->n_base; i++)
		if (strcmp(m->base[i].path, path) == 0)
			return true;
	return false;
}

int model_mkdir(struct model *m, const char *path)
{
	if (model_file(m, path))
		return -EEXIST;
	if (is_place_of_file(m, path))
		return -EPERM;
	tree_mkdir(&m->now, path);
	tree_mkdir(&m->journal, path);
	return 0;
}

static bool is_empty(const struct model *m, const char *dir)
{
	for (int i = 0; i < m->now.n_files; i++)
		if (below(m->now.files[i].path, dir))
			return false;
	return true;
}

static int remove_both(struct model *m, const char *path, bool dir)
{
	const struct model_file *f = model_file(m, path);

	if (!f)
		return -ENOENT;
	if (f->dir != dir)
		return dir ? -ENOTDIR : -EISDIR;
	if (dir && !is_empty(m, path))
		return -ENOTEMPTY;
	tree_remove(m, &m->now, path);
	tree_remove(m, &m->journal, path);
	return 0;
}

int model_unlink(struct model *m, const char *path)
{
	return remove_both(m, path, false);
}

int model_rmdir(struct model *m, const char *path)
{
	return remove_both(m, path, true);
}

int model_drop(struct model *m, const char *path)
{
	const struct model_file *f = model_file(m, path);

	if (!f)
		return -ENOENT;
	if (!f->draft)
		return -ENODATA;
	tree_drop(m, &m->now, path);
	tree_drop(m, &m->journal, path);
	return 0;
}

void model_refer(struct model *m, unsigned layer, const char *path)
{
	snprintf(m->now.wanted[layer], PATH_SIZE, "%s", path);
	snprintf(m->journal.wanted[layer], PATH_SIZE, "%s", path);
}

/* Does the rename keep the file's origin, or is the content validated as if it was closed there? */
static bool keeps_origin(const struct model *m, const struct model_file *f, const char *to)
{
	int there = known(m, to);
	enum kind kind;

	return is_object(to, &kind) && f->from != NONE && f->edit == NO_CONTENT &&
	       kind == m->base[f->from].kind && f->form == form_of(to) &&
	       (there == NONE || there == f->from);
}

/* The journal has only files that came from the map, or were closed in it. */
static void log_rename(struct model *m, const char *from, const char *to)
{
	enum kind kind;

	if (find_file(&m->journal, from)) {
		make_dirs(&m->journal, to);
		tree_rename(m, &m->journal, from, to);
	} else if (!is_object(to, &kind)) {
		tree_remove(m, &m->journal, to);
	}
}

int model_rename(struct model *m, const char *from, const char *to)
{
	const struct model_file *f = model_file(m, from), *target = model_file(m, to);
	bool object, along, put;
	enum kind kind;
	int bytes;

	if (!f || !dir_there(m, to))
		return -ENOENT;
	if (f == target)
		return 0;
	if (target && target->dir != f->dir)
		return target->dir ? -EISDIR : -ENOTDIR;
	if (f->dir && target && !is_empty(m, to))
		return -ENOTEMPTY;
	if (f->dir && !target && is_place_of_file(m, to))
		return -EPERM;
	object = !f->dir && is_object(to, &kind);
	along = object && keeps_origin(m, f, to);
	bytes = model_shows(m, f);
	if (object && !along && content_judge(form_of(to), bytes) == NO_CONTENT)
		return -EPERM;
	put = object && !along && (f->edit != NO_CONTENT || f->draft);
	tree_rename(m, &m->now, from, to);
	log_rename(m, from, to);
	if (put) {
		tree_put(m, &m->now, to, bytes, true);
		tree_put(m, &m->journal, to, bytes, true);
	}
	if (object)
		model_file(m, to)->edit = NO_CONTENT;
	return 0;
}

/* The initial state. */

static struct tree unchanged_tree(const struct model *m)
{
	struct tree t = {.n_files = 0};

	for (int i = 0; i < m->n_base; i++)
		file_add(&t,
			(struct model_file){.from = i,
				.form = form_of(m->base[i].path),
				.bytes = NO_CONTENT,
				.last = NO_CONTENT,
				.edit = NO_CONTENT},
			m->base[i].path);
	return t;
}

static const char *ending_of(enum kind kind, int content)
{
	return kind == KIND_SOUND                               ? ".opus"
	       : content_judge(FORM_PNG, content) != NO_CONTENT ? ".png"
								: ".json";
}

static void mount_objects(
	struct model *m, enum kind kind, const struct map_object *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct object *o = &m->base[m->n_base++];

		*o = (struct object){.kind = kind, .content = list[i].content, .number = (int)i};
		memcpy(o->name, list[i].name, NAME_SIZE);
		snprintf(o->path, PATH_SIZE, "%s/%0*u%s%s%s",
			kind == KIND_IMAGE ? "images" : "sounds", n > 10 ? 2 : 1, i,
			*list[i].name ? "_" : "", list[i].name, ending_of(kind, o->content));
	}
}

void model_mount(struct model *m)
{
	struct map_content saved = m->saved;

	*m = (struct model){.saved = saved};
	mount_objects(m, KIND_IMAGE, saved.images, saved.n_images);
	mount_objects(m, KIND_SOUND, saved.sounds, saved.n_sounds);
	for (int i = 0; i < FIELDS; i++) {
		struct object *o = &m->base[m->n_base++];

		*o = (struct object){.kind = KIND_INFO, .content = saved.info[i], .number = i};
		snprintf(o->path, PATH_SIZE, "%s", fields[i]);
	}
	for (int i = 0; i < LAYERS; i++)
		m->refs[i] = saved.refs[i] < 0 ? NO_REF
					       : saved.refs[i] + (i == 3 ? (int)saved.n_images : 0);
	m->now = m->journal = unchanged_tree(m);
}

bool model_kill(struct model *m, bool has_journal)
{
	bool is_unchanged = m->journal.n_files == m->n_base;

	for (int i = 0; i < m->journal.n_files && is_unchanged; i++)
		is_unchanged = known(m, m->journal.files[i].path) == m->journal.files[i].from &&
			       m->journal.files[i].bytes == NO_CONTENT;
	for (int i = 0; i < LAYERS; i++)
		is_unchanged &= !*m->journal.wanted[i];
	if (has_journal)
		m->now = m->journal;
	else
		model_mount(m);
	return has_journal || is_unchanged;
}

/* The map to be written. */

/* The first ones are those of the base. */
struct saved_object {
	struct object o;
	bool here, placed; /* placed: created or moved */
};

struct build {
	const struct model *m;
	struct saved_object seats[2 * OBJECTS_MAX];
	int n;
	bool moved;                                /* set if an object of the map was moved */
	const struct model_file *files[FILES_MAX]; /* sorted by name */
	int id[FILES_MAX];                         /* their seats, or NONE */
	bool kept[FILES_MAX];
	int now[2 * OBJECTS_MAX]; /* index of a seat in the new base, or NONE */
};

static int depth(const char *path)
{
	int n = 0;

	for (; (path = strchr(path, '/')); path++)
		n++;
	return n;
}

static int by_path(const void *pa, const void *pb)
{
	const struct model_file *a = *(const struct model_file *const *)pa;
	const struct model_file *b = *(const struct model_file *const *)pb;
	int r = depth(a->path) - depth(b->path);

	return r ? r : compare_names(a->path, b->path);
}

static void add_to_map(struct saved_object *s, const char *path)
{
	snprintf(s->o.path, PATH_SIZE, "%s", path);
	s->o.number = parse_name(path, s->o.name);
	s->o.moved = s->placed = s->here = true;
}

static int find_other(struct build *b, const struct model_file *f, enum kind kind)
{
	bool fits =
		f->from != NONE && b->m->base[f->from].kind == kind && f->form == form_of(f->path);
	int id = fits && !b->seats[f->from].here ? f->from : b->n;

	if (id == b->n)
		b->seats[b->n++].o = (struct object){.kind = kind, .content = NO_CONTENT};
	add_to_map(&b->seats[id], f->path);
	return id;
}

/* Rule 4. */
static void identify(struct build *b)
{
	int n = b->m->now.n_files;
	enum kind kind;

	for (int i = 0; i < n; i++) {
		b->id[i] = b->files[i]->scratch ? NONE : known(b->m, b->files[i]->path);
		if (b->id[i] != NONE)
			b->seats[b->id[i]].here = true;
	}
	for (int i = 0; i < n; i++)
		if (b->id[i] == NONE && !b->files[i]->scratch &&
			is_object(b->files[i]->path, &kind))
			b->id[i] = find_other(b, b->files[i], kind);
	for (int i = 0; i < n; i++) {
		int from = b->files[i]->scratch ? b->files[i]->from : NONE;

		b->kept[i] = from != NONE && !b->seats[from].here;
		if (b->kept[i])
			b->seats[from].here = true;
	}
}

/* A refused file keeps the previous content. */
static int content_of_file(const struct model *m, const struct model_file *f, int id)
{
	int bytes = f->draft ? f->last : f->bytes;

	if (bytes == NO_CONTENT && f->from != NONE && f->from != id)
		bytes = m->base[f->from].content;
	return bytes == NO_CONTENT ? NO_CONTENT : content_judge(form_of(f->path), bytes);
}

static void fill_build(struct build *b)
{
	for (int i = 0; i < b->m->now.n_files; i++) {
		int content = b->id[i] == NONE ? NO_CONTENT
					       : content_of_file(b->m, b->files[i], b->id[i]);

		if (content != NO_CONTENT)
			b->seats[b->id[i]].o.content = content;
	}
	for (int i = 0; i < b->n; i++) {
		struct saved_object *s = &b->seats[i];

		/* The files of info are mandatory (layout rule 2): after removal they are empty. */
		if (s->o.kind == KIND_INFO && !s->here) {
			s->here = true;
			s->o.content = content_text("");
		}
		s->here &= s->o.content != NO_CONTENT;
	}
}

static const struct build *sorting;

static int by_place(const void *pa, const void *pb)
{
	int i = *(const int *)pa, k = *(const int *)pb;
	const struct object *a = &sorting->seats[i].o, *b = &sorting->seats[k].o;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->moved != b->moved)
		return a->moved ? -1 : 1;
	return a->moved && strcmp(a->path, b->path) != 0 ? compare_names(a->path, b->path) : i - k;
}

/* Resolve by stem, in the tree and then in the base, even if it was removed; or by name alone. */
static int resolve(const struct build *b, const char *path)
{
	const char *stem = strchr(path, '/') + 1;
	size_t size = stem_size(path) - (size_t)(stem - path);
	int found = NONE, n = 0;

	for (int i = 0; i < b->m->now.n_files; i++)
		if (b->id[i] != NONE && b->seats[b->id[i]].here &&
			same_place(b->files[i]->path, path))
			return b->id[i];
	found = known(b->m, path);
	if (found != NONE)
		return found;
	for (int i = 0; i < b->n; i++) {
		const struct object *o = &b->seats[i].o;

		if (b->seats[i].here && *o->path == *path && strlen(o->name) == size &&
			memcmp(o->name, stem, size) == 0) {
			found = i;
			n++;
		}
	}
	return n == 1 ? found : NONE;
}

static void refer(struct build *b, struct model *to)
{
	for (int i = 0; i < LAYERS; i++) {
		char *wanted = to->now.wanted[i];
		int id = *wanted ? resolve(b, wanted) : NONE;

		if (id != NONE)
			*wanted = '\0';
		else
			id = b->m->refs[i];
		to->refs[i] = id == NO_REF ? NO_REF : b->now[id];
	}
}

static void resolve_identities(struct build *b, struct model *to)
{
	int order[2 * OBJECTS_MAX];

	for (int i = 0; i < b->n; i++)
		order[i] = i;
	sorting = b;
	qsort(order, (size_t)b->n, sizeof(*order), by_place);
	to->n_base = to->n_removed = 0;
	to->written = false;
	for (int i = 0; i < b->n; i++) {
		struct saved_object *s = &b->seats[order[i]];
		struct object *o = &s->o;

		b->now[order[i]] = NONE;
		if (!s->here && order[i] < b->m->n_base)
			memcpy(to->removed[to->n_removed++], o->path, PATH_SIZE);
		if (!s->here)
			continue;
		if (o->kind == KIND_IMAGE)
			strcpy(o->path + stem_size(o->path), ending_of(o->kind, o->content));
		b->moved |= s->placed;
		to->written |= order[i] != to->n_base;
		b->now[order[i]] = to->n_base;
		to->base[to->n_base++] = *o;
	}
	refer(b, to);
}

static void print_line(const struct model *m, struct map_content *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < m->n_base; i++) {
		const struct object *o = &m->base[i];
		struct map_object *to = o->kind == KIND_IMAGE   ? &ret->images[ret->n_images++]
					: o->kind == KIND_SOUND ? &ret->sounds[ret->n_sounds++]
								: NULL;

		if (!to) {
			ret->info[o->number] = o->content;
			continue;
		}
		strcpy(to->name, o->name);
		to->content = o->content;
	}
	for (int i = 0; i < LAYERS; i++)
		ret->refs[i] =
			m->refs[i] < 0 ? NO_REF : m->refs[i] - (i == 3 ? (int)ret->n_images : 0);
}

/*
 * The tree of a mount that replays a journal after a save: files whose object was kept, and drafts.
 */
static struct tree remaining_tree(const struct build *b, const struct model *to)
{
	struct tree t = unchanged_tree(to);

	memcpy(t.wanted, to->now.wanted, sizeof(t.wanted));
	for (int i = 0; i < b->m->now.n_files; i++) {
		const struct model_file *f = b->files[i];

		if (b->kept[i]) {
			const char *home = b->m->base[f->from].path;

			make_dirs(&t, f->path);
			if (f->last != NO_CONTENT)
				tree_put(to, &t, home, f->last, true);
			if (f->bytes != NO_CONTENT)
				tree_put(to, &t, home, f->bytes, !f->draft);
			tree_rename(to, &t, home, f->path);
		} else if (f->draft && !f->scratch) {
			tree_put(to, &t, f->path, f->bytes, false);
		}
	}
	return t;
}

/* Scratch files stay until the mount ends. */
static void keep_scratch(const struct build *b, struct tree *t)
{
	for (int i = 0; i < b->m->now.n_files; i++) {
		struct model_file f = *b->files[i], *now = find_file(t, f.path);

		if (!f.scratch || (f.dir && now))
			continue;
		if (!now) {
			f.from = NONE;
			now = file_add(t, f, f.path);
		}
		if (!f.dir && (f.edit != NO_CONTENT || f.bytes == NO_CONTENT))
			now->edit = model_shows(b->m, b->files[i]);
	}
}

void model_save(struct model *m)
{
	struct model to = *m;
	struct build b = {.m = m, .n = m->n_base};

	for (int i = 0; i < m->n_base; i++)
		b.seats[i].o = m->base[i];
	for (int i = 0; i < m->now.n_files; i++)
		b.files[i] = &m->now.files[i];
	qsort(b.files, (size_t)m->now.n_files, sizeof(*b.files), by_path);
	identify(&b);
	fill_build(&b);
	resolve_identities(&b, &to);
	print_line(&to, &to.saved);
	to.written |= memcmp(&to.saved, &m->saved, sizeof(to.saved)) != 0;
	/* A move that gives the same map still counts as a move relative to it. */
	if (!to.written && b.moved) {
		m->written = false;
		m->n_removed = 0;
		return;
	}
	to.now = remaining_tree(&b, &to);
	to.journal = to.now;
	keep_scratch(&b, &to.now);
	*m = to;
}

/* Only habits of editors that occur in the paths of these tests. */
static bool is_explained(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
		char name[PATH_SIZE];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, "/"), p);
		if (fnmatch("*.bak", name, 0) == 0 || fnmatch("*~", name, 0) == 0)
			return true;
	}
	return false;
}

bool model_has_leftovers(const struct model *m)
{
	bool leaves = false;

	for (int i = 0; i < m->now.n_files; i++) {
		const struct model_file *f = &m->now.files[i];

		leaves |= !f->dir && (f->scratch ? !is_explained(f->path) : f->draft);
	}
	for (int i = 0; i < LAYERS; i++)
		leaves |= *m->now.wanted[i];
	return leaves;
}
