/* SPDX-License-Identifier: Zlib */
/*
 * volume: one map that is mounted: its files, its model, its journal, and the commit queue in which
 * changes and saves follow one another.
 */
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

struct proof;

/* UNLOCKED becomes WRITABLE with the first change (volume_lock), or at once where a journal waits;
 * any becomes READ_ONLY, for good, once it is known that it cannot be changed. */
enum volume_access {
	VOLUME_WRITABLE,  /* it is locked against others, as is what volume_create makes */
	VOLUME_UNLOCKED,  /* others may write it meanwhile */
	VOLUME_READ_ONLY, /* asked for, or it cannot be written, or must not be changed (unsound) */
};

struct volume {
	struct pool *pool; /* set by vfs_create, as is owner */
	pthread_t owner;   /* the thread that alone changes it, and the tree over it */
	unsigned index;    /* of its inode numbers; 0 is the map that was named */

	int dirfd;    /* the map's directory */
	char *name;   /* the map's name in it */
	char *called; /* what it is to be called (volume_name); NULL: name */
	struct source source;
	struct stat opened; /* files[0], as it was opened or last saved */
	struct trust trust; /* in what lies beside it */
	struct nearby
		*nearby; /* borrowed, and so is dirfd; NULL: it is read when it is asked for */
	char companion[NAME_MAX + 1];          /* the name of files[1], or "" */
	struct stat companion_opened;          /* files[1] */
	uint32_t attributes[FORMAT_FILES_MAX]; /* metadata_sum of each file then */
	char identity[IDENTITY_SIZE];
	struct timespec mtime; /* of entries that nobody changed; that of the mount's begin */
	enum volume_access access;
	bool reopened;        /* it was closed while the kernel knew names of it */
	bool passed_over;     /* another program's lock */
	bool judged;          /* whether it can be changed: asked of the format, or need not be */
	struct error unsound; /* why it cannot, though it could be written */

	uid_t uid;
	gid_t gid;
	mode_t file_mode, dir_mode; /* permission bits */

	const struct format *format;
	struct format_context context;
	struct bytes
		*means; /* options that a journal holds (format_changes_meaning), each with a NUL */
	const char **options;  /* of context, where a journal decides; or NULL */
	struct images *images; /* of the context; NULL: nobody needs them */
	vfs_advise advise;     /* may be NULL */
	struct budget *budget; /* its own; NULL: the context's is shared */
	struct journal journal;
	struct volume_store store;

	struct snapshot *now; /* the map as it was opened or last saved */
	const char *conflict; /* why a save had to go beside the map: name is that file's now; or
				 NULL */

	char *dropped;      /* a path to which something was written that is no part of the map */
	struct report told; /* what the format said of the map that was saved last */

	struct proof *proof; /* that the map can be changed, while it is looked for; ops/submit.c */
	struct rescue_dir rescued; /* what was copied out already; save/rescue.h */

	struct {
		bool under_way;
		int64_t at_ms; /* when the journal is to be synced; 0: nothing to sync */
	} sync;                /* volume/sync.h */

	struct change_task *change_queue, *change_queue_last; /* volume/change_queue.h */
};

static inline bool volume_is_owner(const struct volume *vol)
{
	return pthread_equal(vol->owner, pthread_self());
}

enum volume_lock { VOLUME_LOCKED = -EBUSY };

/*
 * Opens FILE `name` below dirfd (taken over, also on failure): locks it against a second writer
 * (-EBUSY), finds its format. It does not parse yet, so that the caller can enter the sandbox in
 * between.
 */
int volume_open(int dirfd, const char *name, const struct vfs_options *o, struct volume **ret,
	struct error *e);
/*
 * For `mapfs --new`: makes the file (empty as yet, and -EEXIST where there is one), as a map of the
 * named format (NULL: by the file's ending). volume_load and vfs_create_map follow.
 */
int volume_create(int dirfd, const char *name, const char *format, const struct vfs_options *o,
	struct volume **ret, struct error *e);
/* Gives the file of a map that was made nameless, and was saved, its name; -EEXIST where another
 * has it now. */
int volume_name(struct volume *vol, struct error *e);
/* What the mount shows of a map's owner and mode, for files and directories in it. */
struct rights {
	uid_t uid;
	gid_t gid;
	mode_t file_mode, dir_mode;
};
struct rights rights_of(const struct stat *map, const struct vfs_options *o, bool read_only);
/* Do the directory and the files of the map belong to this user, with their groups, and are they
 * writable to their owner? Then a save needs no right but an owner's. */
bool volume_is_own(const struct volume *vol);
/* Takes what volume_create made away again, also once vfs_create_map has written it. */
void volume_discard(struct volume *vol);
/* Reads the tables and opens the journal. note() is told what the mounting person should know. */
int volume_load(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
/* ... of what its file means for a save; volume_load and volume_lock do that. */
void volume_tell(const struct volume *vol, void (*note)(void *arg, const char *line), void *arg);
/* Before the first change of a map that is `unlocked`: takes its lock (-EBUSY: another mount has
 * it) and opens its journal. -ESTALE: the map is not what was opened any more. */
int volume_lock(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
void volume_destroy(struct volume *vol);
/* The map's file is open (fd is taken over) and locked; what it says of itself. */
int volume_take(struct volume *vol, int fd, struct error *e);
/* What a sandbox is to leave to the volume; at most VOLUME_RULES_MAX. Returns how many. */
enum { VOLUME_RULES_MAX = 1 + IMAGES_DIRS_MAX };
size_t volume_rules(const struct volume *vol, struct sandbox_rule *ret);
/* The game's images, if the options want pictures in the mount; else *ret stays. */
int volume_images(const char *const *options, struct images **ret, struct error *e);
/* The file of -o names=FILE, which is out of reach once the sandbox is entered, for whichever
 * format reads it. Where there is no such option *ret stays. */
int volume_names_file(const char *const *options, struct file **ret, struct error *e);
/* Remembers the attributes of the files, as they are now. */
void volume_note_attributes(struct volume *vol);
/* The format of this name; without, the one that the ending of `file` means. */
const struct format *volume_format_for(const char *name, const char *file);
DEFINE_CLEANUP(struct volume, volume_destroy);

/* Shown, and not to be changed from now on: EROFS; and why, where it could be written. */
void volume_refuse_writing(struct volume *vol);
void volume_refuse_changes(struct volume *vol, const struct error *why);

/* What was written there was dropped (file_attr.is_generated); the report says so once. */
void volume_dropped(struct volume *vol, const char *path);
