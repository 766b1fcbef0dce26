/* SPDX-License-Identifier: Zlib */
/*
 * volume: one mounted map, with its files, base, journal and change queue.
 *
 *   volume_open or volume_create   open or create the file, and lock it; the caller may then enter
 *                                  the sandbox
 *   volume_load                    find the format, open the journal, parse the map
 *   volume_lock                    only if VOLUME_UNLOCKED: before the first change
 *   volume_destroy
 *
 * note() receives lines for the user who mounts the map, during the call. */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "base/disk/trust.h"
#include "base/hash.h"
#include "base/threads/pool.h"
#include "formats/format.h"
#include "formats/images.h"
#include "vfs/files/rescue_dir.h"
#include "vfs/journal/journal.h"
#include "vfs/volume/options.h"
#include "vfs/volume/report.h"
#include "vfs/volume/store.h"

struct change_task;

struct map_check;

/* VOLUME_UNLOCKED becomes VOLUME_WRITABLE at the first change (volume_lock), or in volume_load if a
 * journal exists and the lock is free. Both become VOLUME_READ_ONLY, for good, if the map is found
 * to be unsafe. */
enum volume_access {
	VOLUME_WRITABLE,  /* the map is locked against other writers */
	VOLUME_UNLOCKED,  /* other processes may write the map */
	VOLUME_READ_ONLY, /* requested, not writable, of a format without `edit`, or unsound */
};

struct volume {
	struct pool *pool; /* set by vfs_create, as is owner */
	pthread_t owner;   /* the only thread that changes the volume and its overlay */
	unsigned index;    /* number of its range of inodes in a folder, from 1; otherwise 0 */

	int dirfd;        /* the map's directory; borrowed if sidecars is set */
	char *name;       /* the map's current name in it */
	char *final_name; /* the name that volume_name will give a nameless map; otherwise NULL */
	struct source source;
	struct stat map_stat; /* of files[0], when it was opened or last saved */
	struct trust trust;   /* decides which sidecar files are believed */
	struct sidecar_cache
		*sidecars;            /* names in the directory; borrowed; NULL: read when needed */
	char companion[NAME_MAX + 1]; /* the name of files[1], or "" */
	struct stat companion_stat;   /* as map_stat, of files[1] */
	uint32_t attributes[FORMAT_FILES_MAX]; /* metadata_checksum of files at that time */
	char identity[IDENTITY_SIZE];          /* of the files' content; names the journal */
	struct timespec mtime; /* of unchanged entries; the map's own when it was opened */
	enum volume_access access;
	bool reopened;           /* it was closed while the kernel knew names in it */
	bool is_lock_ignored;    /* a program other than mapfs has locked the map */
	bool is_soundness_known; /* the soundness check was made, or is not needed */
	struct error unsound;    /* why a writable map must not be changed */

	uid_t uid;
	gid_t gid;
	mode_t file_mode, dir_mode; /* permission bits */

	const struct format *format;
	struct format_context context;
	/* Options for which format_changes_meaning is true: the journal's, or else the mount's. */
	struct bytes *name_options; /* each with a NUL */
	const char **options;       /* context.options with those of a journal; NULL: the mount's */
	struct images *images;      /* context.image_arg; NULL if the options need none */
	vfs_advise advise;     /* reports what tools know about a map to be saved; may be NULL */
	struct budget *budget; /* owned; NULL if the budget is shared */
	struct journal journal;
	struct volume_store store;

	struct snapshot *base; /* the map as opened or last saved */
	/* Why a save went to a file beside the map, which `name` names now; or NULL. Static. */
	const char *conflict;

	char *dropped_path; /* a generated file whose written content was dropped, or NULL */
	struct report last_format_report; /* the format's lines about the last save */

	struct map_check
		*map_check;        /* the soundness check that is running, or NULL; ops/submit.c */
	struct rescue_dir rescued; /* files already copied out; save/rescue.h */

	struct {
		bool under_way;
		int64_t at_ms; /* when to sync the journal; 0: not needed */
	} sync;                /* volume/sync.h */

	struct change_task *change_queue, *change_queue_last; /* volume/change_queue.h */
};

static inline bool volume_is_owner(const struct volume *vol)
{
	return pthread_equal(vol->owner, pthread_self());
}

enum volume_lock { VOLUME_LOCKED = -EBUSY };

/* Open the map `name` in dirfd, and lock it unless `o` says otherwise or it, or dirfd, is not
 * writable (VOLUME_READ_ONLY). Takes over dirfd, also on failure, unless o->sidecars is set. The
 * map is not parsed yet. VOLUME_LOCKED: another process writes the map. */
int volume_open(int dirfd, const char *name, const struct vfs_options *o, struct volume **ret,
	struct error *e);
/* Create an empty file for a new map of the named format (NULL: the format of the file's ending),
 * and lock it. With o->nameless it has a temporary name. volume_load and vfs_create_map follow.
 * dirfd as for volume_open. -EEXIST, also for its companion; -EINVAL: no format can create it. */
int volume_create(int dirfd, const char *name, const char *format, const struct vfs_options *o,
	struct volume **ret, struct error *e);
/* Rename a map that was created nameless, and saved, to its final name. -EEXIST. If vol->final_name
 * is NULL after a failure, it has the name, but its directory could not be synced. */
int volume_name(struct volume *vol, struct error *e);
/* Owner and permissions that a mount shows for the entries of a map. */
struct rights {
	uid_t uid;
	gid_t gid;
	mode_t file_mode, dir_mode;
};
/* Compute them from the map's file. read_only: without permissions to write. */
struct rights volume_rights(const struct stat *map, const struct vfs_options *o, bool read_only);
/* Do the directory and the map's files (its companion in any format, too) belong to this user, and
 * the files to one of the user's groups, and may the owner write them? Then a save needs no special
 * privileges. */
bool volume_is_own(const struct volume *vol);
/* Remove the files that volume_create and vfs_create_map made, unless they were replaced. */
void volume_discard(struct volume *vol);
/* Find the format, open the journal, and parse the map. */
int volume_load(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
/* Note an ignored lock, and hard links. For volume_load and volume_lock, which know the access. */
void volume_note_state(
	const struct volume *vol, void (*note)(void *arg, const char *line), void *arg);
/* Lock a VOLUME_UNLOCKED map, and open its journal. VOLUME_LOCKED: another process has the lock.
 * -ESTALE: the map was changed since it was opened. It stays unlocked after these errors. */
int volume_lock(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
void volume_destroy(struct volume *vol);
/* Make fd (taken over, also on failure) the map's open file, and set map_stat, mtime and trust. */
int volume_set_file(struct volume *vol, int fd, struct error *e);
/* Write the sandbox rules that the volume needs; at most VOLUME_RULES_MAX. Returns their number. */
enum { VOLUME_RULES_MAX = 1 + IMAGES_DIRS_MAX };
size_t volume_rules(const struct volume *vol, struct sandbox_rule *ret);
/* Open the game's images if the options ask for pictures. Otherwise *ret is unchanged (0). */
int volume_images(const char *const *options, struct images **ret, struct error *e);
/* Open the file of -o names=FILE, before the sandbox. Without it *ret is unchanged (0). */
int volume_names_file(const char *const *options, struct file **ret, struct error *e);
/* Record the current attributes of the files in vol->attributes. */
void volume_note_attributes(struct volume *vol);
/* The format of that name or, if name is NULL, the one for the ending of `file`. May be NULL. */
const struct format *volume_format_for(const char *name, const char *file);
DEFINE_CLEANUP(struct volume, volume_destroy);

/* Make the volume read-only from now on (EROFS), and clear its permissions to write. */
void volume_refuse_writing(struct volume *vol);
/* The same for a writable map that is unsafe to change; `why` is kept in vol->unsound. */
void volume_refuse_changes(struct volume *vol, const struct error *why);

/* Remember that content written to a generated file was dropped. Only the first path is kept. */
void volume_note_dropped(struct volume *vol, const char *path);
