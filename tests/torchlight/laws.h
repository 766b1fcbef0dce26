/* SPDX-License-Identifier: Zlib */
/* Internal to laws: what its two parts share. */
#ifndef TESTS_TORCHLIGHT_LAWS_H
#define TESTS_TORCHLIGHT_LAWS_H

#include "base/replace.h"
#include "formats/torchlight/format.h"
#include "formats/torchlight/model/map.h"

struct run {
	const char *name;
	bool pak, identical;
	bool shows_text; /* the file that is looked at */
	const char *const *options;
	unsigned broken, files, texts, unreadable, puts, refused;
	struct budget *budget;
	struct store store;
	struct source source;
	struct format_context ctx;
	const struct format *f;
	struct snapshot *s, *changed;
	char dir[64];
	int dirfd;
};

/* Tells it, and counts. */
void broken(struct run *run, const char *path, const char *law, const char *text);
/* All of a file, as get gives it. */
int get_all(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e);

/* laws_rewrite.c: s is written, verified, read again and rebased; identical: to the file's bytes.
 */
void check_rewrite(struct run *run, const struct snapshot *s, bool force, bool identical);

#endif
