/* SPDX-License-Identifier: Zlib */
#include "fuse/lifecycle/utab.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

struct libmnt_update;
struct libmnt_fs;

/* Loaded by dlopen: linking libmount and its dependencies would slow down each command. */
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
	{"mnt_new_update", &lib.new_update}, /* last: if it is set, all are */
};

void utab_load(void)
{
	void *handle = lib.tried ? NULL : dlopen("libmount.so.1", RTLD_LAZY);
	void *found = handle;

	lib.tried = true;
	for (size_t i = 0; found && i < sizeof(functions) / sizeof(functions[0]); i++) {
		found = dlsym(handle, functions[i].name);
		*(void **)functions[i].to = found;
	}
}

/* Remove the entry of target, or add one for fs; the other argument is NULL. */
static void update_table(const char *target, struct libmnt_fs *fs)
{
	struct libmnt_update *u = lib.new_update();

	if (u && lib.set_fs(u, 0, target, fs) == 0)
		(void)lib.write_table(u, NULL);
	lib.free_update(u);
}

void utab_add(const char *source, const char *point)
{
	struct libmnt_fs *fs;

	utab_load();
	fs = lib.new_update ? lib.new_fs() : NULL;
	if (!fs)
		return;
	/* libmount adds an entry only if there is an option of its own. */
	if (lib.set_source(fs, source) == 0 && lib.set_target(fs, point) == 0 &&
		lib.set_type(fs, "fuse.mapfs") == 0 && lib.set_options(fs, "x-mapfs") == 0)
		update_table(NULL, fs);
	lib.unref_fs(fs);
}

void utab_remove(const char *point)
{
	utab_load();
	if (lib.new_update)
		update_table(point, NULL);
}
