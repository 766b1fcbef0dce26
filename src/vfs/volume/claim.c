/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/claim.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>

#include "base/durable/pair.h"
#include "vfs/volume/external.h"

/* Remove temporary files of saves that were killed. */
static void sweep_leftovers(const struct volume *vol, struct sidecar_cache *sidecars)
{
	char marker[NAME_MAX + 1];

	pair_marker_name(marker, vol->name);
	replace_remove_leftovers_cached(&vol->trust, sidecars, vol->name);
	replace_remove_leftovers_cached(&vol->trust, sidecars, marker);
	if (vol->companion[0])
		replace_remove_leftovers_cached(&vol->trust, sidecars, vol->companion);
}

static void find_fitting(void *arg, const struct journal_info *info)
{
	bool *fits = arg;

	*fits |= info->fits && !info->is_untrusted;
}

/* Lock the open file, if it still has the map's name. Unlike lock_open, this respects any holder of
 * the lock, since the sandbox hides /proc. */
static int lock_opened(struct volume *vol, struct error *e)
{
	int fd = vol->source.files[0]->fd;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno != ENOLCK && errno != EOPNOTSUPP)
		return errno == EWOULDBLOCK ? error_set(e, VOLUME_LOCKED,
						      "is mounted for writing or being written by "
						      "another command")
					    : error_errno(e, "cannot lock");
	if (external_check(vol) == EXTERNAL_NONE)
		return 0;
	(void)flock(fd, LOCK_UN);
	return error_set(e, -ESTALE, "was replaced by another program");
}

/* Open the journal of a locked map. */
static int open_journal(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *own = NULL;
	struct sidecar_cache *sidecars = vol->sidecars;

	if (!sidecars)
		sidecars = own = sidecar_cache_create(vol->dirfd);
	if (!sidecars)
		return error_set(e, -ENOMEM, "out of memory");
	sweep_leftovers(vol, sidecars);
	return journal_open(&vol->journal, sidecars, note, arg, e);
}

int claim_journal(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	bool fits = false;
	int r = 0;

	if (!journal_is_present(&vol->journal) && vol->access != VOLUME_WRITABLE)
		return 0;
	if (vol->access == VOLUME_READ_ONLY) {
		r = journal_list(vol->dirfd, vol->name, find_fitting, &fits, e);
		if (r == 0 && fits)
			note(arg, "unsaved changes are in a journal beside the map; mount it for "
				  "writing to restore them");
		return r;
	}
	if (vol->access == VOLUME_UNLOCKED) {
		r = lock_opened(vol, e);
		if (r == VOLUME_LOCKED)
			return 0;
		if (r == 0)
			vol->access = VOLUME_WRITABLE;
	}
	return r < 0 ? r : open_journal(vol, note, arg, e);
}

int volume_lock(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	int r = lock_opened(vol, e);

	/* Another mount began and ended in between; our base lacks the changes in its journal. */
	if (r == 0 && journal_is_present(&vol->journal)) {
		(void)flock(vol->source.files[0]->fd, LOCK_UN);
		r = error_set(e, -ESTALE, "was changed by another mount");
	}
	if (r < 0)
		return r;
	r = open_journal(vol, note, arg, e);
	if (r < 0) {
		/* The next change tries again: without a journal it would not be kept. */
		(void)flock(vol->source.files[0]->fd, LOCK_UN);
		return r;
	}
	vol->access = VOLUME_WRITABLE;
	volume_note_state(vol, note, arg);
	return 0;
}
