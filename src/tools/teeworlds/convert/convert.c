/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/convert/convert.h"

#include <errno.h>

#include "formats/teeworlds/preview/game.h"

static const struct convert_game games[] = {
	[TW_GAME_06] = {"0.6", TW_IMAGES_DDNET},
	[TW_GAME_07] = {"0.7", TW_IMAGES_TEEWORLDS},
	[TW_GAME_DDNET] = {"ddnet", TW_IMAGES_DDNET},
	[TW_GAMES] = {0},
};

static int process_map(struct tw_converting *k, struct error *e)
{
	int r;

	if (!tw_is_typed(k->m))
		return error_set(e, -EINVAL, "no game loads the map: its version item is missing");
	k->from_07 = tw_is_07(k->m);
	k->game = k->to == TW_GAME_DDNET ? "DDNet" : games[k->to].name;
	r = convert_images(k, e);
	if (r == 0)
		r = convert_layers(k, e);
	if (r == 0)
		r = convert_envelopes(k, e);
	if (r == 0)
		convert_ignored(k);
	if (r == 0 && k->change && k->change->error)
		r = error_set(e, k->change->error, "out of memory");
	return r;
}

static void report_refusal(void *arg, const struct format_fault *f)
{
	struct tw_converting *k = arg;

	if (!f->is_warning)
		tw_whole_report(&k->whole, WHOLE_REFUSED, "%s", f->line);
}

/* Check only maps for DDNet, because tw_check refuses a map by the rules of the newest DDNet. */
static int check_result(struct tw_converting *k, const struct snapshot *s, struct error *e)
{
	int r = k->to == TW_GAME_DDNET ? tw_check(NULL, s, report_refusal, k, e) : 0;

	k->refused = r == -EINVAL;
	if (k->refused)
		error_clear(e);
	return k->refused ? 0 : r;
}

static int finish_map(struct tw_converting *k, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *now = snapshot_ref(&k->m->base), *done = NULL;
	bool changed = k->change->result;
	int r = changed ? tw_change_apply(&now, k->change, e) : 0;

	if (r == 0)
		r = tw_whole_finish(&k->whole, tw_map_of(now), &done, e);
	if (r == 0)
		r = check_result(k, done, e);
	if (r == 0 && (changed || k->whole.has_changes))
		*ret = TAKE(done);
	return r;
}

static int convert_map(const struct snapshot *s, const struct convert *how,
	const struct whole_calls *calls, struct snapshot **ret, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(tw_map_of(s));
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tw_converting k = {
		.m = tw_map_of(s), .to = (enum tw_game)how->to, .how = how, .change = c};
	int r = tw_whole_begin(&k.whole, s, calls, e);

	*ret = NULL;
	if (r == 0)
		r = c ? process_map(&k, e) : error_set(e, -ENOMEM, "out of memory");
	if (r == 0 && !k.refused)
		r = finish_map(&k, &done, e);
	if (r == 0 && k.refused)
		r = error_set(
			e, -EINVAL, "not converted: %s cannot use all parts of the map", k.game);
	if (r == 0)
		*ret = TAKE(done);
	tw_whole_end(&k.whole);
	return r;
}

static int check_map(const struct snapshot *s, size_t game,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct tw_faults f = {.m = tw_map_of(s), .report = why, .arg = arg};
	struct tw_converting k = {.m = f.m, .to = (enum tw_game)game, .faults = &f};
	int r = process_map(&k, e);

	return r == 0 && f.out_of_memory ? error_set(e, -ENOMEM, "out of memory") : r;
}

const struct convert_tool tw_convert = {
	.games = games,
	.convert = convert_map,
	.check = check_map,
};
