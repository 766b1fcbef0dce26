/* SPDX-License-Identifier: Zlib */
/* structure: files and directories that come and go; see formats/format.h. */
#ifndef FORMATS_TORCHLIGHT_STRUCTURE_H
#define FORMATS_TORCHLIGHT_STRUCTURE_H

#include "formats/torchlight/map.h"

int tl_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e);
int tl_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret);
int tl_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e);
int tl_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret, struct error *e);
int tl_shown_as(const struct snapshot *settled, entry_id id, char *name); /* shown.c */
int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);

/*
 * A file and its text are two names of one file. Who removes the file's own name removes it, unless
 * its text is written after that: then it stands by its text. Both moments are noted here. Who
 * removes the text hides a view; who renames either renames the file. That holds for what was made
 * since the mount too, under whichever of the names.
 */
void tl_note_asked(struct tl_shared *sh, uint32_t handle);
void tl_note_written(struct tl_shared *sh, uint32_t handle);
bool tl_written_last(struct tl_shared *sh, uint32_t handle);

#endif
