/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/edit/edit.h"

#include <string.h>

static int perform(struct editing *ed, struct error *e)
{
	static int (*const functions[])(struct editing * ed, struct error * e) = {
		[EDIT_REPLACE] = edit_cells,
		[EDIT_FILL] = edit_cells,
		[EDIT_CLEAR] = edit_cells,
		[EDIT_AREA] = edit_area,
		[EDIT_CROP] = edit_move,
		[EDIT_EXTEND] = edit_move,
		[EDIT_SHIFT] = edit_move,
		[EDIT_GAMETILES] = edit_gametiles,
	};
	CLEANUP(free) char *note = NULL;
	int r;

	ed->has_effect = false;
	r = functions[ed->operation->kind](ed, e);
	if (r < 0)
		return error_context(e, "%s", ed->operation->text), r;
	if (ed->has_effect)
		return 0;
	note = text_printf("%s: nothing to do", ed->operation->text);
	ed->how->say(ed->how->arg, EDIT_NOTE, NULL, note ? note : "out of memory");
	return 0;
}

static void say_changes(const struct edit *how, const char *path, struct buffer *changes)
{
	if (!changes->size)
		return;
	buffer_byte(changes, '\0');
	how->say(how->arg, EDIT_CHANGED, path,
		changes->error ? "out of memory" : (const char *)changes->data);
}

static void report_changes(const struct edit *how, struct edit_model *model)
{
	char path[TW_PATH_MAX + 16];

	for (uint32_t i = 0; i < model->n_groups; i++) {
		tw_path_group(model->m, model->groups[i].item, path);
		strcat(path, "/group.json");
		say_changes(how, path, &model->groups[i].changes);
	}
	for (uint32_t i = 0; i < model->n_layers; i++)
		say_changes(how, model->layers[i].path, &model->layers[i].changes);
}

static int edit_map(
	const struct snapshot *s, const struct edit *how, struct snapshot **ret, struct error *e)
{
	struct editing ed = {.how = how};
	bool had_effect = false;
	int r = edit_model_open(&ed.model, tw_map_of(s), how->layers, e);

	*ret = NULL;
	for (size_t i = 0; r == 0 && i < how->n; i++) {
		ed.operation = &how->operations[i];
		r = perform(&ed, e);
		had_effect |= ed.has_effect;
	}
	if (r == 0)
		r = edit_model_apply(&ed.model, ret, e);
	if (r == 0)
		report_changes(how, &ed.model);
	if (r == 0 && !*ret && had_effect)
		how->say(how->arg, EDIT_NOTE, NULL, "the map does not change");
	edit_model_finish(&ed.model);
	return r;
}

const struct edit_tool tw_edit = {.edit = edit_map};
