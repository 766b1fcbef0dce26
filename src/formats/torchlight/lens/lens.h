/* SPDX-License-Identifier: Zlib */
/* lens: the functions of struct format that show and change files; see formats/format.h. */
#pragma once

#include "formats/torchlight/model/map.h"

/* list.c */
int tl_lookup(const struct snapshot *s, entry_id dir, const char *name, struct file_attr *ret,
	struct error *e);
int tl_stat(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e);
int tl_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e);
/* The id that name has in dir by the mount's tree, listed or not. -ENOENT. */
int tl_find(const struct tl_map *m, entry_id dir, const char *name, entry_id *ret);
/* A file beside the archive's own, which is small and made whole. */
int tl_load_control(const struct tl_map *m, uint32_t which, struct bytes **ret, struct error *e);

/* get.c */
int tl_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);
int tl_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e);
int tl_note(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e);

/* put.c */
enum { TL_INPUT_MAX = 2 * TEXT_MAX + 2 }; /* a text in UTF-16 has twice the bytes */

int tl_parse(const struct snapshot *s, entry_id id, struct content *in, struct parsed **ret,
	struct error *e);
int tl_apply(struct snapshot **s, entry_id id, const struct parsed *p,
	const struct build_context *others, const struct snapshot *like, bool *ret_changed,
	struct error *e);

/* info.c: .mod/info.json */
void tl_info_write(const struct tl_map *m, struct buffer *out);
/* What was written, over h, a copy of m's header (NULL: a PAK); *ret_pak: it was a PAK's, which
 * says nothing of a MOD. */
int tl_info_parse(const struct tl_map *m, const struct extent *in, struct mod_header *h,
	bool *ret_pak, struct error *e);
/* Do both say the same there? */
bool tl_info_same(const struct mod_header *a, const struct mod_header *b);

/* removed_text.c: the list of removed files (wire/removed.h) as a person wrote it, in its canonical
 * form: slashes, upper case, no empty lines, nothing twice. */
int removed_parse(const void *data, size_t size, struct bytes **ret, struct error *e);

/* structure.c: files and directories that come and go */
int tl_meaning(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e);
int tl_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e);
