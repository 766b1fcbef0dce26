/* SPDX-License-Identifier: Zlib */
/*
 * What the tests of this room share: a map file opened as the mounted tree would, its new content
 * kept in memory.
 */
#ifndef TEST_TEEWORLDS_FIXTURE_H
#define TEST_TEEWORLDS_FIXTURE_H

#include "formats/teeworlds/format.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/map.h"

struct fixture {
	struct budget *budget;
	struct store store;
	struct source source;
	struct snapshot *s; /* NULL where the file is refused */
	int dirfd;          /* for spools and written files */
};

/* raw: "ro", "rw" or "off". 0 or the refusal. fixture_close in either case. */
int fixture_open(struct fixture *f, const char *path, const char *raw, struct error *e);
/* The same for a file that encode wrote, open as file (takes the reference). */
int fixture_open_file(
	struct fixture *f, struct file *file, const char *name, const char *raw, struct error *e);
void fixture_close(struct fixture *f);

static inline const struct tw_map *fixture_map(const struct fixture *f)
{
	return tw_map_of(f->s);
}

/* The id of a path below the root, -ENOENT and so on. */
int fixture_find(const struct snapshot *s, const char *path, struct entry *ret);
/* Its size, whatever that takes; and all of it. */
int fixture_size(
	const struct snapshot *s, const struct entry *entry, uint64_t *ret, struct error *e);
int fixture_get(
	const struct snapshot *s, const struct entry *entry, struct bytes **ret, struct error *e);
/* parse and apply to *s. 1: changed, 0: nothing to change, or the refusal. touched may be NULL. */
int fixture_put(struct snapshot **s, entry_id id, const void *data, size_t n,
	struct touched *touched, struct error *e);

/* Calls fn for every file below dir, with its path. */
typedef void (*fixture_visit)(void *arg, const char *path, const struct entry *entry);
int fixture_walk(const struct snapshot *s, entry_id dir, const char *path, fixture_visit fn,
	void *arg, struct error *e);

/* encode, close, verify: the written file, removed from its directory. */
int fixture_encode(const struct fixture *f, const struct snapshot *s, bool force, struct file **ret,
	struct plan **ret_plan, struct error *e);
uint64_t fixture_file_size(const struct file *file);

/* A source over one open file; borrowed. */
struct source fixture_source(struct file *file, const char *name);

#endif
