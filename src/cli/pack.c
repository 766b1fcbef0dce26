/* SPDX-License-Identifier: Zlib */
/* mapfs pack: a directory of files becomes a map, or goes onto one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/words.h"
#include "cli/offline/files.h"
#include "cli/offline/offline.h"

struct pack {
	struct offline tree;
	const char *dir;  /* as it was named */
	const char *onto; /* NULL: the map is new */
	const char *format;
	bool exact;
	struct change_save save;
};

static int open_map(struct command *c, struct pack *p, int from)
{
	struct sandbox_rule rule = {from, 0};
	struct stat st;

	if (fstat(from, &st) < 0 || st.st_uid != geteuid())
		rule.flags |= SANDBOX_RIGHTS;
	c->create = c->how.nameless = !p->onto;
	c->format = p->format;
	return command_open(c, p->onto ? p->onto : c->names[1], &rule, 1, &p->tree);
}

/* The name appears with all of the map, or not at all. */
static int give_name(struct pack *p, int code)
{
	struct error e = ERROR_INIT;

	if ((code == OUTCOME_DONE || code == OUTCOME_LEFT) && volume_name(p->tree.vol, &e) < 0) {
		offline_say(&p->tree, "%s", error_text(&e));
		code = e.code == -EEXIST ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (code != OUTCOME_DONE && code != OUTCOME_LEFT)
		volume_discard(p->tree.vol);
	return code;
}

static int run(struct command *c, struct pack *p)
{
	CLEANUP(close_fd) int from = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct files_copied done = {0};
	int r, code;

	if (from < 0) {
		say(stderr, "mapfs: %s: %s", p->dir, strerror(errno));
		return OUTCOME_REFUSED;
	}
	r = open_map(c, p, from);
	if (r < 0 && c->create && p->tree.vol)
		volume_discard(p->tree.vol);
	if (r < 0)
		return (int)command_outcome(r);
	r = files_copy_in(&p->tree, from, p->dir, &done);
	if (r == 0 && p->exact)
		r = files_remove_others(&p->tree, from);
	files_judge_drafts(&p->tree, p->dir, &done);
	if (r < 0)
		offline_say(&p->tree, "%s", strerror(-r));
	if (r == 0 && !done.refused && !done.unread)
		code = (int)change_save(&p->tree, &p->save);
	else
		code = done.refused ? OUTCOME_SAVE_FAILED : OUTCOME_REFUSED;
	if (c->create)
		code = give_name(p, code);
	return code == OUTCOME_DONE && done.left ? OUTCOME_LEFT : code;
}

static int take(struct command *c, struct pack *p, int option)
{
	switch (option) {
	case 'o' + 256:
		p->onto = optarg;
		break;
	case 'e' + 256:
		p->exact = true;
		break;
	case 'f' + 256:
		p->format = optarg;
		if (!words_format_known(optarg))
			c->code = cli_usage("pack: --format=%s is no format", optarg);
		break;
	default:
		p->save.verbose = true;
	}
	return c->code;
}

int cli_pack(int argc, char **argv)
{
	static const struct option long_options[] = {{"exact", no_argument, NULL, 'e' + 256},
		{"format", required_argument, NULL, 'f' + 256},
		{"onto", required_argument, NULL, 'o' + 256}, {"verbose", no_argument, NULL, 'v'},
		COMMAND_LONG_OPTIONS};
	struct pack p = {.save = {.left = true}};
	struct command c;
	int option;

	command_begin(&c, "pack");
	while ((option = command_option(&c, argc, argv, COMMAND_LETTERS "v", long_options)) > 0 &&
		option != '?' && take(&c, &p, option) == 0)
		;
	if (option == -1 && c.n_names != (p.onto ? 1 : 2))
		c.code = cli_usage("pack takes a directory, and a new file or --onto a file");
	else if (option == -1 && p.exact && !p.onto)
		c.code = cli_usage("pack: --exact goes with --onto");
	else if (option == -1) {
		p.dir = c.names[0];
		command_writes(&c);
		c.code = run(&c, &p);
		command_close(&p.tree);
	}
	command_finish(&c);
	return c.code;
}
