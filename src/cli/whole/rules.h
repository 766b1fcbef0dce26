/* SPDX-License-Identifier: Zlib */
/* rules: where files of rules lie (formats/automap.h). */
#ifndef CLI_WHOLE_RULES_H
#define CLI_WHOLE_RULES_H

#include "base/disk/file.h"
#include "base/sandbox/sandbox.h"
#include "formats/automap.h"

enum { RULES_DIRS_MAX = 16, RULES_MOST = 4 << 20 /* bytes that are read */ };

struct rules_place {
	int fd;
	char *path; /* as it is called */
};

struct rules_places {
	const char *ending;
	struct bytes *file; /* rules for all, and what that file is called; or NULL */
	const char *name;
	struct rules_place dirs[RULES_DIRS_MAX];
	size_t n;
};

/* Outside the sandbox. named (may be NULL): a file of rules, or a directory of such, which comes
 * before those of games. */
int rules_open(
	struct rules_places *p, const char *named, const struct format_automap *f, struct error *e);
/* At most RULES_DIRS_MAX. */
size_t rules_sandbox(const struct rules_places *p, struct sandbox_rule *ret);
/* The rules for an image: those beside the map first (a directory, or -1). The caller frees
 * *ret_file. -ENOENT. */
int rules_find(const struct rules_places *p, int beside, const char *image, struct bytes **ret,
	char **ret_file, struct error *e);
void rules_close(struct rules_places *p);

/* All of a file that is open, which is taken. */
int rules_load(int fd, struct bytes **ret, struct error *e);

#endif
