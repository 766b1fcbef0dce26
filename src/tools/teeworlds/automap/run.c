/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/automap/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHANCES = 65536 };

/* "triple32inc" of github.com/skeeto/hash-prospector, as in the editor. */
static uint32_t hash_number(uint32_t h)
{
	h++;
	h ^= h >> 17;
	h *= 0xed5ad4bb;
	h ^= h >> 11;
	h *= 0xac4c1b51;
	h ^= h >> 15;
	h *= 0x31848bab;
	return h ^ h >> 14;
}

static uint32_t mix_number(uint32_t h, uint32_t number)
{
	return 31 * h + hash_number(number);
}

/* State of a run. */
struct running {
	const struct tw_auto_grid *layer;
	const struct tw_auto_tile *read; /* tiles that conditions read, of the layer's size */
	bool refers;                     /* `read` is the game layer */
	uint32_t x, y;
	uint32_t mixed_x, mixed_y; /* hashes of x and y */
	uint32_t *chances;         /* by rule: the part of its hash that is equal at all places */
};

static bool place_holds(const struct running *r, const struct tw_rule_place *p)
{
	int64_t x = (int64_t)r->x + p->dx, y = (int64_t)r->y + p->dy;
	const struct tw_auto_tile *tile;

	if (x < 0 || y < 0 || x >= r->layer->w || y >= r->layer->h)
		return p->accepted[TW_OUTSIDE] & 1;
	tile = &r->read[(size_t)y * r->layer->w + (size_t)x];
	return p->accepted[tile->index] >> tw_turn(tile->flags) & 1;
}

static bool modulo_holds(const struct running *r, const struct tw_rule *rule)
{
	size_t i = 0;

	while (i < rule->n_moduli) {
		const struct tw_rule_modulo *m = &rule->moduli[i++];

		if (((int64_t)r->x + m->ox) % m->mx == 0 && ((int64_t)r->y + m->oy) % m->my == 0)
			return true;
	}
	return i == 0;
}

static bool chance_holds(const struct running *r, const struct tw_rule *rule, uint32_t chance)
{
	if (rule->probability >= 1)
		return true;
	chance = 31 * (31 * chance + r->mixed_x) + r->mixed_y;
	chance = hash_number(31 * chance) % CHANCES;
	return (float)chance < CHANCES * rule->probability;
}

static void apply_rules(const struct running *r, const struct tw_rules_run *run)
{
	size_t at = (size_t)r->y * r->layer->w + r->x;
	const struct tw_auto_tile *there = &r->read[at];
	struct tw_auto_tile *tile = &r->layer->tiles[at];

	for (size_t i = 0; i < run->n; i++) {
		const struct tw_rule *rule = &run->rules[i];
		size_t k = 0;

		/* Like the editor, clear tiles where the reference has none. */
		if (r->refers && !there->index && tile->index) {
			*tile = (struct tw_auto_tile){0, rule->flags};
			continue;
		}
		if (!(rule->own[there->index] >> tw_turn(there->flags) & 1))
			continue;
		while (k < rule->n_places && place_holds(r, &rule->places[k]))
			k++;
		if (k == rule->n_places && modulo_holds(r, rule) &&
			chance_holds(r, rule, r->chances[i]))
			*tile = (struct tw_auto_tile){rule->index, rule->flags};
	}
}

/* Copy the tiles that a run reads, if it does not read the layer that it changes. */
static void copy_tiles(const struct tw_auto_grid *layer, const struct tw_auto_reference *reference,
	bool all, struct tw_auto_tile *to)
{
	const struct tw_auto_grid *from = reference ? reference->game : layer;
	uint32_t w = from->w < layer->w ? from->w : layer->w;

	for (uint32_t y = 0; y < from->h && y < layer->h; y++)
		memcpy(to + (size_t)y * layer->w, from->tiles + (size_t)y * from->w,
			w * sizeof(*to));
	if (!reference || all || reference->only == TW_REFERENCE_WHOLE)
		return;
	for (size_t i = 0, n = (size_t)layer->w * layer->h; i < n; i++)
		if (to[i].index != reference->only)
			to[i].index = 0;
}

static int execute_run(const struct tw_rules_run *run, uint32_t begin,
	const struct tw_auto_reference *reference, const struct tw_auto_grid *layer)
{
	CLEANUP(free) struct tw_auto_tile *own = NULL;
	CLEANUP(free) uint32_t *chances = malloc((run->n + 1) * sizeof(*chances));
	struct running r = {
		.layer = layer, .read = layer->tiles, .refers = reference, .chances = chances};

	if (!run->live || reference) {
		own = calloc((size_t)layer->w * layer->h + 1, sizeof(*own));
		if (own)
			copy_tiles(layer, reference, run->live, own);
		r.read = own;
	}
	if (!chances || !r.read)
		return -ENOMEM;
	for (size_t i = 0; i < run->n; i++)
		chances[i] = mix_number(begin, (uint32_t)i);
	for (r.y = 0; r.y < layer->h; r.y++) {
		r.mixed_y = hash_number(r.y);
		for (r.x = 0; r.x < layer->w; r.x++) {
			r.mixed_x = hash_number(r.x);
			apply_rules(&r, run);
		}
	}
	return 0;
}

int tw_rules_run(const struct tw_rules_config *config, uint32_t seed,
	const struct tw_auto_reference *reference, const struct tw_auto_grid *layer)
{
	uint32_t begin = mix_number(1, seed);
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->n; i++)
		r = execute_run(&config->runs[i], mix_number(begin, (uint32_t)i),
			i == 0 ? reference : NULL, layer);
	return r;
}

uint64_t tw_rules_work(const struct tw_rules_config *config, uint32_t w, uint32_t h)
{
	uint64_t each = 0, all;

	for (size_t i = 0; i < config->n; i++)
		for (size_t k = 0; k < config->runs[i].n; k++) {
			const struct tw_rule *rule = &config->runs[i].rules[k];

			each += 1 + rule->n_places + rule->n_moduli;
		}
	return __builtin_mul_overflow(each, (uint64_t)w * h, &all) ? UINT64_MAX : all;
}
