/* SPDX-License-Identifier: Zlib */
/*
 * images: the images that games have, and maps only name, for pictures of maps (preview.h).
 *
 * They lie in directories that are opened before the sandbox is entered (base/sandbox/sandbox.h),
 * each for reading only. A name from a map is one name in such a directory, and never a way out of
 * it.
 */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"
#include "base/disk/file.h"
#include "base/error.h"
#include "base/sandbox/sandbox.h"

enum { IMAGES_DIRS_MAX = 12 };

struct images;

/*
 * The directory of -o mapres=DIR, and those in which games and their users keep images
 * (format_preview.image_dirs). -ENOENT and such: DIR cannot be opened; of the others those count
 * that can be.
 */
int images_open(const char *const *options, struct images **ret, struct error *e);
/* The same with the directory `first` (may be NULL) in place of -o mapres=DIR. */
int images_open_games(const char *first, struct images **ret, struct error *e);
/* Of files of another sort: the directory `first` (may be NULL), and those of games. */
int images_open_others(
	const char *first, const char *const *dirs, struct images **ret, struct error *e);
struct images *images_ref(struct images *i);
void images_unref(struct images *i);
DEFINE_CLEANUP(struct images, images_unref);

/* A rule for each, IMAGES_DIRS_MAX at most; returns how many. NULL has none. */
size_t images_rules(const struct images *i, struct sandbox_rule *ret);

/* preview_image_fn; arg is a struct images. Any thread. */
int images_find(void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);

/* The first file of that name, which is one in a directory and no path; and one in a directory that
 * is open. -ENOENT. */
int images_file(const struct images *i, const char *file, struct extent *ret, struct error *e);
int images_file_at(int dirfd, const char *file, struct extent *ret, struct error *e);
