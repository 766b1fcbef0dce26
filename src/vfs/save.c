/* SPDX-License-Identifier: Zlib */
#include "vfs/object.h"
#include "vfs/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { CONFLICTS_MAX = 1000 };
enum { NAMED_MAX = 8 }; /* changed paths that the report names */

static void say(void *arg, const char *line)
{
	report_add(arg, REPORT_NOTE, "%s", line);
}

/* The map to be written: the objects where their files stand. */
static int settle(struct save_job *s, struct error *e)
{
	const struct format *f = s->vol->format;

	if (f->settle)
		return f->settle(
			s->now, s->placements, s->n_placements, &s->settled, say, &s->report, e);
	s->settled = snapshot_ref(s->now);
	return 0;
}

static void check_why(void *arg, const char *line)
{
	report_add(arg, REPORT_REFUSED, "%s", line);
}

static int check(struct save_job *s, struct error *e)
{
	const struct format *f = s->vol->format;

	return f->check ? f->check(s->vol->before, s->settled, check_why, &s->report, e) : 0;
}

/* Did another program put something else where the map was? */
static bool changed_outside(const struct volume *vol)
{
	CLEANUP(file_unref) struct file *f = NULL;
	char identity[IDENTITY_SIZE];
	struct stat st;
	int fd;

	if (fstatat(vol->dirfd, vol->name, &st, 0) < 0)
		return true;
	if (st.st_dev == vol->opened.st_dev && st.st_ino == vol->opened.st_ino &&
		st.st_size == vol->opened.st_size &&
		st.st_mtim.tv_sec == vol->opened.st_mtim.tv_sec &&
		st.st_mtim.tv_nsec == vol->opened.st_mtim.tv_nsec)
		return false;
	/* Copied back, or touched: the same content is no conflict. */
	fd = openat(vol->dirfd, vol->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	f = fd < 0 ? NULL : file_new(fd);
	return !f || identity_of(f, identity, NULL) < 0 || strcmp(identity, vol->identity) != 0;
}

struct progress {
	struct vfs_host *host;
	uint64_t total;
};

static void progress(void *arg, uint64_t written)
{
	struct progress *p = arg;

	p->host->progress(p->host, written, p->total > written ? p->total : written);
}

/* Writes the new file and reads it back; it is not renamed yet. */
static int write_file(struct save_job *s, struct replace *out, struct plan **ret_plan,
	struct source *ret_written, struct error *e)
{
	const struct format *f = s->vol->format;
	struct progress p = {s->host, s->vol->source.sizes[0]};
	struct plan *plan = NULL;
	struct source written = {.n_files = 1, .name = s->vol->name};
	int r;

	replace_on_progress(out, progress, &p);
	r = f->encode(s->settled, &out, false, &plan, e);
	if (r == 0)
		r = replace_close(out, e);
	if (r == 0)
		r = replace_stat(out, &s->stat, e);
	if (r == 0) {
		written.files[0] = replace_file(out);
		written.sizes[0] = (uint64_t)s->stat.st_size;
		r = f->verify(s->settled, plan, &written, e);
		if (r < 0)
			error_context(e, "what was written does not read back");
	}
	if (r < 0) {
		f->plan_free(plan);
		file_unref(written.files[0]);
		return r;
	}
	*ret_plan = plan;
	*ret_written = written;
	return 0;
}

/* The journal of what the new map does not hold; without any, a word in the old one is enough. */
static int write_journal(struct save_job *s, const char *identity, struct error *e)
{
	struct journal *old = &s->vol->journal;
	int r = 0;

	r = journal_init(&s->next, s->vol->dirfd, s->name, identity, old->identity, e);
	s->next.fresh = s->first;
	for (size_t i = 0; r == 0 && i < s->n_drafts; i++)
		r = journal_draft(&s->next, s->drafts[i].path, s->drafts[i].reason,
			&s->drafts[i].content, NULL, e);
	if (r == 0 && s->n_drafts)
		r = journal_sync(&s->next, e);
	/* A word for the case that we are killed before the old one is removed; no more than that,
	 * so that a journal which cannot be written any more does not keep the map from being
	 * saved. */
	if (r == 0)
		(void)journal_saved(old, identity, NULL);
	return r;
}

static void report_saved(struct save_job *s, bool conflict)
{
	const struct volume *vol = s->vol;

	for (size_t i = 0; i < vol->n_changed && i < NAMED_MAX; i++)
		report_add(&s->report, REPORT_SAVED, "%s", vol->changed[i]);
	if (vol->n_changed > NAMED_MAX)
		report_add(&s->report, REPORT_SAVED, "and %zu more", vol->n_changed - NAMED_MAX);
	if (conflict) {
		report_add(&s->report, REPORT_SAVED,
			"as %s, since another program changed %s meanwhile", s->name, vol->name);
		report_code(&s->report, OUTCOME_CONFLICT);
	}
}

/* Where it goes is decided last, so that a change from outside is seen as late as can be. */
static int choose_name(struct save_job *s, struct replace *out, bool *ret_conflict, struct error *e)
{
	const struct volume *vol = s->vol;
	char suffix[64] = ".mapfs-conflict";

	*ret_conflict = changed_outside(vol);
	beside_name(s->name, vol->name, "");
	if (!*ret_conflict)
		return 0;
	/* The journal is named after the file, so the name is chosen before the rename. */
	for (int i = 1; i < CONFLICTS_MAX; i++) {
		beside_name(s->name, vol->name, suffix);
		if (faccessat(vol->dirfd, s->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			break;
		snprintf(suffix, sizeof(suffix), ".mapfs-conflict.%d", i);
	}
	return replace_rename_as(out, s->name, e);
}

/* What was written gets its name; the journals are right before and after. */
static int commit(struct save_job *s, struct replace *out, const struct plan *plan,
	const struct source *written, struct error *e)
{
	const struct format *f = s->vol->format;
	char identity[IDENTITY_SIZE];
	bool conflict = false;
	int r;

	r = identity_of(written->files[0], identity, e);
	if (r == 0)
		r = f->rebase(s->now, plan, written, &s->rebased, e);
	if (r == 0)
		r = f->rebase(s->settled, plan, written, &s->rebased_settled, e);
	if (r == 0)
		r = choose_name(s, out, &conflict, e);
	if (r == 0)
		r = write_journal(s, identity, e);
	if (r == 0)
		r = replace_commit(out, !conflict, s->name, e);
	if (r < 0 && !replace_stands(out)) {
		journal_remove(&s->next, NULL);
		return r;
	}
	/* It may stand although the disk would not confirm it. */
	s->saved = true;
	s->unsure = r < 0;
	s->file = file_ref(written->files[0]);
	report_saved(s, conflict);
	return r;
}

static int save_all(struct save_job *s, struct error *e)
{
	struct volume *vol = s->vol;
	CLEANUP(replace_destroy) struct replace *out = NULL;
	struct source written = {0};
	struct plan *plan = NULL;
	int r;

	r = settle(s, e);
	if (r < 0)
		return r;
	if (vol->format->same && vol->format->same(vol->before, s->settled)) {
		s->same = true;
		return 0;
	}
	r = check(s, e);
	if (r == 0)
		r = replace_begin(vol->dirfd, vol->name, vol->source.files[0]->fd, &out, e);
	if (r == 0)
		r = write_file(s, out, &plan, &written, e);
	if (r < 0)
		return r;
	r = commit(s, out, plan, &written, e);
	vol->format->plan_free(plan);
	file_unref(written.files[0]);
	return r;
}

void save_write(struct save_job *s)
{
	struct error e = ERROR_INIT;

	if (save_all(s, &e) == 0)
		return;
	report_add(&s->report, REPORT_REFUSED, "%s", error_text(&e));
	if (!s->saved)
		report_add(&s->report, REPORT_NOTE,
			"the map is as it was; the changes are kept in the journal beside it");
	report_code(&s->report, OUTCOME_SAVE_FAILED);
}

void save_adopt(struct save_job *s)
{
	struct volume *vol = s->vol;

	snapshot_unref(vol->now);
	vol->now = TAKE(s->rebased);
	snapshot_unref(vol->before);
	vol->before = TAKE(s->rebased_settled);
	file_unref(vol->source.files[0]);
	vol->source.files[0] = TAKE(s->file);
	vol->source.sizes[0] = (uint64_t)s->stat.st_size;
	vol->opened = s->stat;
	memcpy(vol->identity, s->next.identity, sizeof(vol->identity));
	vol->renumbered |= s->n_placements > 0 || (vol->fresh && !s->first);
	vol->fresh &= s->first;
	if (strcmp(vol->name, s->name) != 0) {
		char *name = strdup(s->name);

		if (name) {
			free(vol->name);
			vol->name = name;
			vol->source.name = name;
		}
		vol->conflict = true;
	}
	journal_turn(&vol->journal, &s->next, s->unsure);
	volume_unchanged(vol);
}

void save_job_finish(struct save_job *s)
{
	for (size_t i = 0; i < s->n_drafts; i++) {
		free(s->drafts[i].path);
		free(s->drafts[i].reason);
		extent_finish(&s->drafts[i].content);
	}
	free(s->drafts);
	snapshot_unref(s->now);
	placements_free(s->placements, s->n_placements);
	snapshot_unref(s->settled);
	snapshot_unref(s->rebased);
	snapshot_unref(s->rebased_settled);
	file_unref(s->file);
	journal_finish(&s->next);
	report_finish(&s->report);
}
