/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "tools/teeworlds/rules/look.h"

/* Requirements of DDNet's testers. */
static const tw_rule ddnet[] = {tw_rule_info, tw_rule_settings, tw_rule_race, tw_rule_tiles,
	tw_rule_through, tw_rule_tele, tw_rule_doors, tw_rule_zeros, tw_rule_images, tw_rule_unused,
	tw_rule_layers};

struct rules {
	bool ddnet;
	struct tw_house *houses;
};

static int create_rules(struct rules **r, struct error *e)
{
	if (!*r)
		*r = calloc(1, sizeof(**r));
	return *r ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int add_named(struct rules **r, const char *name, struct error *e)
{
	if (strcmp(name, "ddnet") != 0)
		return error_set(e, -ENOENT, "no rules of this name (such as ddnet)");
	if (create_rules(r, e) < 0)
		return -ENOMEM;
	(*r)->ddnet = true;
	return 0;
}

static int add_file(struct rules **r, const struct extent *in, struct error *e)
{
	int wrong = create_rules(r, e);
	struct tw_house **last;

	if (wrong < 0)
		return wrong;
	for (last = &(*r)->houses; *last; last = &(*last)->next)
		;
	return tw_house_read(in, last, e);
}

static void free_rules(struct rules *r)
{
	struct tw_house *h;

	while (r && (h = r->houses)) {
		r->houses = h->next;
		tw_house_free(h);
	}
	free(r);
}

static int check_map(const struct snapshot *s, const struct rules *r,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct tw_faults f = {.m = tw_map_of(s), .report = why, .arg = arg};
	CLEANUP(free) struct tw_physics *physics = calloc(1, sizeof(*physics));
	struct tw_look look = {f.m, &f, physics, r->houses};
	int wrong = physics ? 0 : error_set(e, -ENOMEM, "out of memory");

	if (physics && tw_is_typed(f.m))
		wrong = tw_physics_count(f.m, physics, e);
	if (wrong == 0 && tw_is_typed(f.m)) {
		for (size_t i = 0; r->ddnet && i < sizeof(ddnet) / sizeof(ddnet[0]); i++)
			ddnet[i](&look);
		for (const struct tw_house *h = r->houses; h; h = h->next)
			tw_rule_house(&look, h);
		if (f.out_of_memory)
			wrong = error_set(e, -ENOMEM, "out of memory");
	}
	if (physics)
		tw_physics_finish(physics);
	return wrong;
}

const struct rules_tool tw_rules = {
	.add_named = add_named,
	.add_file = add_file,
	.free = free_rules,
	.check = check_map,
};
