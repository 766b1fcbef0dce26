/* SPDX-License-Identifier: Zlib */
/* lens: show and change files. Functions without a comment are operations of formats/format.h. */
#pragma once

#include "formats/torchlight/model/map.h"

/* list.c; tl_list: *cookie starts at 0, name has NAME_MAX + 1 bytes; 1: an entry, 0: the end */
int tl_lookup(const struct snapshot *s, entry_id dir, const char *name, struct file_attr *ret,
	struct error *e);
int tl_stat(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e);
int tl_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e);
/* Find the entry called name, in any case of letters, in a directory of the mount. Finds MOD.DAT of
 * a new MOD before tl_list lists it. -ENOENT, -ENOTDIR. */
int tl_find_entry(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret);
/* Load a control file (enum tl_control), which is small. -ENODATA: MOD.DAT was never written. */
int tl_load_control(const struct tl_map *m, uint32_t which, struct bytes **ret, struct error *e);

/* get.c; tl_note: why a compiled file is shown as bytes; -ENODATA for all other files */
int tl_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);
int tl_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e);
int tl_note(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e);

/* put.c; tl_apply ignores others and like; p is not NULL, because no file is_cleared_by_mount */
enum { TL_INPUT_MAX = 2 * TEXT_MAX + 2 }; /* a text in UTF-16 has twice the bytes */

int tl_parse(const struct snapshot *s, entry_id id, struct content *in, struct parsed **ret,
	struct error *e);
int tl_apply(struct snapshot **s, entry_id id, const struct parsed *p,
	const struct build_context *others, const struct snapshot *like, bool *ret_changed,
	struct error *e);

/* info.c: .mod/info.json */
void tl_info_write(const struct tl_map *m, struct buffer *out);
/* Read a written info.json into h, a copy of m's header (NULL for a PAK). *ret_pak: the text is the
 * info.json of a PAK. Then, and if m is a PAK, only `format` is read. */
int tl_info_parse(const struct tl_map *m, const struct extent *in, struct mod_header *h,
	bool *ret_pak, struct error *e);
/* Do both headers, which have the same version, give the same info.json? */
bool tl_info_same(const struct mod_header *a, const struct mod_header *b);

/* removed_text.c: parse a written list of removed files (wire/removed.h) into its canonical form:
 * slashes, upper case, no blanks around a path, no empty lines, no duplicates. -EINVAL. */
int removed_parse(const void *data, size_t size, struct bytes **ret, struct error *e);

/* structure.c: classify names, and add files and directories */
int tl_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e);
int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
