/* SPDX-License-Identifier: Zlib */
#include "vfs/mounted.h"

void mounted_destroy(struct mounted *m)
{
	vfs_destroy(m->map);
	folder_destroy(m->folder);
	*m = (struct mounted){0};
}

void mounted_submit(struct mounted *m, struct call *c)
{
	if (m->folder)
		folder_submit(m->folder, c);
	else
		vfs_submit(m->map, c);
}

void mounted_forget(struct mounted *m, uint64_t ino, uint64_t n)
{
	if (m->folder)
		folder_forget(m->folder, ino, n);
	else
		vfs_forget(m->map, ino, n);
}

void mounted_writers(struct mounted *m, void (*fn)(void *arg, uint64_t ino), void *arg)
{
	if (m->folder)
		folder_writers(m->folder, fn, arg);
	else
		vfs_writers(m->map, fn, arg);
}

int mounted_timeout(struct mounted *m)
{
	return m->folder ? folder_timeout(m->folder) : vfs_timeout(m->map);
}

void mounted_tick(struct mounted *m)
{
	if (m->folder)
		folder_tick(m->folder);
	else
		vfs_tick(m->map);
}

void mounted_save(struct mounted *m, vfs_saved done, void *arg)
{
	if (m->folder)
		folder_save(m->folder, false, done, arg);
	else
		vfs_save(m->map, done, arg);
}

void mounted_save_to_end(struct mounted *m, vfs_saved done, void *arg)
{
	if (m->folder)
		folder_save(m->folder, true, done, arg);
	else
		vfs_save_before_unmount(m->map, done, arg);
}

void mounted_discard(struct mounted *m, vfs_saved done, void *arg)
{
	if (m->folder)
		folder_discard(m->folder, done, arg);
	else
		vfs_discard(m->map, done, arg);
}

void mounted_keep(struct mounted *m)
{
	if (m->folder)
		folder_keep(m->folder);
	else
		vfs_undo_discard(m->map);
}

void mounted_end(struct mounted *m, struct report *report)
{
	if (m->folder)
		folder_end(m->folder, report);
	else
		vfs_end(m->map, report);
}
