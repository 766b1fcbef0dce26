/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>

#include "base/io.h"
#include "base/metadata.h"
#include "base/pair.h"
#include "vfs/files/companion.h"
#include "vfs/volume/claim.h"
#include "vfs/volume/finish.h"
#include "vfs/volume/lock.h"

static void source_finish(struct source *src)
{
	for (unsigned i = 0; i < src->n_files; i++)
		file_unref(src->files[i]);
	*src = (struct source){0};
}

void volume_destroy(struct volume *vol)
{
	if (!vol)
		return;
	snapshot_unref(vol->now);
	snapshot_unref(vol->before);
	journal_finish(&vol->journal);
	source_finish(&vol->source);
	file_unref(vol->context.names_file);
	if (vol->own_budget)
		budget_destroy(vol->budget);
	volume_unchanged(vol);
	report_finish(&vol->told);
	free(vol->name);
	if (vol->own_dir)
		close(vol->dirfd);
	free(vol);
}

static void refuse_writing(struct volume *vol)
{
	vol->read_only = true;
	vol->file_mode &= ~(mode_t)0222;
	vol->dir_mode &= ~(mode_t)0222;
}

struct rights rights_of(const struct stat *map, const struct vfs_options *o, bool read_only)
{
	mode_t none = read_only ? 0222 : 0, file = map->st_mode & 0666;
	/* Who may read a file may enter its directory. */
	mode_t dir = file | (file & 0444) >> 2;

	return (struct rights){
		.uid = o->have_uid ? o->uid : map->st_uid,
		.gid = o->have_gid ? o->gid : map->st_gid,
		.file_mode = file & ~o->file_mask & ~none,
		.dir_mode = dir & ~o->dir_mask & ~none,
	};
}

static void take_rights(struct volume *vol, const struct vfs_options *o)
{
	struct rights rights = rights_of(&vol->opened, o, vol->read_only && !o->keep_modes);

	vol->uid = rights.uid;
	vol->gid = rights.gid;
	vol->file_mode = rights.file_mode;
	vol->dir_mode = rights.dir_mode;
}

int volume_names_file(const char *const *options, struct file **ret, struct error *e)
{
	const char *path = format_option(options, "names");
	CLEANUP(file_unref) struct file *f = NULL;
	struct stat st;
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, "option names: %s", path);
	f = file_new(fd);
	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "option names: %s is not a regular file", path);
	*ret = TAKE(f);
	return 0;
}

static int volume_begin(int dirfd, const char *name, const struct vfs_options *o,
	struct volume **ret, struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = calloc(1, sizeof(*vol));
	int r;

	if (!vol) {
		if (!o->shared_dir)
			close(dirfd);
		return error_set(e, -ENOMEM, "out of memory");
	}
	vol->dirfd = dirfd;
	vol->own_dir = !o->shared_dir;
	TAILQ_INIT(&vol->pending);
	vol->name = strdup(name);
	vol->own_budget = !o->budget;
	vol->budget = o->budget ? o->budget : budget_create(o->cache);
	if (!vol->name || !vol->budget)
		return error_set(e, -ENOMEM, "out of memory");
	vol->context.options = o->options;
	vol->unlocked = o->unlocked;
	vol->at_once = o->at_once;
	vol->context.names_file = o->names_file ? file_ref(o->names_file) : NULL;
	r = o->names_file ? 0 : volume_names_file(o->options, &vol->context.names_file, e);
	if (r == 0)
		*ret = TAKE(vol);
	return r;
}

int volume_take(struct volume *vol, int fd, struct error *e)
{
	file_unref(vol->source.files[0]);
	vol->source.files[0] = file_new(fd);
	if (!vol->source.files[0])
		return error_set(e, -ENOMEM, "out of memory");
	vol->source.n_files = 1;
	vol->source.name = vol->name;
	if (fstat(fd, &vol->opened) < 0)
		return error_errno(e, "cannot be looked at");
	if (!S_ISREG(vol->opened.st_mode))
		return error_set(e, -EINVAL, "is not a regular file");
	vol->source.sizes[0] = (uint64_t)vol->opened.st_size;
	vol->mtime = vol->opened.st_mtim;
	trust_init(&vol->trust, vol->dirfd, &vol->opened);
	return 0;
}

int volume_open(int dirfd, const char *name, const struct vfs_options *o, struct volume **ret,
	struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	int fd, r = volume_begin(dirfd, name, o, &vol, e);

	if (r < 0)
		return r;
	vol->read_only = o->read_only || faccessat(dirfd, name, W_OK, AT_EACCESS) < 0 ||
			 faccessat(dirfd, ".", W_OK, AT_EACCESS) < 0;
	vol->unlocked = vol->unlocked && !vol->read_only && !finish_waits(vol);
	fd = lock_open(vol, e);
	r = fd < 0 ? fd : volume_take(vol, fd, e);
	if (r < 0)
		return r;
	take_rights(vol, o);
	*ret = TAKE(vol);
	return 0;
}

const struct format *volume_format_for(const char *name, const char *file)
{
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; formats[i]; i++) {
		if (name && strcmp(formats[i]->name, name) == 0)
			return formats[i];
		for (const char *const *end = formats[i]->endings; !name && dot && *end; end++)
			if (strcasecmp(*end, dot + 1) == 0)
				return formats[i];
	}
	return NULL;
}

int volume_create(int dirfd, const char *name, const char *format, const struct vfs_options *o,
	struct volume **ret, struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	int fd, r = volume_begin(dirfd, name, o, &vol, e);

	if (r < 0)
		return r;
	vol->format = volume_format_for(format, name);
	if (!vol->format)
		return error_set(e, -EINVAL, "%s is no format that can be made",
			format ? format : "its ending");
	r = companion_open(dirfd, vol->format, name, &vol->source, vol->companion, e);
	if (r < 0)
		return r;
	if (vol->companion[0])
		return error_set(e, -EEXIST, "%s is there already", vol->companion);
	if (!vol->format->edit || !vol->format->edit->create)
		return error_set(
			e, -EINVAL, "a new map of the format %s cannot be made", vol->format->name);
	fd = io_openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return error_set(e, fd, "cannot be made: %s", strerror(-fd));
	vol->fresh = true;
	vol->unlocked = false;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		r = error_set(e, VOLUME_LOCKED, "is in use by another program");
	if (r < 0)
		close(fd);
	else
		r = volume_take(vol, fd, e);
	if (r < 0) {
		volume_discard(vol);
		return r;
	}
	take_rights(vol, o);
	*ret = TAKE(vol);
	return 0;
}

static void unlink_ours(const struct volume *vol, const char *name, const struct stat *ours)
{
	struct stat st;

	if (fstatat(vol->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == ours->st_dev &&
		st.st_ino == ours->st_ino && st.st_size == ours->st_size)
		(void)io_unlink(vol->dirfd, name);
}

void volume_discard(struct volume *vol)
{
	unlink_ours(vol, vol->name, &vol->opened);
	if (vol->companion[0])
		unlink_ours(vol, vol->companion, &vol->companion_opened);
}

void volume_refuse_changes(struct volume *vol, const struct error *why)
{
	vol->read_only = true;
	vol->unsound = *why;
	error_context(&vol->unsound, "mounted read-only");
	vol->file_mode &= ~(mode_t)0222;
	vol->dir_mode &= ~(mode_t)0222;
}

static int open_model(struct volume *vol, struct error *e)
{
	if (vol->fresh)
		return vol->format->edit->create(vol->name, &vol->context, &vol->now, e);
	return vol->format->open(&vol->source, &vol->context, &vol->now, e);
}

/* What keeps somebody from looking says nothing of the map. */
static int look_sound(struct volume *vol, struct error *e)
{
	struct error why = ERROR_INIT;
	int r;

	vol->sound =
		vol->read_only || vol->fresh || !vol->format->edit || !vol->format->edit->sound;
	r = vol->sound ? 0 : vol->format->edit->sound(vol->now, false, &why);
	if (r != -EINVAL && r != -EIO)
		return r < 0 ? error_set(e, r, "%s", error_text(&why)) : 0;
	volume_refuse_changes(vol, &why);
	return 0;
}

void volume_tell(const struct volume *vol, void (*note)(void *arg, const char *line), void *arg)
{
	char line[128];

	if (vol->passed_over)
		note(arg, "another program, which is no mapfs, has locked the map; it is mounted "
			  "all the same");
	if (vol->read_only || vol->opened.st_nlink < 2)
		return;
	snprintf(line, sizeof(line),
		"the map has %ju names (hard links): a save writes the new map under this one, the "
		"others keep the old",
		(uintmax_t)vol->opened.st_nlink);
	note(arg, line);
}

static int open_journal(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	int r = claim_journal(vol, note, arg, e);

	if (r < 0 || !vol->journal.fresh || vol->fresh)
		return r;
	/* Its paths are those of a map that was being made anew. */
	vol->fresh = true;
	snapshot_unref(TAKE(vol->now));
	return open_model(vol, e);
}

/* Of a map that is being made there is no second file before the first save. */
static int open_companion(struct volume *vol, struct error *e)
{
	int r = companion_open(vol->dirfd, vol->format, vol->name, &vol->source, vol->companion, e);

	if (r == 0 && vol->source.n_files > 1 &&
		fstat(vol->source.files[1]->fd, &vol->companion_opened) < 0)
		r = error_errno(e, "%s cannot be looked at", vol->companion);
	return r;
}

void volume_note_attributes(struct volume *vol)
{
	for (unsigned i = 0; i < vol->source.n_files; i++)
		(void)metadata_sum(vol->source.files[i]->fd, &vol->attributes[i]);
}

int volume_load(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	int r = finish_pair(vol, note, arg, e);

	if (r == 0 && !vol->fresh)
		r = format_find(&vol->source, &vol->format, e);
	if (r == 0 && !vol->format->edit)
		refuse_writing(vol);
	if (r == 0 && !vol->fresh)
		r = open_companion(vol, e);
	if (r == 0) {
		volume_note_attributes(vol);
		r = companion_identity_of(&vol->source, vol->identity, e);
	}
	if (r == 0)
		r = journal_init(&vol->journal, &vol->trust, vol->name, vol->identity, "", e);
	if (r < 0)
		return r;
	vol->journal.unnamed = vol->at_once;
	vol->context.budget = vol->budget;
	vol->context.store = &vol->journal.store;
	vol->context.note = note;
	vol->context.note_arg = arg;
	r = open_model(vol, e);
	if (r == 0)
		vol->before = snapshot_ref(vol->now);
	if (r == 0)
		r = look_sound(vol, e);
	if (r == 0 && !vol->unlocked)
		volume_tell(vol, note, arg);
	if (r == 0)
		r = open_journal(vol, note, arg, e);
	/* Whoever listens now is gone when the map is served. */
	vol->context.note = NULL;
	return r;
}

static struct changed *changed_find(const struct volume *vol, const char *path)
{
	struct hash_link *l = hash_find(&vol->changed_paths, hash_text(0, path));

	while (l && strcmp(((struct changed *)l)->path, path) != 0)
		l = hash_again(l);
	return (struct changed *)l;
}

void volume_changed(struct volume *vol, const char *path, entry_id id)
{
	struct changed *c = changed_find(vol, path);

	vol->dirty = true;
	if (!c && hash_room(&vol->changed_paths)) {
		c = calloc(1, sizeof(*c) + strlen(path) + 1);
		if (!c)
			return;
		strcpy(c->path, path);
		hash_add(&vol->changed_paths, &c->link, hash_text(0, path));
		*(vol->changed ? &vol->last_changed->next : &vol->changed) = c;
		vol->last_changed = c;
	}
	if (c)
		c->id = id;
}

void volume_unchanged(struct volume *vol)
{
	for (struct changed *c = vol->changed, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	vol->changed = vol->last_changed = NULL;
	hash_finish(&vol->changed_paths);
	vol->dirty = false;
}
