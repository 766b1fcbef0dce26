/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/journals.h"
#include "cli/status.h"
#include "cli/unmount/holders.h"
#include "cli/unmount/states.h"
#include "fuse/lifecycle/mount.h"

enum { USERS_NAMED_MAX = 8, TEXT_MAX = 400 };

static void print_refusal(struct unmount *u, const char *why, const struct names *users)
{
	struct console *c = &u->console;

	console_say(c, "%scannot unmount: %s", c->has_saved ? "saved, but " : "", why);
	for (size_t i = 0; i < users->n && i < USERS_NAMED_MAX; i++)
		console_say(c, "%s", users->items[i]);
	if (users->n > USERS_NAMED_MAX)
		console_say(c, "and %zu more processes", users->n - USERS_NAMED_MAX);
}

int attempt_unmount(void *unmount)
{
	struct unmount *u = unmount;
	CLEANUP_NAMES struct names users = {0};
	char text[TEXT_MAX] = "";
	struct mount_entry other;
	int r = 0;

	/* Another process may have unmounted it, and mounted something else there. */
	if (target_is_mounted(u->entry))
		r = mount_detach(u->entry->point, unmount_is_lazy(u), text, sizeof(text));
	if (!r || !target_is_mounted(u->entry)) {
		if (u->owns_mountpoint && mountinfo_find_mapfs(MOUNTINFO, u->entry->dev,
						  u->entry->source, &other) < 0)
			(void)rmdir(u->entry->point);
		return 0;
	}
	/* umount(2) fails with an errno, fusermount3 with an exit status and a message. */
	if (r == EBUSY || strstr(text, "busy")) {
		if (u->names_users)
			holders_find(u->entry->dev, &users);
		if (!users.n)
			return EBUSY;
		r = ETXTBSY;
	}
	print_refusal(u, text[0] ? text : strerror(r == ETXTBSY ? EBUSY : r), &users);
	return r;
}

static bool print_left(struct unmount *u)
{
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;
	struct status_entry e;
	bool any = false;

	(void)status_query(u->entry->point, &records);
	for (size_t at = 0; status_next(&records, &at, &e);) {
		if (strcmp(e.word, "refused") != 0 && strcmp(e.word, "ignored") != 0)
			continue;
		console_report(&u->console, "%s: %s: %s", e.word, e.path, e.reason);
		any = true;
	}
	return any;
}

/* An fsync of the mount's root saves the map. */
int attempt_save(void *unmount)
{
	struct unmount *u = unmount;
	bool discard = u->options->discard;
	CLEANUP(close_fd)
	int fd = open(u->entry->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statvfs fs;

	/* If the mount has ended, this is the directory below it, whose fsync saves nothing. */
	if (fd >= 0 && !mountinfo_is_on_device(fd, u->entry->dev))
		return ENOTCONN;
	if (fd < 0 || (discard ? fstatvfs(fd, &fs) : fsync(fd)) < 0)
		return status_error(errno);
	return !discard && print_left(u) ? EEXIST : 0;
}

int attempt_print_journals(void *unmount)
{
	struct unmount *u = unmount;
	CLEANUP_NAMES struct names maps = {0};
	struct journal_found found;
	struct error e = ERROR_INIT;
	int r = journals_add_maps(u->entry->source, false, &maps);

	for (size_t i = 0; i < maps.n; i++) {
		if (journals_find(maps.items[i], &found, &e) < 0)
			console_say(&u->console, "cannot list the journals of %s: %s",
				maps.items[i], error_text(&e));
		else
			console_say(&u->console,
				found.fits
					? "unsaved changes are in the journal %s beside the map: "
					  "mount %s again to restore them (or see mapfs recover)"
					: "the journal %s is for another version of %s (see "
					  "mapfs recover)",
				found.file, maps.items[i]);
	}
	if (r == 0 && !maps.n && u->entry->is_mapfs)
		console_say(&u->console, "no journal beside %s: all closed files are saved",
			u->entry->source);
	return r < 0 ? -r : maps.n ? EEXIST : 0;
}
