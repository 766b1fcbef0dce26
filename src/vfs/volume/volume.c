/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/volume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/disk/metadata.h"

static void source_finish(struct source *src)
{
	for (unsigned i = 0; i < src->n_files; i++)
		file_unref(src->files[i]);
	*src = (struct source){0};
}

void volume_destroy(struct volume *vol)
{
	if (!vol)
		return;
	snapshot_unref(vol->base);
	journal_finish(&vol->journal);
	store_finish(&vol->store);
	source_finish(&vol->source);
	free(vol->options);
	bytes_unref(vol->name_options);
	file_unref(vol->context.names_file);
	images_unref(vol->images);
	budget_destroy(vol->budget);
	report_finish(&vol->last_format_report);
	rescue_dir_finish(&vol->rescued);
	free(vol->dropped_path);
	free(vol->name);
	free(vol->final_name);
	if (!vol->sidecars)
		close(vol->dirfd);
	free(vol);
}

void volume_note_dropped(struct volume *vol, const char *path)
{
	if (!vol->dropped_path)
		vol->dropped_path = strdup(path);
}

void volume_refuse_writing(struct volume *vol)
{
	vol->access = VOLUME_READ_ONLY;
	vol->file_mode &= ~(mode_t)0222;
	vol->dir_mode &= ~(mode_t)0222;
}

struct rights volume_rights(const struct stat *map, const struct vfs_options *o, bool read_only)
{
	mode_t none = read_only ? 0222 : 0, file = map->st_mode & 0666;
	/* The right to read includes the right to enter directories. */
	mode_t dir = file | (file & 0444) >> 2;

	return (struct rights){
		.uid = o->have_uid ? o->uid : map->st_uid,
		.gid = o->have_gid ? o->gid : map->st_gid,
		.file_mode = file & ~o->file_mask & ~none,
		.dir_mode = dir & ~o->dir_mask & ~none,
	};
}

int volume_set_file(struct volume *vol, int fd, struct error *e)
{
	file_unref(vol->source.files[0]);
	vol->source.files[0] = file_new(fd);
	if (!vol->source.files[0])
		return error_set(e, -ENOMEM, "out of memory");
	vol->source.n_files = 1;
	vol->source.name = vol->final_name ? vol->final_name : vol->name;
	if (fstat(fd, &vol->map_stat) < 0)
		return error_errno(e, "cannot stat");
	if (!S_ISREG(vol->map_stat.st_mode))
		return error_set(e, -EINVAL, "is not a regular file");
	vol->source.sizes[0] = (uint64_t)vol->map_stat.st_size;
	vol->mtime = vol->map_stat.st_mtim;
	trust_init(&vol->trust, vol->dirfd, &vol->map_stat);
	return 0;
}

const struct format *volume_format_for(const char *name, const char *file)
{
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; formats[i]; i++) {
		if (name && strcmp(formats[i]->name, name) == 0)
			return formats[i];
		for (const char *const *end = formats[i]->extensions; !name && dot && *end; end++)
			if (strcasecmp(*end, dot + 1) == 0)
				return formats[i];
	}
	return NULL;
}

void volume_refuse_changes(struct volume *vol, const struct error *why)
{
	volume_refuse_writing(vol);
	vol->unsound = *why;
	error_context(&vol->unsound, "mounted read-only");
}

void volume_note_state(
	const struct volume *vol, void (*note)(void *arg, const char *line), void *arg)
{
	char line[128];

	if (vol->is_lock_ignored)
		note(arg, "the map is locked by a program other than mapfs; mounted anyway");
	if (vol->access == VOLUME_READ_ONLY || vol->map_stat.st_nlink < 2)
		return;
	snprintf(line, sizeof(line),
		"the map has %ju hard links: a save replaces this one, the others keep the old map",
		(uintmax_t)vol->map_stat.st_nlink);
	note(arg, line);
}

void volume_note_attributes(struct volume *vol)
{
	for (unsigned i = 0; i < vol->source.n_files; i++)
		(void)metadata_checksum(vol->source.files[i]->fd, &vol->attributes[i]);
}
