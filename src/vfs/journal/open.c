/* SPDX-License-Identifier: Zlib */
/* Find and open the journal that fits a map. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/disk/io.h"
#include "vfs/journal/journal.h"
#include "vfs/journal/read.h"

struct finding {
	struct journal *journal;
	void (*note)(void *arg, const char *line);
	void *arg;
	char *ours;      /* the first trusted file that fits */
	unsigned number; /* highest number of a file that fits by its name */
	char **others;   /* all other trusted journals */
	size_t n_others;
};

static void note_untrusted(const struct finding *f, const char *file, const struct error *why)
{
	char line[NAME_MAX + 256];

	snprintf(line, sizeof(line), "%s is not used: it %s", file, error_text(why));
	f->note(f->arg, line);
}

static int classify_file(void *arg, const char *file)
{
	struct finding *f = arg;
	struct journal *j = f->journal;
	struct error why = ERROR_INIT;
	unsigned number = journal_is_of(file, j->identity);
	char **others;

	f->number = number > f->number ? number : f->number;
	if (trust_check_name(&j->trust, file, &why) < 0) {
		note_untrusted(f, file, &why);
		return 0;
	}
	if (number && !f->ours) {
		j->number = number;
		f->ours = strdup(file);
		return f->ours ? 0 : -ENOMEM;
	}
	others = realloc(f->others, (f->n_others + 1) * sizeof(*others));
	if (!others)
		return -ENOMEM;
	f->others = others;
	others[f->n_others] = strdup(file);
	return others[f->n_others++] ? 0 : -ENOMEM;
}

/* Look for files that were created after the directory was read (sidecar_cache.h caches it). */
static int find_recent(struct finding *f)
{
	struct journal *j = f->journal;
	char file[NAME_MAX + 1];
	int r = 0;

	while (r == 0 && !f->ours) {
		j->number = f->number + 1;
		if (!journal_is_present(j))
			break;
		journal_file(j, file);
		r = classify_file(f, file);
	}
	if (!f->ours)
		j->number = 1;
	return r;
}

static void finding_finish(struct finding *f)
{
	free(f->ours);
	for (size_t i = 0; i < f->n_others; i++)
		free(f->others[i]);
	free(f->others);
}

/*
 * Is everything in this journal also in the map, or in the journal that fits it? An interrupted
 * save leaves such a file. If it was interrupted after its rename, that is the previous journal,
 * which ends in SAVED; before the rename, the next journal, which has only copies of refused
 * contents.
 */
static bool is_leftover(const struct finding *f, const char *file)
{
	struct journal_record rec;
	CLEANUP(reclog_close) struct reclog *log = NULL;
	const char *ours = f->journal->identity;
	struct reclog_pos pos = {0};
	bool torn = false, saved = false, next = false, own = false;

	if (journal_is_set_aside(file))
		return false;
	if (reclog_open_readonly(f->journal->dirfd, file, &log, NULL) < 0)
		return false; /* keep unreadable files */
	while (journal_record_next(log, &pos, &rec, &torn, NULL) > 0) {
		saved = rec.type == JOURNAL_SAVED && !rec.damaged &&
			strcmp(rec.texts[0], ours) == 0;
		if (rec.damaged || !rec.type)
			own = true;
		else if (rec.type == JOURNAL_HEADER)
			next = f->ours && strcmp(rec.texts[2], ours) == 0;
		else if (rec.type != JOURNAL_DRAFT && rec.type != JOURNAL_NAMES)
			own = true;
		journal_record_finish(&rec);
	}
	return saved || (next && !own);
}

/* Rename a file that is not a record log but has the name of the journal. */
static int set_bad_aside(struct journal *j, const char *file,
	void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	char name[NAME_MAX + 1], line[2 * NAME_MAX + 64];
	int r = journal_set_aside(j, ".bad", name, e);

	if (r < 0)
		return r;
	snprintf(line, sizeof(line), "%s is not a journal; renamed to %s (see mapfs recover)", file,
		name);
	note(arg, line);
	return 0;
}

static bool has_new_header(struct reclog *log)
{
	struct journal_record rec;
	struct reclog_pos pos = {0};
	bool torn, found = false, fresh = false;

	/* Use the first readable header. */
	while (!found && journal_record_next(log, &pos, &rec, &torn, NULL) > 0) {
		found = rec.type == JOURNAL_HEADER && !rec.damaged;
		fresh = found && strcmp(rec.texts[3], "new") == 0;
		journal_record_finish(&rec);
	}
	return fresh;
}

/* Open the journal that fits. */
static int open_fitting(struct finding *f, struct error *e)
{
	struct journal *j = f->journal;
	int r = reclog_open(&j->trust, f->ours, &j->log, e);

	if (r == -EINVAL)
		return set_bad_aside(j, f->ours, f->note, f->arg, e);
	if (r == 0)
		j->fresh |= has_new_header(j->log);
	return r;
}

int journal_open(struct journal *j, struct sidecar_cache *sidecars,
	void (*note)(void *arg, const char *line), void *arg, struct error *e)
{
	struct finding f = {.journal = j, .note = note, .arg = arg};
	char line[NAME_MAX + 128];
	int r;

	r = journal_each_sidecar(sidecars, j->map, classify_file, &f, e);
	if (r == 0)
		r = find_recent(&f);
	if (r == -ENOMEM)
		error_set(e, r, "out of memory");
	for (size_t i = 0; r == 0 && i < f.n_others; i++) {
		if (is_leftover(&f, f.others[i])) {
			(void)io_unlink(j->dirfd, f.others[i]);
			continue;
		}
		snprintf(line, sizeof(line), "%s %s and is kept (see mapfs recover)", f.others[i],
			journal_is_set_aside(f.others[i])
				? "was set aside"
				: "belongs to another version of the map");
		note(arg, line);
	}
	if (r == 0 && f.ours)
		r = open_fitting(&f, e);
	finding_finish(&f);
	return r;
}

enum { TEXT_MAX = 64 << 20 };

/* Load the content of the first undamaged record of a type. */
static int read_content(
	struct journal *j, enum journal_type type, struct bytes **ret, struct error *e)
{
	struct journal_record rec;
	struct reclog_pos pos = {0};
	bool torn, found = false;
	int r = 0;

	while (j->log && !found && r == 0 &&
		journal_record_next(j->log, &pos, &rec, &torn, NULL) > 0) {
		found = rec.type == type && !rec.damaged;
		if (found)
			r = extent_load(&rec.content, TEXT_MAX, ret, e);
		journal_record_finish(&rec);
	}
	return r;
}

int journal_names(struct journal *j, struct bytes **ret, struct error *e)
{
	return read_content(j, JOURNAL_NAMES, ret, e);
}

int journal_options(struct journal *j, struct bytes **ret, struct error *e)
{
	return read_content(j, JOURNAL_HEADER, ret, e);
}
