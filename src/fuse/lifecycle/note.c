/* SPDX-License-Identifier: Zlib */
#include "fuse/lifecycle/note.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

struct libmnt_update;
struct libmnt_fs;

/* Linked with it and what it links, every command would take longer to start. */
static struct {
	bool tried;
	struct libmnt_update *(*new_update)(void);
	void (*free_update)(struct libmnt_update *u);
	int (*set_fs)(struct libmnt_update *u, unsigned long flags, const char *target,
		struct libmnt_fs *fs);
	int (*write_table)(struct libmnt_update *u, void *lock);
	struct libmnt_fs *(*new_fs)(void);
	void (*unref_fs)(struct libmnt_fs *fs);
	int (*set_source)(struct libmnt_fs *fs, const char *source);
	int (*set_target)(struct libmnt_fs *fs, const char *target);
	int (*set_type)(struct libmnt_fs *fs, const char *type);
	int (*set_options)(struct libmnt_fs *fs, const char *options);
} lib;

static const struct {
	const char *name;
	void *to;
} functions[] = {
	{"mnt_free_update", &lib.free_update}, {"mnt_update_set_fs", &lib.set_fs},
	{"mnt_update_table", &lib.write_table}, {"mnt_new_fs", &lib.new_fs},
	{"mnt_unref_fs", &lib.unref_fs}, {"mnt_fs_set_source", &lib.set_source},
	{"mnt_fs_set_target", &lib.set_target}, {"mnt_fs_set_fstype", &lib.set_type},
	{"mnt_fs_set_options", &lib.set_options},
	{"mnt_new_update", &lib.new_update}, /* last: with it all are there */
};

void note_prepare(void)
{
	void *handle = lib.tried ? NULL : dlopen("libmount.so.1", RTLD_LAZY);
	void *found = handle;

	lib.tried = true;
	for (size_t i = 0; found && i < sizeof(functions) / sizeof(functions[0]); i++) {
		found = dlsym(handle, functions[i].name);
		*(void **)functions[i].to = found;
	}
}

/* target: whose note is to go; fs: of what one is to be made. */
static void update(const char *target, struct libmnt_fs *fs)
{
	struct libmnt_update *u = lib.new_update();

	if (u && lib.set_fs(u, 0, target, fs) == 0)
		(void)lib.write_table(u, NULL);
	lib.free_update(u);
}

void note_add(const char *source, const char *point)
{
	struct libmnt_fs *fs;

	note_prepare();
	fs = lib.new_update ? lib.new_fs() : NULL;
	if (!fs)
		return;
	/* Only what has an option of its own gets a note. */
	if (lib.set_source(fs, source) == 0 && lib.set_target(fs, point) == 0 &&
		lib.set_type(fs, "fuse.mapfs") == 0 && lib.set_options(fs, "x-mapfs") == 0)
		update(NULL, fs);
	lib.unref_fs(fs);
}

void note_remove(const char *point)
{
	note_prepare();
	if (lib.new_update)
		update(point, NULL);
}
