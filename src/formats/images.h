/* SPDX-License-Identifier: Zlib */
/*
 * images: the image files of games, which maps refer to by name, for pictures of maps (preview.h).
 *
 * The process opens the directories of these files before it enters the sandbox
 * (base/sandbox/sandbox.h), for reading only. A name from a map is used as a single file name in a
 * directory, never as a path.
 */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"
#include "base/disk/file.h"
#include "base/error.h"
#include "base/sandbox/sandbox.h"

enum { IMAGES_DIRS_MAX = 12 };

struct images;

/* Open the directory of -o mapres=DIR, and those of games and their users
 * (format_preview.image_dirs). options: as of a mount, may be NULL. Fails with the errno of open(2)
 * if DIR cannot be opened. Ignores others that cannot be opened, or that are more than
 * IMAGES_DIRS_MAX. */
int images_open(const char *const *options, struct images **ret, struct error *e);
/* Like images_open, with the directory `first` (may be NULL) instead of -o mapres=DIR. */
int images_open_games(const char *first, struct images **ret, struct error *e);
/* Open the directory `first` (may be NULL; only it can fail) and `dirs` (NULL-ended; "~/": the home
 * directory), for files of another kind. images_find searches them for any game. */
int images_open_others(
	const char *first, const char *const *dirs, struct images **ret, struct error *e);
struct images *images_ref(struct images *i); /* NULL is fine */
void images_unref(struct images *i);
DEFINE_CLEANUP(struct images, images_unref);

/* Write a sandbox rule per directory, IMAGES_DIRS_MAX at most; returns their number, 0 for NULL. */
size_t images_rules(const struct images *i, struct sandbox_rule *ret);

/* Open NAME.png from a directory that the user named, or of the game (1: the first in image_dirs;
 * PREVIEW_ANY_GAME: of all). arg is a struct images. Any thread. -ENOENT. */
int images_find(void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);

/* Open the file in the first directory that has it. file: a name without "/". -ENOENT. */
int images_file(const struct images *i, const char *file, struct extent *ret, struct error *e);
/* Open a regular file by its path below an open directory. -ENOENT if it is a symbolic link, or
 * cannot be opened for whatever reason. */
int images_file_at(int dirfd, const char *file, struct extent *ret, struct error *e);
