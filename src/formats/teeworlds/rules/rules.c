/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/rules/rules.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/rules/look.h"

/* What DDNet's testers ask of maps. */
static const tw_rule ddnet[] = {tw_rule_info, tw_rule_settings, tw_rule_race, tw_rule_known,
	tw_rule_turned, tw_rule_through, tw_rule_tele, tw_rule_doors, tw_rule_zeros, tw_rule_images,
	tw_rule_unused, tw_rule_layers};

struct rules {
	bool ddnet;
	size_t n;
	struct tw_house **houses; /* NULL-ended */
};

static const char *const names[] = {"ddnet", NULL};

/* Room for one house more. */
static int grow(struct rules **r, struct error *e)
{
	struct tw_house **houses = NULL;

	if (!*r)
		*r = calloc(1, sizeof(**r));
	if (*r)
		houses = realloc((*r)->houses, ((*r)->n + 2) * sizeof(*houses));
	if (!houses)
		return error_set(e, -ENOMEM, "no memory for rules");
	houses[(*r)->n] = houses[(*r)->n + 1] = NULL;
	(*r)->houses = houses;
	return 0;
}

static int add_named(struct rules **r, const char *name, struct error *e)
{
	if (strcmp(name, names[0]) != 0)
		return error_set(e, -ENOENT, "%s: there are no such rules", name);
	if (grow(r, e) < 0)
		return -ENOMEM;
	(*r)->ddnet = true;
	return 0;
}

static int add_file(struct rules **r, const struct extent *in, struct error *e)
{
	int wrong = grow(r, e);

	if (wrong == 0)
		wrong = tw_house_read(in, &(*r)->houses[(*r)->n], e);
	if (wrong == 0)
		(*r)->n++;
	return wrong;
}

static void free_rules(struct rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		tw_house_free(r->houses[i]);
	free(r->houses);
	free(r);
}

static int check(const struct snapshot *s, const struct rules *r,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct tw_faults f = {.m = tw_map_of(s), .why = why, .arg = arg};
	CLEANUP(free) struct tw_physics *physics = calloc(1, sizeof(*physics));
	struct tw_look look = {f.m, &f, physics, (const struct tw_house *const *)r->houses};
	int wrong = physics ? 0 : error_set(e, -ENOMEM, "no memory to check the map");

	if (physics && tw_is_typed(f.m))
		wrong = tw_physics_take(f.m, physics, e);
	if (wrong == 0 && tw_is_typed(f.m)) {
		for (size_t i = 0; r->ddnet && i < sizeof(ddnet) / sizeof(ddnet[0]); i++)
			ddnet[i](&look);
		for (size_t i = 0; i < r->n; i++)
			tw_rule_house(&look, r->houses[i]);
		if (f.failed)
			wrong = error_set(e, -ENOMEM, "no memory to check the map");
	}
	if (physics)
		tw_physics_finish(physics);
	return wrong;
}

const struct format_rules tw_rules = {
	.names = names,
	.add_named = add_named,
	.add_file = add_file,
	.free = free_rules,
	.check = check,
};
