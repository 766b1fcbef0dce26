/* SPDX-License-Identifier: Zlib */
/* Open or create the files of a volume, and load the map. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/buffer.h"
#include "base/disk/io.h"
#include "base/durable/replace.h"
#include "vfs/files/companion.h"
#include "vfs/volume/claim.h"
#include "vfs/volume/external.h"
#include "vfs/volume/finish.h"
#include "vfs/volume/lock.h"
#include "vfs/volume/volume.h"

static void set_rights(struct volume *vol, const struct vfs_options *o)
{
	struct rights rights =
		volume_rights(&vol->map_stat, o, vol->access == VOLUME_READ_ONLY && !o->keep_modes);

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

int volume_images(const char *const *options, struct images **ret, struct error *e)
{
	const char *preview = format_option(options, "preview");

	return preview && strcmp(preview, "0") != 0 ? images_open(options, ret, e) : 0;
}

size_t volume_rules(const struct volume *vol, struct sandbox_rule *ret)
{
	ret[0] = (struct sandbox_rule){
		vol->dirfd, vol->access == VOLUME_READ_ONLY ? 0 : SANDBOX_WRITABLE};
	return 1 + images_rules(vol->images, ret + 1);
}

static int create_volume(int dirfd, const char *name, const struct vfs_options *o,
	struct volume **ret, struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = calloc(1, sizeof(*vol));
	int r;

	if (!vol) {
		if (!o->sidecars)
			close(dirfd);
		return error_set(e, -ENOMEM, "out of memory");
	}
	vol->dirfd = dirfd;
	vol->rescued.fd = -1;
	vol->sidecars = o->sidecars;
	vol->name = strdup(name);
	vol->budget = o->budget ? NULL : budget_create(o->cache);
	vol->context.budget = o->budget ? o->budget : vol->budget;
	if (!vol->name || !vol->context.budget)
		return error_set(e, -ENOMEM, "out of memory");
	store_init(&vol->store, dirfd);
	vol->context.options = o->options;
	vol->advise = o->advise;
	vol->journal.unnamed = o->at_once;
	vol->context.names_file = o->names_file ? file_ref(o->names_file) : NULL;
	r = o->names_file ? 0 : volume_names_file(o->options, &vol->context.names_file, e);
	vol->images = images_ref(o->images);
	if (r == 0 && !vol->images)
		r = volume_images(o->options, &vol->images, e);
	if (vol->images) {
		vol->context.image = images_find;
		vol->context.image_arg = vol->images;
	}
	if (r == 0)
		*ret = TAKE(vol);
	return r;
}

int volume_open(int dirfd, const char *name, const struct vfs_options *o, struct volume **ret,
	struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	int fd, r = create_volume(dirfd, name, o, &vol, e);

	if (r < 0)
		return r;
	if (o->read_only || faccessat(dirfd, name, W_OK, AT_EACCESS) < 0 ||
		faccessat(dirfd, ".", W_OK, AT_EACCESS) < 0)
		vol->access = VOLUME_READ_ONLY;
	else if (o->unlocked && !finish_is_pending(vol))
		vol->access = VOLUME_UNLOCKED;
	fd = lock_open(vol, e);
	r = fd < 0 ? fd : volume_set_file(vol, fd, e);
	if (r < 0)
		return r;
	set_rights(vol, o);
	*ret = TAKE(vol);
	return 0;
}

/* Create an empty file. A nameless one gets a temporary name, like the new file of a save. */
static int create_file(struct volume *vol, const struct vfs_options *o, struct error *e)
{
	char stem[NAME_MAX + 1], made[NAME_MAX + 1];
	struct stat st;
	int fd;

	if (!o->nameless) {
		fd = io_openat(vol->dirfd, vol->name, O_RDWR | O_CREAT | O_EXCL, 0666);
	} else if (fstatat(vol->dirfd, vol->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		fd = -EEXIST;
	} else {
		replace_stem(vol->name, stem);
		fd = io_temporary(vol->dirfd, stem, 0666, made);
		vol->final_name = TAKE(vol->name);
		vol->name = fd < 0 ? NULL : strdup(made);
		if (fd >= 0 && !vol->name) {
			(void)io_unlink(vol->dirfd, made);
			close(fd);
			fd = -ENOMEM;
		}
	}
	return fd < 0 ? error_set(e, fd, "cannot create: %s", strerror(-fd)) : fd;
}

int volume_create(int dirfd, const char *name, const char *format, const struct vfs_options *o,
	struct volume **ret, struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	int fd, r = create_volume(dirfd, name, o, &vol, e);

	if (r < 0)
		return r;
	vol->format = volume_format_for(format, name);
	if (!vol->format)
		return format ? error_set(e, -EINVAL, "unknown format %s", format)
			      : error_set(e, -EINVAL,
					"unknown ending; name the format with --format=NAME");
	r = companion_open(dirfd, vol->format, name, &vol->source, vol->companion, e);
	if (r < 0)
		return r;
	if (vol->companion[0])
		return error_set(e, -EEXIST, "%s already exists", vol->companion);
	if (!vol->format->can_create)
		return error_set(
			e, -EINVAL, "cannot create a map of the format %s", vol->format->name);
	fd = create_file(vol, o, e);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		r = error_set(e, VOLUME_LOCKED, "is in use by another program");
	if (r < 0)
		close(fd);
	else
		r = volume_set_file(vol, fd, e);
	if (r < 0) {
		volume_discard(vol);
		return r;
	}
	set_rights(vol, o);
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
	unlink_ours(vol, vol->name, &vol->map_stat);
	if (vol->companion[0])
		unlink_ours(vol, vol->companion, &vol->companion_stat);
}

int volume_name(struct volume *vol, struct error *e)
{
	char second[NAME_MAX + 1] = "";
	int r = 0;

	if (vol->companion[0] && !vol->format->companion(vol->final_name, 0, second))
		r = -ENAMETOOLONG;
	if (r == 0 && second[0])
		r = io_rename_noreplace(vol->dirfd, vol->companion, second);
	if (r == 0) {
		r = io_rename_noreplace(vol->dirfd, vol->name, vol->final_name);
		if (r < 0 && second[0])
			(void)io_rename_noreplace(vol->dirfd, second, vol->companion);
	}
	if (r < 0)
		return error_set(e, r, "cannot create: %s", strerror(-r));
	free(vol->name);
	vol->name = TAKE(vol->final_name);
	vol->source.name = vol->name;
	strcpy(vol->companion, second);
	r = io_sync_dir(vol->dirfd);
	return r < 0 ? error_set(
			       e, r, "is created, but cannot sync its directory: %s", strerror(-r))
		     : 0;
}

static int collect_name_options(const struct volume *vol, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

	for (const char *const *o = vol->context.options; o && *o; o++)
		if (format_changes_meaning(vol->format, *o))
			buffer_append(&b, *o, strlen(*o) + 1);
	return buffer_finish(&b, ret);
}

/* Set vol->options to the current options with name_options in place of those of that kind. */
static int replace_options(struct volume *vol)
{
	const char *end = (const char *)vol->name_options->data + vol->name_options->size;
	const char *const *now = vol->context.options;
	size_t n = vol->name_options->size + 1;

	for (size_t i = 0; now && now[i]; i++)
		n++;
	vol->options = calloc(n, sizeof(*vol->options));
	if (!vol->options)
		return -ENOMEM;
	n = 0;
	for (; now && *now; now++)
		if (!format_changes_meaning(vol->format, *now))
			vol->options[n++] = *now;
	for (const char *o = (const char *)vol->name_options->data; o < end; o += strlen(o) + 1)
		vol->options[n++] = o;
	vol->context.options = vol->options;
	return 0;
}

static void note_options(
	const struct bytes *means, void (*note)(void *arg, const char *line), void *arg)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

	buffer_text(&b, "restoring changes of an earlier mount, with its options:");
	for (size_t at = 0; at < means->size; at += strlen((const char *)means->data + at) + 1)
		buffer_printf(&b, " -o %s", (const char *)means->data + at);
	buffer_text(&b, means->size ? "" : " none");
	buffer_byte(&b, '\0');
	if (!b.error)
		note(arg, (const char *)b.data);
}

/* Use the name options of the journal, if there is one, so that its paths keep their meaning. */
static int choose_options(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *own = NULL, *before = NULL;
	int r = collect_name_options(vol, &own);

	if (r < 0)
		return error_set(e, r, "out of memory");
	r = journal_options(&vol->journal, &before, e);
	if (!before || bytes_equal(own, before) ||
		(before->size && before->data[before->size - 1] != '\0')) {
		vol->name_options = TAKE(own);
	} else {
		vol->name_options = TAKE(before);
		if (replace_options(vol) < 0)
			return error_set(e, -ENOMEM, "out of memory");
		note_options(vol->name_options, note, arg);
	}
	vol->journal.options = vol->name_options;
	return r;
}

/* Parse the map, with the name table of the journal. The base of a new map is empty. */
static int open_model(struct volume *vol, struct error *e)
{
	const struct source none = {.name = vol->final_name ? vol->final_name : vol->name};
	struct format_context ctx = vol->context;
	CLEANUP(bytes_unref) struct bytes *names = NULL;
	int r = journal_names(&vol->journal, &names, e);

	if (r < 0)
		return r;
	ctx.names = names;
	if (vol->journal.fresh)
		return vol->format->open(&none, &ctx, &vol->base, e);
	r = vol->format->open(&vol->source, &ctx, &vol->base, e);
	return format_explain(&vol->source, r, e);
}

/* Make the map read-only if it is unsafe to change. Errors other than EINVAL and EIO say nothing
 * about the map, and are returned. */
static int check_sound(struct volume *vol, struct error *e)
{
	struct error why = ERROR_INIT;
	int r;

	/* A save would replace the link instead of its target. */
	if (vol->access != VOLUME_READ_ONLY && vol->companion[0] &&
		external_is_link(vol, vol->companion)) {
		error_set(&why, -EINVAL, "%s is a symbolic link", vol->companion);
		volume_refuse_changes(vol, &why);
	}
	vol->is_soundness_known = vol->access == VOLUME_READ_ONLY || vol->journal.fresh ||
				  !vol->format->edit || !vol->format->edit->check_sound;
	r = vol->is_soundness_known ? 0 : vol->format->edit->check_sound(vol->base, false, &why);
	if (r != -EINVAL && r != -EIO)
		return r < 0 ? error_set(e, r, "%s", error_text(&why)) : 0;
	volume_refuse_changes(vol, &why);
	return 0;
}

/* Open the companion, and record its attributes. */
static int open_companion(struct volume *vol, struct error *e)
{
	int r = companion_open(vol->dirfd, vol->format, vol->name, &vol->source, vol->companion, e);

	if (r == 0 && vol->source.n_files > 1 &&
		fstat(vol->source.files[1]->fd, &vol->companion_stat) < 0)
		r = error_errno(e, "cannot stat %s", vol->companion);
	return r;
}

int volume_load(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	const bool made = vol->format, at_once = vol->journal.unnamed;
	int r = finish_pair(vol, note, arg, e);

	if (r == 0 && !made)
		r = format_find(&vol->source, &vol->format, e);
	if (r == 0 && !vol->format->edit)
		volume_refuse_writing(vol);
	if (r == 0 && !made)
		r = open_companion(vol, e);
	if (r == 0) {
		volume_note_attributes(vol);
		r = companion_identity_of(&vol->source, vol->identity, e);
	}
	if (r == 0)
		r = journal_init(&vol->journal, &vol->trust, vol->name, vol->identity, "", e);
	if (r < 0)
		return r;
	vol->journal.fresh = made;
	vol->journal.unnamed = at_once;
	vol->context.store = &vol->store.store;
	vol->context.note = note;
	vol->context.note_arg = arg;
	r = claim_journal(vol, note, arg, e);
	if (r == 0)
		r = choose_options(vol, note, arg, e);
	if (r == 0)
		r = open_model(vol, e);
	if (r == 0)
		r = check_sound(vol, e);
	if (r == 0 && vol->access != VOLUME_UNLOCKED)
		volume_note_state(vol, note, arg);
	/* note() is valid only while the map is loaded. */
	vol->context.note = NULL;
	return r;
}
