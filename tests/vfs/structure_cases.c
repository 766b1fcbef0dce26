/* SPDX-License-Identifier: Zlib */
/*
 * Short sequences found by random tests, or similar to these. Each is a script: one step per line
 * with its result (0 if none is given), and finally the content of the map file.
 *
 * The map: images 0_grass.png 1_sky.json 2_moon.png 3.png, sounds 0_wind.opus 1_rain.opus; layers
 * deco, q1 and q2 refer to grass, sky and moon, snd to rain.
 */
#include "support/box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/structure_map.h"

static struct box box;

static int content(const char *word)
{
	if (strncmp(word, "png", 3) == 0)
		return content_png(1, 100 + (unsigned)atoi(word + 3), true);
	if (strcmp(word, "grass") == 0)
		return content_png(2, 11, true);
	if (strcmp(word, "moon") == 0)
		return content_png(1, 22, true);
	if (strncmp(word, "ext", 3) == 0)
		return content_json((unsigned)atoi(word + 3), 3, true);
	if (strncmp(word, "opus", 4) == 0)
		return content_opus(10 + (unsigned)atoi(word + 4));
	return content_text(strcmp(word, "nothing") == 0 ? "" : word);
}

static int put_content(const char *path, const char *word)
{
	const struct bytes *b = content_bytes(content(word));

	return box_put_bytes(&box, path, b->data, b->size);
}

static int refer(const char *layer, const char *stem)
{
	char path[300], text[300]; /* space for any word of a line */

	snprintf(path, sizeof(path), "groups/0_g/layers/%s/layer.json", layer);
	snprintf(text, sizeof(text), "{\"image\": \"%s\"}", stem);
	return box_put(&box, path, text);
}

static int shows(const char *path, const char *word)
{
	const struct bytes *want = content_bytes(content(word));
	struct bytes *got = box_get(&box, path);
	bool yes = bytes_equal_data(got, want->data, want->size);

	bytes_unref(got);
	return yes ? 0 : -EIO;
}

static int run_step(const char *what, const char *a, const char *b)
{
	if (strcmp(what, "put") == 0)
		return put_content(a, b);
	if (strcmp(what, "mv") == 0)
		return box_rename(&box, a, b);
	if (strcmp(what, "rm") == 0)
		return box_unlink(&box, a);
	if (strcmp(what, "mkdir") == 0)
		return box_mkdir(&box, a);
	if (strcmp(what, "rmdir") == 0)
		return box_rmdir(&box, a);
	if (strcmp(what, "refer") == 0)
		return refer(a, b);
	if (strcmp(what, "drop") == 0)
		return box_removexattr(&box, a, "user.mapfs.error");
	if (strcmp(what, "shows") == 0)
		return shows(a, b);
	if (strcmp(what, "none") == 0)
		return box_stat(&box, a, &(struct stat){0}) == -ENOENT ? 0 : -EEXIST;
	if (strcmp(what, "save") == 0)
		return box_sync_root(&box);
	assert_string_equal(what, "kill");
	box_remount(&box);
	return 0;
}

/* Run a line: step, up to two words, and "= errno" if it fails. */
static void run_line(const char *text)
{
	char what[16] = "", a[256] = "", b[256] = "", *at;
	char copy[512];
	int want = 0, got;

	snprintf(copy, sizeof(copy), "%s", text);
	at = strstr(copy, " = ");
	if (at) {
		want = strcmp(at + 3, "EINVAL") == 0  ? -EINVAL
		       : strcmp(at + 3, "EPERM") == 0 ? -EPERM
						      : -atoi(at + 3);
		*at = '\0';
	}
	sscanf(copy, "%15s %255s %255s", what, a, b);
	got = run_step(what, a, b);
	if (got != want)
		fail_msg("\"%s\" returned %d, not %d", text, got, want);
}

static void run_script(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char copy[256];

		snprintf(copy, sizeof(copy), "%.*s", (int)n, text);
		run_line(copy);
		text += n + (text[n] == '\n');
	}
}

/*
 * Check the names of the images, each with its content's word if it changed, and then the
 * references of the layers.
 */
static void check_end(const char *want)
{
	static const struct {
		const char *name, *word;
	} was[] = {{"grass", "grass"}, {"sky", "ext7"}, {"moon", "moon"}};
	static const char *const words[] = {"grass", "moon", "png1", "png2", "ext4"};
	struct bytes *map;
	struct map_content s;
	char text[512] = "";
	size_t n = 0;

	box_end(&box, NULL);
	assert_int_equal(box_count_names(&box, ".mapfs-journal-", NULL), 0);
	map = box_map(&box);
	assert_true(map_is_sound(map) && map_read(map, &s));
	bytes_unref(map);
	for (unsigned i = 0; i < s.n_images; i++) {
		const char *name = s.images[i].name;
		const char *word = NULL;

		for (unsigned k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (s.images[i].content == content(words[k]))
				word = words[k];
		for (unsigned k = 0; k < 3; k++)
			if (strcmp(was[k].name, name) == 0 && word &&
				strcmp(was[k].word, word) == 0)
				word = NULL;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s ", *name ? name : "-",
			word ? "=" : "", word ? word : "");
	}
	for (unsigned i = 0; i < LAYERS - 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? "," : ": ",
			s.refs[i] < 0               ? "none"
			: *s.images[s.refs[i]].name ? s.images[s.refs[i]].name
						    : "-");
	assert_string_equal(text, want);
}

#define CASE(name, steps, end)                                                                     \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		run_script(steps);                                                                 \
		check_end(end);                                                                    \
	}

#define UNCHANGED "grass sky moon - : grass,sky,moon"

CASE(a_removed_file_written_again_with_its_old_content_survives_a_kill,
	"rm images/0_grass.png\n"
	"put images/0_grass.png grass\n"
	"kill",
	UNCHANGED)
CASE(a_removed_file_replaced_by_a_rename_with_its_old_content_survives_a_kill,
	"rm images/0_grass.png\n"
	"put images/t.bak grass\n"
	"mv images/t.bak images/0_grass.png\n"
	"kill",
	UNCHANGED)
#define LONG                                                                                       \
	"a_name_of_more_than_the_127_bytes_that_the_field_of_an_image_takes_so_that_it_cannot_be_" \
	"made_and_no_file_that_there_is_can_get_it"
CASE(a_name_too_long_for_its_field_is_refused_in_create_and_rename,
	"put images/7_" LONG ".png png1 = 36\n"
	"mv images/0_grass.png images/7_" LONG ".png = 36",
	UNCHANGED)
CASE(removing_a_refused_other_form_removes_nothing_else,
	"put images/0_grass.json bad = EINVAL\n"
	"rm images/0_grass.json\n"
	"shows images/0_grass.png grass",
	UNCHANGED)
CASE(a_saved_new_image_that_moves_to_a_backup_name_stays_in_the_map,
	"put images/new.png png1\n"
	"save\n"
	"mv images/new.png images/new.png~",
	"grass sky moon - new=png1 : grass,sky,moon")
CASE(a_saved_renamed_image_that_moves_to_a_backup_name_stays_in_the_map,
	"mv images/0_grass.png images/5_x.png\n"
	"save\n"
	"mv images/5_x.png images/5_x.png~",
	"sky moon - x=grass : x,sky,moon")
CASE(a_refused_rename_over_the_old_path_of_a_renamed_image_changes_nothing,
	"mv images/0_grass.png images/5_x.png\n"
	"put images/t.bak bad\n"
	"mv images/t.bak images/0_grass.png = EPERM",
	"sky moon - x=grass : x,sky,moon")
CASE(renaming_a_refused_other_form_does_not_rename_the_image,
	"put images/0_grass.json bad = EINVAL\n"
	"mv images/0_grass.json images/.x\n"
	"shows images/0_grass.png grass\n"
	"mv images/0_grass.png images/5_x.png",
	"sky moon - x=grass : x,sky,moon")
CASE(a_temporary_file_replaces_a_new_image,
	"put images/new.png png1\n"
	"put images/t.bak png2\n"
	"mv images/t.bak images/new.png",
	"grass sky moon - new=png2 : grass,sky,moon")
CASE(a_temporary_file_replaces_a_renamed_image,
	"mv images/0_grass.png images/5_x.png\n"
	"put images/t.bak png2\n"
	"mv images/t.bak images/5_x.png",
	"sky moon - x=png2 : x,sky,moon")
CASE(an_image_renamed_over_a_new_one_keeps_its_references,
	"put images/new.png png1\n"
	"mv images/0_grass.png images/new.png",
	"sky moon - new=grass : new,sky,moon")
CASE(an_edited_file_that_comes_back_under_a_new_name_is_its_image,
	"mv images/0_grass.png images/t.bak\n"
	"put images/t.bak png2\n"
	"mv images/t.bak images/5_x.png",
	"sky moon - x=png2 : x,sky,moon")
CASE(backup_by_rename_works_at_the_path_of_a_renamed_image,
	"mv images/0_grass.png images/5_x.png\n"
	"mv images/5_x.png images/5_x.png~\n"
	"put images/5_x.png png2",
	"sky moon - x=png2 : x,sky,moon")
CASE(unlink_and_create_works_at_the_path_of_a_renamed_image,
	"mv images/0_grass.png images/5_x.png\n"
	"rm images/5_x.png\n"
	"put images/5_x.png png2",
	"sky moon - x=png2 : x,sky,moon")
CASE(backup_by_rename_works_at_the_path_of_a_renamed_image_and_survives_a_kill,
	"mv images/0_grass.png images/5_x.png\n"
	"mv images/5_x.png images/5_x.png~\n"
	"put images/5_x.png png2\n"
	"kill",
	"sky moon - x=png2 : x,sky,moon")
CASE(the_other_ending_of_a_new_image_is_the_same_image,
	"put images/new.png png1\n"
	"put images/new.json ext4\n"
	"none images/new.png",
	"grass sky moon - new=ext4 : grass,sky,moon")
CASE(a_rename_to_scratch_and_back_survives_a_kill,
	"mv images/0_grass.png images/5_x.png\n"
	"mv images/5_x.png images/t.bak\n"
	"mv images/t.bak images/0_grass.png\n"
	"kill",
	UNCHANGED)
CASE(a_copy_refused_at_its_new_path_keeps_its_bytes,
	"mv images/1_sky.json images/t.bak\n"
	"mv images/t.bak images/0_grass.png = EPERM\n"
	"mv images/t.bak images/1_sky.json",
	UNCHANGED)
CASE(dropping_a_draft_in_the_other_form_keeps_a_moved_image,
	"mv images/1_sky.json images/t.bak\n"
	"put images/1_sky.png bad = EINVAL\n"
	"drop images/1_sky.png\n"
	"none images/1_sky.png\n"
	"save\n"
	"mv images/t.bak images/1_sky.json\n"
	"kill",
	UNCHANGED)
CASE(dropping_a_draft_in_the_other_form_keeps_a_saved_image,
	"put images/new.json ext4\n"
	"save\n"
	"mv images/new.json images/t.bak\n"
	"put images/new.png bad = EINVAL\n"
	"drop images/new.png\n"
	"kill",
	"grass sky moon - new=ext4 : grass,sky,moon")
CASE(dropping_a_draft_in_the_other_form_does_not_restore_a_removed_image,
	"rm images/1_sky.json\n"
	"put images/1_sky.png bad = EINVAL\n"
	"drop images/1_sky.png\n"
	"none images/1_sky.json",
	"grass moon - : grass,none,moon")
CASE(an_image_removed_by_a_save_does_not_come_back_with_a_refused_file,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/0_grass.png bad = EINVAL",
	"sky moon - : none,sky,moon")
CASE(an_image_removed_by_a_save_does_not_come_back_with_a_refused_other_form,
	"rm images/1_sky.json\n"
	"save\n"
	"put images/1_sky.png bad = EINVAL\n"
	"save",
	"grass moon - : grass,none,moon")
CASE(an_image_removed_by_a_save_does_not_come_back_with_a_moved_refused_file,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/0_grass.png bad = EINVAL\n"
	"mv images/0_grass.png images/0_grass.png~",
	"sky moon - : none,sky,moon")
CASE(an_image_removed_by_a_save_does_not_come_back_with_a_dropped_draft,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/0_grass.png bad = EINVAL\n"
	"drop images/0_grass.png\n"
	"none images/0_grass.png",
	"sky moon - : none,sky,moon")
CASE(a_removed_image_written_to_a_backup_name_is_not_in_the_map,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/0_grass.png bad = EINVAL\n"
	"save\n"
	"put images/0_grass.png png1\n"
	"mv images/0_grass.png images/0_grass.png~",
	"sky moon - : none,sky,moon")
CASE(a_directory_is_not_a_form_of_an_image,
	"mkdir images/0_grass.json\n"
	"rmdir images/0_grass.json\n"
	"shows images/0_grass.png grass",
	UNCHANGED)
CASE(a_new_image_that_was_refused_can_be_written_again,
	"put images/new.png nothing\n"
	"put images/new.png png1",
	"grass sky moon - new=png1 : grass,sky,moon")
CASE(a_replacement_of_a_refused_new_image_survives_a_kill,
	"put images/new.png bad = EINVAL\n"
	"put images/t.bak png1\n"
	"mv images/t.bak images/new.png\n"
	"kill",
	"grass sky moon - new=png1 : grass,sky,moon")
CASE(a_replacement_of_a_refused_other_form_survives_a_kill,
	"put images/1_sky.png bad = EINVAL\n"
	"put images/t.bak png1\n"
	"mv images/t.bak images/1_sky.png\n"
	"kill",
	"grass sky=png1 moon - : grass,sky,moon")
CASE(a_refused_new_file_that_was_renamed_over_another_is_gone_after_a_kill,
	"put images/44.png nothing\n"
	"mv images/44.png info/settings.cfg\n"
	"kill\n"
	"none images/44.png",
	UNCHANGED)
CASE(a_new_name_of_digits_survives_a_save_and_a_kill,
	"rm images/3.png\n"
	"save\n"
	"put images/t.bak png1\n"
	"mv images/t.bak images/44.png\n"
	"kill",
	"grass sky moon 44=png1 : grass,sky,moon")
CASE(the_other_form_survives_a_save_and_a_kill,
	"rm images/1_sky.json\n"
	"save\n"
	"put images/2_moon.json ext4\n"
	"kill",
	"grass moon=ext4 - : grass,none,moon")
CASE(a_reference_survives_a_save_and_a_kill,
	"rm images/0_grass.png\n"
	"save\n"
	"refer 2_q1 3\n"
	"kill",
	"sky moon - : none,-,moon")
CASE(a_file_created_and_removed_after_a_save_is_gone_after_a_kill,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/t.bak png1\n"
	"mv images/t.bak images/1_new.png\n"
	"rm images/1_new.png\n"
	"kill",
	"sky moon - : none,sky,moon")
CASE(a_new_image_overwrites_no_other_after_a_save_and_a_kill,
	"rm images/0_grass.png\n"
	"save\n"
	"put images/1_moon.png png1\n"
	"kill\n"
	"save",
	"moon=png1 sky moon - : none,sky,moon")
/* Positions are those of the mount: sky has 1, and stays the second. */
CASE(a_new_image_keeps_its_position_after_a_save_and_a_kill,
	"mv images/2_moon.png images/0_x.png\n"
	"save\n"
	"put images/2_new.png png1\n"
	"kill",
	"x=moon grass sky new=png1 - : grass,sky,x")
CASE(a_moved_image_keeps_its_position_after_a_save_and_a_kill,
	"mv images/2_moon.png images/0_x.png\n"
	"save\n"
	"mv images/3.png images/2_z.png\n"
	"kill",
	"x=moon grass sky z : grass,sky,x")
CASE(an_image_that_returns_keeps_its_position_after_a_save_and_a_kill,
	"mv images/2_moon.png images/0_x.png\n"
	"save\n"
	"mv images/0_x.png images/2_moon.png\n"
	"kill",
	UNCHANGED)
CASE(the_highest_number_precedes_names_without_numbers_after_a_save_and_a_kill,
	"put images/last.png png1\n"
	"save\n"
	"put images/7_new.png png2\n"
	"kill",
	"grass sky moon - new=png2 last=png1 : grass,sky,moon")
CASE(a_moved_new_image_that_comes_back_beside_its_successor_survives_a_kill,
	"put images/y.png png1\n"
	"mv images/y.png images/y.png~\n"
	"put images/y.png png2\n"
	"mv images/y.png~ images/g.png\n"
	"kill\n"
	"shows images/y.png png2\n"
	"shows images/g.png png1",
	"grass sky moon - g=png1 y=png2 : grass,sky,moon")
CASE(a_moved_new_image_that_comes_back_beside_an_image_moved_there_survives_a_kill,
	"put images/y.png png1\n"
	"mv images/y.png images/y.png~\n"
	"mv images/2_moon.png images/y.png\n"
	"mv images/y.png~ images/g.png\n"
	"kill\n"
	"shows images/y.png moon\n"
	"shows images/g.png png1",
	"grass sky - g=png1 y=moon : grass,sky,y")
CASE(a_reference_to_a_new_image_survives_a_backup_by_rename,
	"put images/y.png png1\n"
	"refer 2_q1 y\n"
	"mv images/y.png images/y.png~\n"
	"put images/y.png png2",
	"grass sky moon - y=png2 : grass,y,moon")
CASE(a_new_image_moved_to_a_scratch_name_is_not_in_the_map,
	"put images/new.png png1\n"
	"mv images/new.png images/new.png~\n"
	"put images/new.png bad = EINVAL",
	"grass sky moon - : grass,sky,moon")

CASE(existing_files_can_name_a_renamed_image_by_its_new_name,
	"refer 2_q1 5_x\n"
	"refer 3_q2 5_y\n"
	"mv images/0_grass.png images/5_x.png\n"
	"mv images/5_x.png images/6_y.png\n"
	"refer 2_q1 6_y\n"
	"refer 3_q2 6_y\n"
	"kill\n"
	"drop groups/0_g/layers/3_q2/layer.json = 61",
	"sky moon - y=grass : y,y,y")
/*
 * The saved map calls the image "new". A file at its old path is another image: references use the
 * saved names.
 */
CASE(a_file_at_the_old_path_of_a_saved_rename_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"put images/0_grass.png png1\n"
	"kill",
	"grass=png1 sky moon - new=grass : new,sky,moon")
CASE(another_image_at_the_old_path_of_a_saved_rename_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"mv images/2_moon.png images/0_grass.png\n"
	"kill",
	"grass=moon sky - new=grass : new,sky,grass")
CASE(a_file_renamed_to_the_old_path_of_a_saved_rename_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"put images/.t png1\n"
	"mv images/.t images/0_grass.png\n"
	"kill",
	"grass=png1 sky moon - new=grass : new,sky,moon")
CASE(a_new_file_at_the_old_path_of_a_moved_image_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"mv images/5_new.png images/5_new.png~\n"
	"put images/0_grass.png png1\n"
	"kill",
	"grass=png1 sky moon - new=grass : new,sky,moon")
CASE(a_new_file_at_the_old_path_of_a_removed_image_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"rm images/5_new.png\n"
	"put images/0_grass.json ext4\n"
	"kill",
	"grass=ext4 sky moon - : none,sky,moon")
CASE(a_file_renamed_to_the_old_path_of_a_removed_image_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"rm images/5_new.png\n"
	"put images/.t png1\n"
	"mv images/.t images/0_grass.png\n"
	"kill",
	"grass=png1 sky moon - : none,sky,moon")
CASE(an_external_image_at_the_old_path_of_a_saved_rename_refers_to_the_same_file_after_a_kill,
	"mv images/1_sky.json images/5_new.json\n"
	"save\n"
	"put images/1_sky.json ext4\n"
	"kill",
	"grass sky=ext4 moon - new : grass,new,moon")
CASE(a_rename_back_after_a_saved_rename_survives_a_kill,
	"mv images/0_grass.png images/5_new.png\n"
	"save\n"
	"mv images/5_new.png images/0_grass.png\n"
	"mv images/2_moon.png images/5_new.png\n"
	"kill",
	"grass sky - new=moon : new,sky,none")
/*
 * The save renumbered the objects: the old path that the journal stores has another position in the
 * new map.
 */
CASE(a_file_that_comes_back_after_a_save_survives_a_kill,
	"put images/2_far.png png1\n"
	"mv images/2_moon.png images/.t.png\n"
	"save\n"
	"mv images/.t.png images/2_moon.png\n"
	"kill",
	"grass sky far=png1 moon - : grass,sky,moon")
/* The file was never in the map, and its removal removes nothing else. */
CASE(a_refused_file_at_the_old_path_of_a_rename_can_be_removed,
	"mv images/0_grass.png images/5_new.png\n"
	"put images/0_grass.png bad = EINVAL\n"
	"rm images/0_grass.png",
	"sky moon - new=grass : new,sky,moon")
CASE(a_new_name_is_known_after_a_save_and_a_kill,
	"mv images/0_grass.png images/5_x.png\n"
	"save\n"
	"refer 2_q1 5_x\n"
	"kill",
	"sky moon - x=grass : x,x,moon")
CASE(content_accepted_before_a_refusal_is_saved,
	"put images/0_grass.png png1\n"
	"put images/0_grass.png bad = EINVAL",
	"grass=png1 sky moon - : grass,sky,moon")
CASE(a_new_image_that_was_accepted_before_a_refusal_is_saved,
	"put images/new.png png1\n"
	"put images/new.png bad = EINVAL",
	"grass sky moon - new=png1 : grass,sky,moon")
CASE(a_renamed_image_is_saved_although_its_new_content_is_refused,
	"mv images/0_grass.png images/5_x.png\n"
	"put images/5_x.png bad = EINVAL",
	"sky moon - x=grass : x,sky,moon")
CASE(a_move_that_does_not_change_the_map_survives_a_save,
	"put images/5_new.png png1\n"
	"save\n"
	"mv images/5_new.png images/new.png\n"
	"save\n"
	"shows images/new.png png1\n"
	"none images/5_new.png",
	"grass sky moon - new=png1 : grass,sky,moon")

CASE(a_reference_to_a_removed_object_is_cleared,
	"refer 2_q1 0_grass\n"
	"rm images/0_grass.png\n"
	"kill",
	"sky moon - : none,none,moon")

static int setup(void **state)
{
	(void)state;
	return box_mount_map(&box, structure_map());
}

static int teardown(void **state)
{
	(void)state;
	box_remove(&box);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_removed_file_written_again_with_its_old_content_survives_a_kill),
		TEST(a_removed_file_replaced_by_a_rename_with_its_old_content_survives_a_kill),
		TEST(a_name_too_long_for_its_field_is_refused_in_create_and_rename),
		TEST(removing_a_refused_other_form_removes_nothing_else),
		TEST(a_saved_new_image_that_moves_to_a_backup_name_stays_in_the_map),
		TEST(a_saved_renamed_image_that_moves_to_a_backup_name_stays_in_the_map),
		TEST(a_refused_rename_over_the_old_path_of_a_renamed_image_changes_nothing),
		TEST(renaming_a_refused_other_form_does_not_rename_the_image),
		TEST(a_temporary_file_replaces_a_new_image),
		TEST(a_temporary_file_replaces_a_renamed_image),
		TEST(an_image_renamed_over_a_new_one_keeps_its_references),
		TEST(an_edited_file_that_comes_back_under_a_new_name_is_its_image),
		TEST(backup_by_rename_works_at_the_path_of_a_renamed_image),
		TEST(unlink_and_create_works_at_the_path_of_a_renamed_image),
		TEST(backup_by_rename_works_at_the_path_of_a_renamed_image_and_survives_a_kill),
		TEST(the_other_ending_of_a_new_image_is_the_same_image),
		TEST(a_rename_to_scratch_and_back_survives_a_kill),
		TEST(a_copy_refused_at_its_new_path_keeps_its_bytes),
		TEST(dropping_a_draft_in_the_other_form_keeps_a_moved_image),
		TEST(dropping_a_draft_in_the_other_form_keeps_a_saved_image),
		TEST(dropping_a_draft_in_the_other_form_does_not_restore_a_removed_image),
		TEST(an_image_removed_by_a_save_does_not_come_back_with_a_refused_file),
		TEST(an_image_removed_by_a_save_does_not_come_back_with_a_refused_other_form),
		TEST(an_image_removed_by_a_save_does_not_come_back_with_a_moved_refused_file),
		TEST(an_image_removed_by_a_save_does_not_come_back_with_a_dropped_draft),
		TEST(a_removed_image_written_to_a_backup_name_is_not_in_the_map),
		TEST(a_directory_is_not_a_form_of_an_image),
		TEST(a_new_image_that_was_refused_can_be_written_again),
		TEST(a_replacement_of_a_refused_new_image_survives_a_kill),
		TEST(a_replacement_of_a_refused_other_form_survives_a_kill),
		TEST(a_refused_new_file_that_was_renamed_over_another_is_gone_after_a_kill),
		TEST(a_new_name_of_digits_survives_a_save_and_a_kill),
		TEST(the_other_form_survives_a_save_and_a_kill),
		TEST(a_reference_survives_a_save_and_a_kill),
		TEST(a_file_created_and_removed_after_a_save_is_gone_after_a_kill),
		TEST(a_new_image_overwrites_no_other_after_a_save_and_a_kill),
		TEST(a_moved_new_image_that_comes_back_beside_its_successor_survives_a_kill),
		TEST(a_moved_new_image_that_comes_back_beside_an_image_moved_there_survives_a_kill),
		TEST(a_reference_to_a_new_image_survives_a_backup_by_rename),
		TEST(a_new_image_moved_to_a_scratch_name_is_not_in_the_map),
		TEST(a_new_image_keeps_its_position_after_a_save_and_a_kill),
		TEST(a_moved_image_keeps_its_position_after_a_save_and_a_kill),
		TEST(an_image_that_returns_keeps_its_position_after_a_save_and_a_kill),
		TEST(the_highest_number_precedes_names_without_numbers_after_a_save_and_a_kill),
		TEST(existing_files_can_name_a_renamed_image_by_its_new_name),
		TEST(a_file_at_the_old_path_of_a_saved_rename_survives_a_kill),
		TEST(another_image_at_the_old_path_of_a_saved_rename_survives_a_kill),
		TEST(a_file_renamed_to_the_old_path_of_a_saved_rename_survives_a_kill),
		TEST(a_new_file_at_the_old_path_of_a_moved_image_survives_a_kill),
		TEST(a_new_file_at_the_old_path_of_a_removed_image_survives_a_kill),
		TEST(a_file_renamed_to_the_old_path_of_a_removed_image_survives_a_kill),
		TEST(an_external_image_at_the_old_path_of_a_saved_rename_refers_to_the_same_file_after_a_kill),
		TEST(a_rename_back_after_a_saved_rename_survives_a_kill),
		TEST(a_file_that_comes_back_after_a_save_survives_a_kill),
		TEST(a_refused_file_at_the_old_path_of_a_rename_can_be_removed),
		TEST(a_new_name_is_known_after_a_save_and_a_kill),
		TEST(a_reference_to_a_removed_object_is_cleared),
		TEST(content_accepted_before_a_refusal_is_saved),
		TEST(a_new_image_that_was_accepted_before_a_refusal_is_saved),
		TEST(a_renamed_image_is_saved_although_its_new_content_is_refused),
		TEST(a_move_that_does_not_change_the_map_survives_a_save),
	};

	return cmocka_run_group_tests_name("vfs: structure, cases", tests, NULL, NULL);
}
