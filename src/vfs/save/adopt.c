/* SPDX-License-Identifier: Zlib */
/* Continue a volume from the map that a save wrote. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"
#include "vfs/save/save.h"

void report_conflict(struct report *r, const struct volume *vol)
{
	if (!vol->conflict)
		return;
	report_add(r, REPORT_SAVED, "as %s, because %s", vol->name, vol->conflict);
	report_raise_code(r, OUTCOME_CONFLICT);
}

void report_new_map(const struct volume *vol, struct report *report)
{
	if (vol->journal.fresh)
		report_add(report, REPORT_NOTE, "the map is new and empty");
}

void report_set_aside(struct report *r, const char *journal)
{
	if (!journal[0])
		return;
	report_add(r, REPORT_NOTE, "%s holds changes that cannot be replayed (see mapfs recover)",
		journal);
	report_raise_code(r, OUTCOME_PARTIAL);
}

/* Update *st, since the rename changed the ctime. Keep it if size or mtime differ. */
static void refresh_stat(const struct file *f, struct stat *st)
{
	struct stat now;

	if (fstat(f->fd, &now) == 0 && now.st_size == st->st_size &&
		now.st_mtim.tv_sec == st->st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == st->st_mtim.tv_nsec)
		*st = now;
}

/* Swap the volume's file with the save's. The save frees the old file on a worker thread, because
 * closing the last descriptor of an unlinked file makes the kernel free all its blocks. */
static void exchange_files(struct file **mine, struct file **its)
{
	struct file *old = *mine;

	*mine = *its;
	*its = old;
}

void save_adopt(struct save_job *s)
{
	struct volume *vol = s->vol;
	char kept[NAME_MAX + 1];

	if (s->base) {
		assert(vol->change_queue && volume_is_owner(vol));
		snapshot_unref(vol->base);
		vol->base = snapshot_ref(s->base);
	}
	exchange_files(&vol->source.files[0], &s->written.files[0]);
	vol->source.sizes[0] = (uint64_t)s->stat.st_size;
	vol->map_stat = s->stat;
	refresh_stat(vol->source.files[0], &vol->map_stat);
	if (s->written.files[1]) {
		exchange_files(&vol->source.files[1], &s->written.files[1]);
		vol->source.sizes[1] = (uint64_t)s->second_stat.st_size;
		vol->source.n_files = 2;
		vol->companion_stat = s->second_stat;
		refresh_stat(s->vol->source.files[1], &vol->companion_stat);
		strcpy(vol->companion, s->second_name);
	}
	volume_note_attributes(vol);
	memcpy(vol->identity, s->next_journal.identity, sizeof(vol->identity));
	if (strcmp(vol->name, s->name) != 0) {
		char *name = strdup(s->name);

		if (name) {
			free(vol->name);
			vol->name = name;
			vol->source.name = name;
		}
		vol->conflict = external_reason(s->external);
	}
	journal_switch(&vol->journal, &s->next_journal, s->is_unconfirmed, kept);
	report_set_aside(&s->report, kept);
}

void save_job_finish(struct save_job *s)
{
	snapshot_unref(s->base);
	for (int i = 0; i < FORMAT_FILES_MAX; i++)
		file_unref(s->written.files[i]);
	journal_finish(&s->next_journal);
	report_finish(&s->report);
}
