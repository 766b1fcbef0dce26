/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/durable/pair.h"
#include "vfs/files/sidecar.h"
#include "vfs/volume/lock.h"

/* The format of a map with two files, or NULL; by the file's ending if the map is empty (new). */
static const struct format *find_pair_format(const struct volume *vol)
{
	const struct format *f = vol->format;

	if (!f && format_find(&vol->source, &f, NULL) < 0)
		f = volume_format_for(NULL, vol->name);
	return f && f->companion ? f : NULL;
}

/* Accept a marker only for the map and its companion, or for a pair saved after a conflict. */
static enum pair_permission check_marker_names(void *arg, const char *first, const char *second)
{
	const struct volume *vol = arg;
	const struct format *f = find_pair_format(vol);
	char family[NAME_MAX + 1], other[NAME_MAX + 1];
	bool companion = false;

	for (unsigned i = 0; !companion && f->companion(first, i, other); i++)
		companion = strcasecmp(second, other) == 0;
	if (!companion)
		return PAIR_FORBIDDEN;
	if (strcmp(first, vol->name) == 0)
		return PAIR_REPLACE;
	sidecar_family(family, vol->name);
	sidecar_family(other, first);
	return strcmp(first, other) != 0 && strcmp(family, other) == 0 ? PAIR_CREATE
								       : PAIR_FORBIDDEN;
}

bool finish_is_pending(const struct volume *vol)
{
	char marker[NAME_MAX + 1];

	pair_marker_name(marker, vol->name);
	return faccessat(vol->dirfd, marker, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int finish_report_pending(struct error *e)
{
	return error_set(e, -EINVAL,
		"a save of its two files was interrupted; mount it for writing to finish the save");
}

int finish_pair(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	char marker[NAME_MAX + 1], line[1500];
	struct error why = ERROR_INIT;
	int r;

	pair_marker_name(marker, vol->name);
	r = trust_check_name(&vol->trust, marker, &why);
	if (r == -ENOENT)
		return 0;
	if (r == 0 && !find_pair_format(vol))
		r = error_set(&why, -EPERM, "is for a map of two files");
	if (r == 0 && vol->access == VOLUME_READ_ONLY)
		return finish_report_pending(e);
	if (r == 0)
		r = pair_finish(&vol->trust, vol->name, check_marker_names, vol, &why);
	if (r == -EPERM) {
		snprintf(line, sizeof(line), "%s is not used: it %s", marker, error_text(&why));
		note(arg, line);
		return 0;
	}
	if (r < 0) {
		*e = why;
		return r;
	}
	/* The name may mean another file now, so open and lock it again. */
	file_unref(TAKE(vol->source.files[0]));
	r = lock_open(vol, e);
	return r < 0 ? r : volume_set_file(vol, r, e);
}

int finish_own_pair(const struct volume *vol, struct error *e)
{
	char marker[NAME_MAX + 1];
	struct error why = ERROR_INIT;
	int r;

	pair_marker_name(marker, vol->name);
	if (!vol->companion[0] || trust_check_name(&vol->trust, marker, NULL) < 0)
		return 0;
	r = pair_finish(&vol->trust, vol->name, check_marker_names, (void *)(uintptr_t)vol, &why);
	if (r >= 0 || r == -EPERM)
		return 0;
	*e = why;
	return r;
}
