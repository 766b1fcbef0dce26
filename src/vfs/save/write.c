/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/durable/pair.h"
#include "vfs/files/companion.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/journal.h"
#include "vfs/volume/external.h"
#include "vfs/volume/finish.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"
#include "vfs/save/save.h"

enum { CONFLICTS_MAX = 1000 };

/* Why the content at this path was refused, so that the map has other content there; or NULL. */
static const char *find_refusal(const struct overlay_build *s, const char *at)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct build_output *b = &s->result.outputs[i];
		CLEANUP(free)
		char *path = b->outcome == BUILD_REFUSED ? oentry_path(s->oentries[i]) : NULL;

		if (path && strcmp(path, at) == 0)
			return b->reason;
	}
	return NULL;
}

static void report_fault(void *arg, const struct format_fault *f)
{
	struct save_job *s = arg;
	const char *why = f->is_warning ? NULL : find_refusal(s->build, f->path);

	/* A new map is often a copy of an old one: `mapfs check` reports its old faults. */
	if (f->is_warning && s->vol->journal.fresh)
		return;
	if (f->is_warning)
		report_add(&s->report, REPORT_WARNING, "%s", f->line);
	else if (why)
		report_add(&s->report, REPORT_REFUSED, "%s: %s", f->path, why);
	else
		report_add(&s->report, REPORT_REFUSED, "%s", f->line);
}

static int refuse_in_place(struct save_job *s, struct error *e)
{
	s->external = EXTERNAL_IN_PLACE;
	return error_set(e, -ESTALE,
		"another program overwrote parts of %s that the mount still needs; nothing is "
		"written",
		s->vol->name);
}

int save_check(struct save_job *s, struct error *e)
{
	const struct format_edit *f = s->vol->format->edit;

	if (external_is_in_place(s->vol))
		return refuse_in_place(s, e);
	return f->check ? f->check(s->vol->base, s->map, report_fault, s, e) : 0;
}

/* The files that a save writes. The second is NULL if the map has one file. */
enum { OUTS = FORMAT_FILES_MAX };

struct outs {
	struct replace *all[OUTS];
};

static void outs_finish(struct outs *o)
{
	for (int i = OUTS; i-- > 0;)
		replace_destroy(o->all[i]);
}

struct progress {
	struct vfs_host *host;
	uint64_t total;
};

static void report_progress(void *arg, uint64_t written)
{
	struct progress *p = arg;

	p->host->progress(p->host, "writing", written, p->total > written ? p->total : written);
}

static int begin_files(struct save_job *s, struct outs *o, struct error *e)
{
	const struct volume *vol = s->vol;
	const struct format *f = vol->format;
	int r = replace_begin(vol->dirfd, vol->name, vol->source.files[0]->fd, &o->all[0], e);

	if (r < 0 || !f->companion)
		return r;
	/* A new map has no companion yet: the new one gets the first file's owner and mode. */
	if (vol->companion[0])
		strcpy(s->second_name, vol->companion);
	else if (!f->companion(vol->name, 0, s->second_name))
		return error_set(e, -ENAMETOOLONG, "the name of its second file is too long");
	return replace_begin(vol->dirfd, s->second_name,
		vol->source.files[vol->source.n_files > 1]->fd, &o->all[1], e);
}

static int close_files(struct save_job *s, struct replace *const outs[], struct error *e)
{
	struct stat *stats[OUTS] = {&s->stat, &s->second_stat};
	struct source *w = &s->written;
	int r = 0;

	for (int i = 0; r == 0 && i < OUTS && outs[i]; i++) {
		r = replace_close(outs[i], e);
		if (r < 0)
			break;
		*stats[i] = *replace_stat(outs[i]);
		w->files[i] = replace_file(outs[i]);
		w->compared[i] = replace_compared(outs[i]);
		w->sizes[i] = (uint64_t)stats[i]->st_size;
		w->n_files++;
	}
	return r;
}

int save_encode(struct save_job *s, struct replace *const outs[], struct error *e)
{
	const struct format_edit *edit = s->vol->format->edit;
	struct progress p = {s->host, s->vol->source.sizes[0]};
	CLEANUP(plan_free) struct plan *plan = NULL;
	int r;

	s->written =
		(struct source){.name = s->vol->name, .is_doubtful = external_is_doubtful(s->vol)};
	replace_on_progress(outs[0], report_progress, &p);
	r = edit->encode(s->map, outs, false, &plan, e);
	if (r == 0)
		r = close_files(s, outs, e);
	if (r < 0)
		return r;
	s->host->progress(s->host, "verifying", 0, 0);
	r = edit->verify(s->map, plan, &s->written, e);
	if (r == 0 && s->written.is_doubtful && edit->check_sound)
		r = edit->check_sound(s->map, true, e);
	if (r < 0)
		return error_context(e, "cannot verify the new file"), r;
	s->host->progress(s->host, "syncing", 0, 0);
	for (int i = 0; r == 0 && i < OUTS && outs[i]; i++)
		r = replace_sync(outs[i], e);
	return r;
}

/* Open the written map as the next base, with a name table that keeps the names of this mount. */
static int reopen_saved(struct save_job *s, struct error *e)
{
	const struct format *f = s->vol->format;
	struct format_context ctx = s->vol->context;
	CLEANUP(bytes_unref) struct bytes *names = NULL;
	int r = 0;

	if (s->is_first || s->is_last)
		return 0;
	if (f->tree->names)
		r = f->tree->names(s->map, &names, e);
	ctx.names = names;
	if (r == 0)
		r = f->open(&s->written, &ctx, &s->base, e);
	if (r == 0 && names)
		journal_set_names(&s->next_journal, TAKE(names));
	return r < 0 ? error_context(e, "cannot open the new file"), r : 0;
}

struct writing {
	struct journal *journal;
	struct error *e;
};

static int write_op(void *arg, const struct journal_op *op)
{
	const struct writing *w = arg;

	return journal_append(w->journal, op, NULL, w->e);
}

/* Append the carried-over operations to the next journal. */
static int write_operations(struct save_job *s, struct error *e)
{
	int r = carry_over(s->build, write_op, &(struct writing){&s->next_journal, e});

	if (r == -ENOMEM && e && !e->code)
		error_set(e, r, "out of memory");
	return r;
}

/* Write and sync the next journal with the carried-over operations, and mark the old one SAVED. */
static int write_journal(struct save_job *s, const char *identity, struct error *e)
{
	struct journal *old = &s->vol->journal;
	int r = 0;

	s->next_journal.fresh = s->is_first;
	s->next_journal.unnamed = old->unnamed;
	if (!old->unnamed)
		r = write_operations(s, e);
	if (r == 0)
		r = journal_sync(&s->next_journal, e);
	/* SAVED makes the next mount remove the old journal if we are killed before that. Ignore
	 * errors, so that an unwritable journal does not prevent the save. Omit SAVED if the old
	 * journal has operations that are not in the map. */
	if (r == 0 && !old->kept && journal_exists(old))
		(void)journal_saved(old, identity, NULL);
	return r;
}

static bool is_name_free(const struct save_job *s, const char *name)
{
	return faccessat(s->vol->dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

/* Choose the name of the new file. This is done last, to notice external changes until then. */
static int choose_name(
	struct save_job *s, const struct outs *o, bool *ret_conflict, struct error *e)
{
	const struct volume *vol = s->vol;
	char suffix[64] = ".mapfs-conflict", family[NAME_MAX + 1];
	int r;

	s->external = external_check(vol);
	if (s->external == EXTERNAL_IN_PLACE)
		return refuse_in_place(s, e);
	*ret_conflict = s->external != EXTERNAL_NONE;
	sidecar_name(s->name, vol->name, "");
	if (!*ret_conflict)
		return 0;
	/* Choose the name before the rename, because the new journal's name depends on it. */
	sidecar_family(family, vol->name);
	for (int i = 1; i < CONFLICTS_MAX; i++) {
		sidecar_name(s->name, family, suffix);
		if (o->all[1] && !vol->format->companion(s->name, 0, s->second_name))
			return error_set(e, -ENAMETOOLONG, "no free name for a conflict file");
		if (is_name_free(s, s->name) && (!o->all[1] || is_name_free(s, s->second_name)))
			break;
		snprintf(suffix, sizeof(suffix), ".mapfs-conflict.%d", i);
	}
	r = replace_set_name(o->all[0], s->name, e);
	if (r == 0 && o->all[1])
		r = replace_set_name(o->all[1], s->second_name, e);
	return r;
}

/* Rename the new files into place. The journals are valid before and after the rename. */
static int commit_files(struct save_job *s, const struct outs *o, struct error *e)
{
	char identity[IDENTITY_SIZE];
	bool conflict = false;
	int r;

	r = companion_identity_of(&s->written, identity, e);
	if (r == 0)
		r = choose_name(s, o, &conflict, e);
	if (r == 0)
		r = journal_init(&s->next_journal, &s->vol->trust, s->name, identity,
			s->vol->journal.identity, e);
	s->next_journal.options = s->vol->name_options;
	if (r == 0)
		r = reopen_saved(s, e);
	if (r == 0)
		r = write_journal(s, identity, e);
	if (r == 0 && o->all[1])
		r = pair_commit(o->all[0], o->all[1], s->vol->name, !conflict, e);
	else if (r == 0)
		r = replace_commit(o->all[0], !conflict, s->name, e);
	if (r < 0 && !replace_is_committed(o->all[0])) {
		journal_remove(&s->next_journal, NULL, NULL);
		return r;
	}
	/* The rename may have succeeded although the sync after it failed. */
	s->is_saved = true;
	s->is_unconfirmed = r < 0;
	if (conflict)
		report_raise_code(&s->report, OUTCOME_CONFLICT);
	return r;
}

static int save_all(struct save_job *s, struct error *e)
{
	struct volume *vol = s->vol;
	__attribute__((cleanup(outs_finish))) struct outs outs = {{NULL}};
	int r = finish_own_pair(vol, e);

	if (r < 0)
		return r;
	if (vol->format->edit->same && vol->format->edit->same(vol->base, s->map)) {
		s->is_unchanged = true;
		return 0;
	}
	r = save_check(s, e);
	if (r == 0)
		r = begin_files(s, &outs, e);
	if (r == 0)
		r = save_encode(s, outs.all, e);
	return r < 0 ? r : commit_files(s, &outs, e);
}

static void note_map(struct save_job *s)
{
	const char *what;

	if (s->external == EXTERNAL_IN_PLACE)
		return;
	what = external_reason(external_check(s->vol));
	report_add(&s->report, REPORT_NOTE, "%s", what ? what : "the map is unchanged");
}

static void note_journal(struct save_job *s)
{
	struct journal *j = &s->vol->journal;
	struct error e = ERROR_INIT;

	/* Without a journal no file was closed; changed times are not journaled. */
	if (j->unnamed || !journal_exists(j))
		return;
	if (journal_sync(j, &e) < 0)
		report_add(&s->report, REPORT_NOTE,
			"the changes may be missing from the journal: %s", error_text(&e));
	else
		report_add(&s->report, REPORT_NOTE,
			"the changes are kept in the journal beside the map (see mapfs recover)");
}

void save_failed(struct save_job *s, const struct error *e)
{
	report_add(&s->report, REPORT_REFUSED, "%s", error_text(e));
	s->report.error = e->code;
	if (!s->is_saved) {
		note_map(s);
		note_journal(s);
	}
	report_raise_code(&s->report, OUTCOME_SAVE_FAILED);
}

/* Write the carried-over operations to a new journal of the same map. */
static int replace_journal(struct save_job *s, struct error *e)
{
	struct journal *old = &s->vol->journal;
	struct bytes *names = NULL;
	char kept[NAME_MAX + 1];
	int r = journal_init(
		&s->next_journal, &s->vol->trust, old->map, old->identity, old->previous, e);

	s->next_journal.fresh = old->fresh;
	s->next_journal.unnamed = true;
	s->next_journal.options = old->options;
	if (r == 0)
		r = journal_names(old, &names, e);
	if (names)
		journal_set_names(&s->next_journal, names);
	if (r == 0)
		r = write_operations(s, e);
	if (r == 0)
		r = journal_replace(old, &s->next_journal, kept, e);
	if (r == 0)
		report_set_aside(&s->report, kept);
	return r;
}

void save_reduce_journal(struct save_job *s)
{
	struct error e = ERROR_INIT;

	if (s->vol->journal.unnamed || !has_carried_over(s->build) || !has_completed(s->build) ||
		replace_journal(s, &e) == 0)
		return;
	s->is_unchanged = false;
	save_failed(s, &e);
}

void save_write(struct save_job *s)
{
	struct error e = ERROR_INIT;

	if (save_all(s, &e) < 0)
		save_failed(s, &e);
}
