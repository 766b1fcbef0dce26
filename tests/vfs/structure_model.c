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

struct model_file *model_file(struct model *m, const char *path)
{
	for (int i = 0; i < m->n_files; i++)
		if (strcmp(m->files[i].path, path) == 0)
			return &m->files[i];
	return NULL;
}

static struct model_file *file_add(struct model *m, const char *path)
{
	struct model_file *f = &m->files[m->n_files++];

	if (m->n_files > FILES_MAX)
		abort();
	*f = (struct model_file){.object = -1, .bytes = NO_CONTENT};
	snprintf(f->path, PATH_SIZE, "%s", path);
	return f;
}

static void file_remove(struct model *m, struct model_file *f)
{
	*f = m->files[--m->n_files];
}

static struct object *object_add(struct model *m, enum kind kind, const char *path)
{
	struct object o = {.kind = kind, .content = NO_CONTENT, .draft = NO_CONTENT};

	if (m->n_objects == OBJECTS_MAX)
		abort();
	snprintf(o.home, PATH_SIZE, "%s", path);
	snprintf(o.last, PATH_SIZE, "%s", path);
	m->objects[m->n_objects] = o;
	return &m->objects[m->n_objects++];
}

/* Names. */

static size_t stem_size(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	return dot && dot > slash ? (size_t)(dot - path) : strlen(path);
}

/* Rule 7: an image is its stem. */
static bool same_stem(const char *a, const char *b)
{
	size_t n = stem_size(a);

	return n == stem_size(b) && memcmp(a, b, n) == 0;
}

static bool ends(const char *path, const char *ending)
{
	size_t n = strlen(path), k = strlen(ending);

	return n > k && strcmp(path + n - k, ending) == 0;
}

static enum form form_of(enum kind kind, const char *path)
{
	if (kind == KIND_INFO)
		return ends(path, ".cfg")      ? FORM_SETTINGS
		       : ends(path, "credits") ? FORM_LONG
					       : FORM_LINE;
	if (kind == KIND_SOUND)
		return FORM_OPUS;
	return ends(path, ".png") ? FORM_PNG : FORM_JSON;
}

/* Would the name be an object's, and of which kind? */
static bool is_object(const char *path, enum kind *ret)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t dir = (size_t)(base - path);

	if (*base == '.')
		return false;
	*ret = KIND_IMAGE;
	if (dir == 7 && memcmp(path, "images/", 7) == 0)
		return ends(path, ".png") || ends(path, ".json");
	*ret = KIND_SOUND;
	return dir == 7 && memcmp(path, "sounds/", 7) == 0 && ends(path, ".opus");
}

/* Layout rule 5: the position that a new name says, INT_MAX if none; and the rest. */
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

/* What a path is. */
enum meaning { NOWHERE, SCRATCH, OBJECT, NEW, LEFT /* an object was there last */ };

static struct model_file *file_of(struct model *m, int object)
{
	for (int i = 0; i < m->n_files; i++)
		if (m->files[i].object == object && !m->files[i].scratch && !m->files[i].second)
			return &m->files[i];
	return NULL;
}

static bool dir_there(struct model *m, const char *path, bool *ret_scratch)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_SIZE];
	struct model_file *f;

	*ret_scratch = false;
	if (!slash)
		return true;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	if (strcmp(dir, "images") == 0 || strcmp(dir, "sounds") == 0 || strcmp(dir, "info") == 0)
		return true;
	f = model_file(m, dir);
	*ret_scratch = true;
	return f && f->dir;
}

static bool same_place(enum kind kind, const char *a, const char *b)
{
	return kind == KIND_IMAGE ? same_stem(a, b) : strcmp(a, b) == 0;
}

/* No file and no object of the mount has the path: the other form of one that does, the last path
 * of one that has none, or new. */
static enum meaning meaning_of_new(
	struct model *m, const char *path, int *ret_object, enum kind *ret_kind)
{
	int found = -1;

	if (!is_object(path, ret_kind))
		return SCRATCH;
	for (int i = 0; i < m->n_files; i++)
		if (!m->files[i].scratch && !m->files[i].second &&
			m->objects[m->files[i].object].kind == *ret_kind &&
			same_place(*ret_kind, m->files[i].path, path)) {
			*ret_object = m->files[i].object;
			return OBJECT;
		}
	for (int i = 0; i < m->n_objects; i++) {
		const struct object *o = &m->objects[i];

		if (o->state != HERE && o->kind == *ret_kind &&
			(o->mounted || o->known || (o->state == KEPT && !o->ended)) &&
			same_place(o->kind, o->last, path) &&
			(found < 0 || o->left > m->objects[found].left))
			found = i;
	}
	*ret_object = found;
	return found < 0 ? NEW : LEFT;
}

static enum meaning meaning(
	struct model *m, const char *path, bool is_dir, int *ret_object, enum kind *ret_kind)
{
	const struct model_file *f = model_file(m, path);
	bool scratch;

	if (!dir_there(m, path, &scratch))
		return NOWHERE;
	if (f && !f->scratch) {
		*ret_object = f->object;
		*ret_kind = m->objects[f->object].kind;
		return OBJECT;
	}
	if (scratch || is_dir)
		return SCRATCH;
	for (int i = 0; i < m->n_objects; i++) {
		const struct object *o = &m->objects[i];
		enum kind kind = o->kind;

		if (!o->mounted || !same_place(kind, o->home, path) ||
			(kind != KIND_INFO && !is_object(path, &kind)))
			continue;
		*ret_object = i;
		*ret_kind = o->kind;
		return OBJECT;
	}
	return meaning_of_new(m, path, ret_object, ret_kind);
}

int model_shows(const struct model *m, const struct model_file *f)
{
	if (f->dir)
		return NO_CONTENT;
	return f->scratch || f->draft ? f->bytes : m->objects[f->object].content;
}

/* The beginning. */

static void mount_objects(
	struct model *m, enum kind kind, const struct map_object *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char path[PATH_SIZE];
		struct object *o;

		snprintf(path, sizeof(path), "%s/%0*u%s%s%s",
			kind == KIND_IMAGE ? "images" : "sounds", n > 10 ? 2 : 1, i,
			*list[i].name ? "_" : "", list[i].name,
			kind == KIND_SOUND                                       ? ".opus"
			: content_judge(FORM_PNG, list[i].content) != NO_CONTENT ? ".png"
										 : ".json");
		o = object_add(m, kind, path);
		memcpy(o->name, list[i].name, NAME_SIZE);
		o->mounted = o->saved = true;
		o->position = (int)i;
		o->content = list[i].content;
		file_add(m, path)->object = m->n_objects - 1;
	}
}

void model_mount(struct model *m)
{
	struct map_says saved = m->saved;

	*m = (struct model){.saved = saved};
	mount_objects(m, KIND_IMAGE, saved.images, saved.n_images);
	mount_objects(m, KIND_SOUND, saved.sounds, saved.n_sounds);
	for (int i = 0; i < FIELDS; i++) {
		struct object *o = object_add(m, KIND_INFO, fields[i]);

		o->mounted = o->saved = true;
		o->position = i;
		o->content = saved.info[i];
		file_add(m, fields[i])->object = m->n_objects - 1;
	}
	for (int i = 0; i < LAYERS; i++)
		m->refs[i] = saved.refs[i] < 0 ? NO_REF
					       : saved.refs[i] + (i == 3 ? (int)saved.n_images : 0);
}

static bool stands_at(const struct model *m, enum kind kind, const char *path)
{
	for (int i = 0; i < m->n_files; i++)
		if (!m->files[i].scratch && same_place(kind, m->files[i].path, path))
			return true;
	return false;
}

/* Rule 8: scratch is gone; what was moved to a scratch name stands where it was. */
void model_kill(struct model *m)
{
	for (int i = m->n_files; i-- > 0;)
		if (m->files[i].scratch)
			file_remove(m, &m->files[i]);
	for (int i = 0; i < m->n_objects; i++) {
		struct object *o = &m->objects[i];
		struct model_file *f;

		if (o->state != KEPT || stands_at(m, o->kind, o->last))
			continue;
		o->state = HERE;
		f = file_add(m, o->last);
		f->object = i;
		f->draft = o->draft != NO_CONTENT;
		f->bytes = o->draft;
	}
}

/* The map to be written. */

struct seat {
	int object, position;
	unsigned seq;
	char name[NAME_SIZE];
};

static int by_place(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;

	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	/* Of equal ones, the one made or moved last comes first; without a position, last. */
	if (a->position == INT_MAX)
		return a->seq < b->seq ? -1 : 1;
	return a->seq > b->seq ? -1 : 1;
}

static bool in_map(const struct object *o)
{
	if (o->content == NO_CONTENT || o->state == GONE)
		return false;
	/* A new object that no save has written yet is none without its file. */
	return o->state == HERE || o->mounted || o->known;
}

int model_place(const struct object *o, char ret_name[NAME_SIZE])
{
	memcpy(ret_name, o->name, NAME_SIZE);
	return o->seq ? parse_name(o->last, ret_name) : o->position;
}

static unsigned seats(const struct model *m, enum kind kind, struct seat *ret)
{
	unsigned n = 0;

	for (int i = 0; i < m->n_objects; i++) {
		const struct object *o = &m->objects[i];
		struct seat *s = &ret[n];

		if (o->kind != kind || !in_map(o))
			continue;
		n++;
		*s = (struct seat){.object = i, .seq = o->seq};
		s->position = model_place(o, s->name);
	}
	qsort(ret, n, sizeof(*ret), by_place);
	return n;
}

void model_map(const struct model *m, struct map_says *ret)
{
	struct seat images[OBJECTS_MAX], sounds[OBJECTS_MAX];

	memset(ret, 0, sizeof(*ret));
	ret->n_images = seats(m, KIND_IMAGE, images);
	ret->n_sounds = seats(m, KIND_SOUND, sounds);
	for (int i = 0; i < LAYERS; i++)
		ret->refs[i] = NO_REF;
	for (unsigned i = 0; i < ret->n_images; i++) {
		memcpy(ret->images[i].name, images[i].name, NAME_SIZE);
		ret->images[i].content = m->objects[images[i].object].content;
		for (int k = 0; k < LAYERS; k++)
			if (m->refs[k] == images[i].object)
				ret->refs[k] = (int)i;
	}
	for (unsigned i = 0; i < ret->n_sounds; i++) {
		memcpy(ret->sounds[i].name, sounds[i].name, NAME_SIZE);
		ret->sounds[i].content = m->objects[sounds[i].object].content;
		for (int k = 0; k < LAYERS; k++)
			if (m->refs[k] == sounds[i].object)
				ret->refs[k] = (int)i;
	}
	for (int i = 0; i < m->n_objects; i++)
		if (m->objects[i].kind == KIND_INFO)
			ret->info[m->objects[i].position] = m->objects[i].state == GONE
								    ? content_text("")
								    : m->objects[i].content;
}

/* What was moved to a scratch name and is in no map is no object any more: nothing that is made at
 * its place is that again. */
static void end_kept(struct object *o)
{
	o->ended |= o->state == KEPT && !o->mounted && !o->known;
}

void model_save(struct model *m)
{
	model_map(m, &m->saved);
	m->save_done = true;
	m->content_done = false;
	for (int i = 0; i < m->n_objects; i++) {
		struct object *o = &m->objects[i];

		o->known |= o->saved = in_map(o);
		end_kept(o);
	}
	/* The files of info are always there (layout rule 2): removed, they are empty ones now. */
	for (int i = 0; i < m->n_objects; i++) {
		struct object *o = &m->objects[i];

		/* Of what the map does not have any more nothing comes back by itself. */
		if (o->kind != KIND_INFO && o->state == GONE)
			o->content = NO_CONTENT;
		if (o->kind != KIND_INFO || o->state != GONE || model_file(m, o->home))
			continue;
		o->state = HERE;
		o->seq = 0;
		o->content = content_text("");
		file_add(m, o->home)->object = i;
	}
}

/* Only the habits that paths of these tests have. */
static bool explained(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
		char name[PATH_SIZE];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, "/"), p);
		if (fnmatch("*.bak", name, 0) == 0 || fnmatch("*~", name, 0) == 0)
			return true;
	}
	return false;
}

bool model_leaves(const struct model *m)
{
	for (int i = 0; i < m->n_files; i++) {
		const struct model_file *f = &m->files[i];

		if (!f->dir && (f->draft || (f->scratch && !explained(f->path))))
			return true;
	}
	return false;
}

/* Operations. */

static void took_content(struct model *m, struct object *o, int content)
{
	m->content_done |= o->mounted && o->content != content;
	o->content = content;
}

/* The file at path stands for the object from now on. */
static struct model_file *stand(struct model *m, int object, const char *path)
{
	struct object *o = &m->objects[object];
	bool moved = !o->mounted || !same_place(o->kind, o->home, path);
	struct model_file *f = file_add(m, path);

	f->object = object;
	/* What was only moved to a scratch name is where it was. */
	if (!(o->state == KEPT && o->seq && same_place(o->kind, o->last, path)))
		o->seq = moved ? ++m->seq : 0;
	o->state = HERE;
	snprintf(o->last, PATH_SIZE, "%s", path);
	return f;
}

static void left(struct model *m, struct model_file *f, enum state state)
{
	struct object *o = &m->objects[f->object];

	if (f->second)
		return;
	o->state = state;
	o->draft = f->draft ? f->bytes : NO_CONTENT;
	o->left = ++m->seq;
}

/* A file is about to stand at the object's home while its own file stands elsewhere: that one
 * becomes an object of its own, made when it was moved there. */
static void split(struct model *m, int object, const char *path)
{
	struct object *o = &m->objects[object], *fresh;
	struct model_file *f = file_of(m, object);

	if (!f || o->seq == 0 || same_place(o->kind, f->path, path))
		return;
	fresh = object_add(m, o->kind, f->path);
	o = &m->objects[object];
	fresh->content = f->draft ? NO_CONTENT : o->content;
	fresh->seq = ++m->seq;
	f->object = m->n_objects - 1;
	o->state = GONE;
	o->seq = 0;
}

/* The verdict on what was written to f, which stands for an object. */
static int judge(struct model *m, struct model_file *f, int bytes)
{
	struct object *o = &m->objects[f->object];
	int content = content_judge(form_of(o->kind, f->path), bytes);
	struct model_file *other = f->second ? file_of(m, f->object) : NULL;

	if (content == NO_CONTENT) {
		f->draft = true;
		f->bytes = bytes;
		return -EINVAL;
	}
	f->draft = f->second = false;
	took_content(m, o, content);
	if (o->state != HERE) {
		o->state = HERE;
		o->seq = o->mounted && same_place(o->kind, o->home, f->path) ? 0 : ++m->seq;
	}
	snprintf(o->last, PATH_SIZE, "%s", f->path);
	/* The other ending disappears from the listing, and what was refused there with it. */
	for (int i = m->n_files; !other && i-- > 0;)
		if (m->files[i].second && m->files[i].object == f->object)
			other = &m->files[i];
	if (other)
		file_remove(m, other);
	return 0;
}

/* A file for what the path means, to be judged. */
static struct model_file *make(
	struct model *m, enum meaning what, int object, enum kind kind, const char *path)
{
	struct model_file *f;

	if (what == NEW) {
		object_add(m, kind, path);
		return stand(m, m->n_objects - 1, path);
	}
	split(m, object, path);
	if (!file_of(m, object))
		return stand(m, object, path);
	f = file_add(m, path);
	f->object = object;
	f->second = true;
	return f;
}

int model_put(struct model *m, const char *path, int content)
{
	struct model_file *f = model_file(m, path);
	enum meaning what;
	enum kind kind;
	int object, r;

	if (f && f->dir)
		return -EISDIR;
	if (f && f->scratch) {
		f->bytes = content;
		f->edited = true;
		return 0;
	}
	if (!f) {
		what = meaning(m, path, false, &object, &kind);
		if (what == NOWHERE)
			return -ENOENT;
		if (what == SCRATCH) {
			f = file_add(m, path);
			f->scratch = true;
			f->bytes = content;
			return 0;
		}
		f = make(m, what, object, kind, path);
	}
	r = judge(m, f, content);
	/* Where nothing is written the verdict comes after close (rule 2). */
	return content_bytes(content)->size ? r : 0;
}

int model_unlink(struct model *m, const char *path)
{
	struct model_file *f = model_file(m, path);
	bool scratch;

	(void)dir_there(m, path, &scratch);
	if (!f)
		return -ENOENT;
	if (f->dir)
		return -EISDIR;
	if (!f->scratch)
		left(m, f, GONE);
	file_remove(m, f);
	return 0;
}

int model_mkdir(struct model *m, const char *path)
{
	enum meaning what;
	enum kind kind;
	struct model_file *f;
	int object;

	if (model_file(m, path))
		return -EEXIST;
	what = meaning(m, path, true, &object, &kind);
	if (what != SCRATCH)
		return -ENOENT;
	f = file_add(m, path);
	f->dir = f->scratch = true;
	return 0;
}

static bool below(const struct model_file *f, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(f->path, dir, n) == 0 && f->path[n] == '/';
}

static bool is_empty(const struct model *m, const char *dir)
{
	for (int i = 0; i < m->n_files; i++)
		if (below(&m->files[i], dir))
			return false;
	return true;
}

static void move_below(struct model *m, const char *from, const char *to)
{
	for (int i = 0; i < m->n_files; i++) {
		char path[2 * PATH_SIZE];

		if (!below(&m->files[i], from))
			continue;
		snprintf(path, sizeof(path), "%s%s", to, m->files[i].path + strlen(from));
		path[PATH_SIZE - 1] = '\0';
		memcpy(m->files[i].path, path, PATH_SIZE);
	}
}

int model_rmdir(struct model *m, const char *path)
{
	struct model_file *f = model_file(m, path);

	if (!f)
		return -ENOENT;
	if (!f->dir)
		return -ENOTDIR;
	if (!is_empty(m, path))
		return -ENOTEMPTY;
	file_remove(m, f);
	return 0;
}

int model_drop(struct model *m, const char *path)
{
	struct model_file *f = model_file(m, path);
	struct object *o;

	if (!f)
		return -ENOENT;
	if (f->scratch || !f->draft)
		return -ENODATA;
	f->draft = false;
	o = &m->objects[f->object];
	/* Nothing is left of a file whose only content was refused. */
	if (f->second || o->content == NO_CONTENT ||
		content_judge(form_of(o->kind, path), o->content) == NO_CONTENT) {
		if (!f->second && o->content == NO_CONTENT)
			o->state = GONE;
		file_remove(m, f);
	}
	return 0;
}

static int to_scratch(struct model *m, struct model_file *f, const char *to)
{
	struct model_file *target = model_file(m, to);
	struct model_file moved = *f;

	if (target && target->dir != f->dir)
		return target->dir ? -EISDIR : -ENOTDIR;
	if (target && target->dir && !is_empty(m, to))
		return -ENOTEMPTY;
	moved.bytes = model_shows(m, f);
	if (f->dir)
		move_below(m, f->path, to);
	if (!f->scratch) {
		left(m, f, KEPT);
		moved.edited = false;
		if (f->second)
			moved.object = -1;
	}
	moved.scratch = true;
	moved.draft = moved.second = false;
	snprintf(moved.path, PATH_SIZE, "%s", to);
	file_remove(m, f);
	target = model_file(m, to);
	if (target)
		file_remove(m, target);
	*file_add(m, to) = moved;
	return 0;
}

/* A file of the map, or scratch that was one, to a name at which nothing stands: its object goes
 * along. */
static struct model_file unrelated(const struct model_file *f)
{
	struct model_file scratch = *f;

	scratch.scratch = scratch.edited = true;
	scratch.second = scratch.draft = false;
	scratch.object = -1;
	return scratch;
}

static struct model_file *along(struct model *m, struct model_file *f, const char *to)
{
	struct model_file old = *f, *now;

	file_remove(m, f);
	now = stand(m, old.object, to);
	now->draft = old.scratch ? false : old.draft;
	now->bytes = old.bytes;
	/* What was refused as its other form stays, and is no file of it any more. */
	for (int i = 0; i < m->n_files; i++) {
		struct model_file *k = &m->files[i];

		if (k->second && k->object == old.object &&
			!same_place(m->objects[old.object].kind, k->path, to))
			*k = unrelated(k);
	}
	return now;
}

static bool makes_room(const struct model *m, const struct model_file *target)
{
	return !target->scratch && !target->second && !m->objects[target->object].mounted &&
	       !m->objects[target->object].known;
}

static int to_object(struct model *m, struct model_file *f, enum meaning what, int object, enum kind kind,
	const char *to)
{
	char from[PATH_SIZE];
	bool goes = f->object >= 0 && !f->second && kind == m->objects[f->object].kind;
	int content = content_judge(form_of(kind, to), model_shows(m, f));
	struct model_file *target = model_file(m, to);
	bool same_form = goes && !f->scratch && form_of(kind, to) == form_of(kind, f->path);

	memcpy(from, f->path, PATH_SIZE);
	if ((same_form && (what == NEW || what == LEFT)) ||
		(same_form && what == OBJECT && object == f->object && !target)) {
		if (what == LEFT && object != f->object)
			end_kept(&m->objects[object]);
		along(m, f, to);
		return 0;
	}
	if (content == NO_CONTENT)
		return -EINVAL;
	/* What no map has yet makes room for an object that keeps its references. */
	if (target && same_form && !f->draft && makes_room(m, target)) {
		m->objects[target->object].state = GONE;
		file_remove(m, target);
		along(m, model_file(m, from), to);
		return 0;
	}
	/* Scratch that was an object's file: the object follows it back into the map, if nothing
	 * stands for it meanwhile. */
	if (goes && f->scratch && !target && m->objects[f->object].state == KEPT &&
		(what != OBJECT || object == f->object) &&
		form_of(kind, to) == form_of(kind, m->objects[f->object].last)) {
		f = along(m, f, to);
		return judge(m, f, content);
	}
	if (!f->scratch)
		left(m, f, GONE);
	file_remove(m, f);
	target = model_file(m, to);
	if (!target)
		target = make(m, what, object, kind, to);
	judge(m, target, content);
	return 0;
}

int model_rename(struct model *m, const char *from, const char *to)
{
	struct model_file *f = model_file(m, from), *target = model_file(m, to);
	enum meaning what;
	enum kind kind;
	int object;
	bool scratch;

	if (!dir_there(m, from, &scratch) || !f)
		return -ENOENT;
	what = meaning(m, to, f->dir, &object, &kind);
	if (what == NOWHERE)
		return -ENOENT;
	if (f == target)
		return 0;
	if (target && target->dir != f->dir)
		return target->dir ? -EISDIR : -ENOTDIR;
	if (what == SCRATCH)
		return to_scratch(m, f, to);
	return to_object(m, f, what, object, kind, to);
}
