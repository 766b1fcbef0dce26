/* SPDX-License-Identifier: Zlib */
#include "vfs/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/durable/replace.h"

int journal_init(struct journal *j, const struct trust *trust, const char *map,
	const char *identity, const char *previous, struct error *e)
{
	char family[NAME_MAX + 1];

	*j = (struct journal){.dirfd = trust->dirfd, .trust = *trust, .number = 1};
	sidecar_family(family, map);
	j->map = strdup(family);
	if (!j->map)
		return error_set(e, -ENOMEM, "out of memory");
	snprintf(j->identity, sizeof(j->identity), "%s", identity);
	snprintf(j->previous, sizeof(j->previous), "%s", previous);
	pthread_mutex_init(&j->lock, NULL);
	return 0;
}

void journal_finish(struct journal *j)
{
	if (!j->map)
		return;
	reclog_close(j->log);
	free(j->map);
	bytes_unref(j->names);
	pthread_mutex_destroy(&j->lock);
	*j = (struct journal){0};
}

void journal_file(const struct journal *j, char *ret)
{
	char suffix[64], number[16] = "";

	if (j->number > 1)
		snprintf(number, sizeof(number), "-%u", j->number);
	snprintf(suffix, sizeof(suffix), ".mapfs-journal-%s%s", j->identity, number);
	sidecar_name(ret, j->map, suffix);
}

bool journal_is_present(const struct journal *j)
{
	char name[NAME_MAX + 1];

	journal_file(j, name);
	return faccessat(j->dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

enum { ASIDE_MAX = 1000, NUMBER_MAX = 1000 };

int journal_set_aside(const struct journal *j, const char *ending, char *ret, struct error *e)
{
	char name[NAME_MAX + 1], suffix[96], number[16] = "";
	int r = -EEXIST;

	journal_file(j, name);
	for (int i = 1; r == -EEXIST && i < ASIDE_MAX; i++) {
		snprintf(suffix, sizeof(suffix), ".mapfs-journal-%s%s%s", j->identity, ending,
			number);
		sidecar_name(ret, j->map, suffix);
		r = io_rename_noreplace(j->dirfd, name, ret);
		snprintf(number, sizeof(number), ".%d", i);
	}
	return r < 0 ? error_set(e, r, "cannot set %s aside: %s", name, strerror(-r)) : 0;
}

/* Does the log's file still have the journal's name? If not, the file of that name must not be
 * removed or renamed. The lock is held. */
static bool has_name(const struct journal *j)
{
	char name[NAME_MAX + 1];

	journal_file(j, name);
	return !j->unnamed && reclog_has_name(j->log, name);
}

/* Another file has the journal's name. If it is trusted, the next mount would read it instead, so
 * set it aside. Otherwise take the next name. */
static int free_name(struct journal *j, const char *name, struct error *e)
{
	char aside[NAME_MAX + 1];

	if (trust_check_name(&j->trust, name, NULL) != -EPERM)
		return journal_set_aside(j, ".kept", aside, e);
	j->number++;
	return 0;
}

/* Copy the journal to a new file if its file has lost its name. The lock is held. */
static int restore_name(struct journal *j, struct error *e)
{
	char name[NAME_MAX + 1];
	int r = -EEXIST;

	if (!j->log || j->unnamed || has_name(j))
		return 0;
	while (r == -EEXIST && j->number < NUMBER_MAX) {
		error_clear(e);
		journal_file(j, name);
		r = reclog_rewrite(j->log, name, e);
		if (r == -EEXIST && free_name(j, name, e) < 0)
			break;
	}
	if (r == 0)
		j->unsynced = true;
	return r;
}

/* Remove the file, or set it aside, and close the log. The lock is held. */
static int remove_locked(struct journal *j, char *ret_kept, struct error *e)
{
	char name[NAME_MAX + 1], aside[NAME_MAX + 1] = "";
	int r;

	if (j->kept)
		(void)restore_name(j, NULL);
	journal_file(j, name);
	if (!has_name(j)) {
		r = 0;
	} else if (j->kept) {
		/* If it cannot be renamed, it keeps its name. */
		if (journal_set_aside(j, ".kept", aside, e) < 0)
			strcpy(aside, name);
		r = 0;
	} else {
		r = io_unlink(j->dirfd, name);
		if (r < 0)
			error_set(e, r, "cannot remove %s: %s", name, strerror(-r));
	}
	if (ret_kept)
		strcpy(ret_kept, aside);
	reclog_close(TAKE(j->log));
	j->kept = j->resume = false;
	return r;
}

int journal_remove(struct journal *j, char *ret_kept, struct error *e)
{
	int r = 0;

	if (ret_kept)
		ret_kept[0] = '\0';
	pthread_mutex_lock(&j->lock);
	if (j->log) {
		r = remove_locked(j, ret_kept, e);
		j->unsynced = false;
	}
	pthread_mutex_unlock(&j->lock);
	return r;
}

void journal_keep(struct journal *j)
{
	pthread_mutex_lock(&j->lock);
	j->kept = true;
	pthread_mutex_unlock(&j->lock);
}

void journal_switch(struct journal *j, struct journal *next, bool keep, char *ret_kept)
{
	char *map;

	ret_kept[0] = '\0';
	pthread_mutex_lock(&j->lock);
	/* If this fails, the file ends in SAVED, and the next mount removes it. */
	if (j->log && !keep)
		(void)remove_locked(j, ret_kept, NULL);
	reclog_close(TAKE(j->log));
	j->kept = j->resume = false;
	map = j->map;
	j->map = next->map;
	next->map = map;
	memcpy(j->identity, next->identity, sizeof(j->identity));
	memcpy(j->previous, next->previous, sizeof(j->previous));
	j->number = next->number;
	j->log = TAKE(next->log);
	bytes_unref(j->names);
	j->names = TAKE(next->names);
	j->unsynced = atomic_load(&next->unsynced);
	j->fresh = next->fresh;
	pthread_mutex_unlock(&j->lock);
}

/* Set the file aside if the journal is `kept`, and replace or create the file. The lock is held. */
static int replace_locked(struct journal *j, struct reclog *log, char *ret_kept, struct error *e)
{
	char name[NAME_MAX + 1], stem[NAME_MAX + 1];
	int r = restore_name(j, e);

	if (r == 0 && j->kept)
		r = journal_set_aside(j, ".kept", ret_kept, e);
	if (r < 0)
		return r;
	journal_file(j, name);
	replace_stem(j->map, stem);
	return reclog_replace(log, j->dirfd, stem, name, e);
}

int journal_replace(struct journal *j, struct journal *next, char *ret_kept, struct error *e)
{
	int r;

	ret_kept[0] = '\0';
	pthread_mutex_lock(&j->lock);
	r = next->log ? replace_locked(j, next->log, ret_kept, e) : remove_locked(j, ret_kept, e);
	if (r == 0) {
		reclog_close(j->log);
		j->log = TAKE(next->log);
		bytes_unref(j->names);
		j->names = TAKE(next->names);
		j->kept = j->resume = false;
		j->unsynced = true;
	}
	pthread_mutex_unlock(&j->lock);
	return r;
}

static struct extent text_extent(const char *s, bool with_nul)
{
	return extent_of_bytes(bytes_copy(s, strlen(s) + (with_nul ? 1 : 0)));
}

enum { PARTS_MAX = 5 };

/* Append a record of strings, each with its NUL, and content. Without content the last string has
 * no NUL. The lock is held. */
static int append_locked(struct journal *j, enum journal_type type, const char *const *texts,
	size_t n_texts, const struct extent *content, struct extent *ret, struct error *e)
{
	struct extent parts[PARTS_MAX], payload = EXTENT_INIT;
	size_t n = 0;
	uint64_t before = 0;
	int r = 0;

	for (; n < n_texts; n++) {
		parts[n] = text_extent(texts[n], content || n + 1 < n_texts);
		before += parts[n].size;
		if (!parts[n].mem)
			r = error_set(e, -ENOMEM, "out of memory");
	}
	if (content)
		parts[n++] = extent_ref(content);
	if (r == 0)
		r = reclog_append(j->log, type, parts, n, ret ? &payload : NULL, e);
	if (r == 0) {
		j->unsynced = true;
		if (ret) {
			payload.off += before;
			payload.size -= before;
			*ret = payload;
		}
	}
	for (size_t i = 0; i < n; i++)
		extent_finish(&parts[i]);
	return r;
}

static int append_header(struct journal *j, struct error *e)
{
	const char *header[] = {j->map, j->identity, j->previous, j->fresh ? "new" : ""};
	struct extent options = extent_of_bytes(bytes_ref(j->options));
	int r = append_locked(j, JOURNAL_HEADER, header, 4, j->options ? &options : NULL, NULL, e);

	extent_finish(&options);
	if (r == 0)
		j->resume = false;
	return r;
}

/* Create the log under the first name that no untrusted file has. Returns 1 if it opened a log of
 * that name instead, which an interrupted save left and whose records are kept. */
static int create_log(struct journal *j, char name[NAME_MAX + 1], struct error *e)
{
	char aside[NAME_MAX + 1];
	int r = -EPERM;

	if (j->unnamed)
		return reclog_create_unnamed(j->dirfd, &j->log, e);
	for (j->number = 1; j->number < NUMBER_MAX; j->number++) {
		journal_file(j, name);
		r = reclog_create(j->dirfd, name, &j->log, e);
		if (r != -EEXIST)
			return r;
		error_clear(e);
		r = reclog_open(&j->trust, name, &j->log, e);
		if (r == -EINVAL) {
			/* Not a log: power may have failed before its first sync. */
			error_clear(e);
			r = journal_set_aside(j, ".bad", aside, e);
			return r < 0 ? r : reclog_create(j->dirfd, name, &j->log, e);
		}
		if (r != -EPERM)
			return r < 0 ? r : 1;
		error_clear(e);
	}
	return error_set(e, r, "no free name for a journal");
}

/* Create the journal with its header. On failure no file is left. The lock is held. */
static int create_journal(struct journal *j, struct error *e)
{
	char name[NAME_MAX + 1];
	int r;

	j->resume = false;
	r = create_log(j, name, e);
	if (r == 1)
		return 0;
	if (r == 0)
		r = append_header(j, e);
	if (r < 0 && j->log) {
		if (!j->unnamed)
			(void)io_unlink(j->dirfd, name);
		reclog_close(TAKE(j->log));
	}
	return r;
}

static int append_names(struct journal *j, struct error *e)
{
	struct extent text = extent_of_bytes(bytes_ref(j->names));
	int r = append_locked(j, JOURNAL_NAMES, NULL, 0, &text, NULL, e);

	extent_finish(&text);
	if (r == 0)
		bytes_unref(TAKE(j->names));
	return r;
}

void journal_set_names(struct journal *j, struct bytes *names)
{
	pthread_mutex_lock(&j->lock);
	bytes_unref(j->names);
	j->names = names;
	pthread_mutex_unlock(&j->lock);
}

static int append_record(struct journal *j, enum journal_type type, const char *const *texts,
	size_t n_texts, const struct extent *content, struct extent *ret, struct error *e)
{
	int r;

	pthread_mutex_lock(&j->lock);
	r = j->log ? restore_name(j, e) : create_journal(j, e);
	if (r == 0 && j->resume)
		r = append_header(j, e);
	if (r == 0 && j->names)
		r = append_names(j, e);
	if (r == 0)
		r = append_locked(j, type, texts, n_texts, content, ret, e);
	pthread_mutex_unlock(&j->lock);
	return r;
}

int journal_append(
	struct journal *j, const struct journal_op *op, struct extent *ret, struct error *e)
{
	const char *texts[] = {op->path, op->type == JOURNAL_RENAME ? op->to : op->reason};
	bool two = op->type == JOURNAL_RENAME || op->type == JOURNAL_DRAFT;

	return append_record(j, op->type, texts, two ? 2 : 1, op->content, ret, e);
}

int journal_saved(struct journal *j, const char *identity, struct error *e)
{
	return append_record(j, JOURNAL_SAVED, &identity, 1, NULL, NULL, e);
}

int journal_sync(struct journal *j, struct error *e)
{
	int r;

	pthread_mutex_lock(&j->lock);
	r = restore_name(j, e);
	if (r == 0 && j->log && j->unsynced)
		r = reclog_sync(j->log, e);
	if (r == 0)
		j->unsynced = false;
	pthread_mutex_unlock(&j->lock);
	return r;
}

/* Takes no lock: the owner's thread must not wait for a running sync. */
bool journal_unsynced(struct journal *j)
{
	return j->unsynced;
}

bool journal_exists(struct journal *j)
{
	bool yes;

	pthread_mutex_lock(&j->lock);
	yes = j->log;
	pthread_mutex_unlock(&j->lock);
	return yes;
}
