/* SPDX-License-Identifier: Zlib */
/* mapfs pack: a directory of files becomes a map, or goes onto one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/say.h"
#include "cli/cli.h"
#include "cli/commands/files.h"
#include "cli/line/command.h"
#include "cli/line/words.h"
#include "tools/index/update.h"
#include "tools/tools.h"
#include "vfs/offline/out.h"
#include "vfs/offline/streams.h"

struct pack {
	struct command command; /* its tree: the map that is there, or is made */
	struct out out;         /* ... where what is unlike has to go first */
	struct offline copy;    /* ... without that */
	const char *dir;        /* as it was named */
	const char *onto;       /* NULL: the map is new */
	const char *format;
	bool exact, index, all;
};

static int open_map(struct pack *p, int from)
{
	struct command *c = &p->command;
	struct sandbox_rule rule = offline_rule(from, 0);

	c->create = c->how.nameless = !p->onto;
	c->format = p->format;
	return command_open(c, p->onto ? p->onto : c->names[1], &rule, 1);
}

/* The name appears with all of the map, or not at all. */
static int give_name(struct pack *p, int code)
{
	struct offline *t = &p->command.tree;
	bool stream = streams_named(t->file);
	struct error e = ERROR_INIT;
	int r = 0;

	if (code == OUTCOME_DONE || code == OUTCOME_LEFT)
		r = stream ? streams_output(t->vol->source.files[0]->fd, &e)
			   : volume_name(t->vol, &e);
	if (r < 0) {
		offline_say(t, "%s", error_text(&e));
		code = r == -EEXIST ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (stream || (code != OUTCOME_DONE && code != OUTCOME_LEFT))
		volume_discard(t->vol);
	return code;
}

/* What files name goes alone first, and is written so: where it stood, new objects can be then. */
static int clear_copy(struct pack *p, const struct unlike *u, struct error *e)
{
	const struct change_save how = {.left = true, .silent = true, .out = &p->out};
	struct offline *t = &p->command.tree;
	enum outcome code;
	int r = unlike_remove(t, u, true);

	if (r < 0)
		return error_set(e, r, "%s", strerror(-r));
	code = change_save(t, &how);
	if (code != OUTCOME_DONE && code != OUTCOME_LEFT)
		return error_set(e, -EINVAL, "it cannot be saved without what has to go first");
	r = out_open(&p->out, &p->copy, t->file, &p->command.how, e);
	return r < 0 ? r : offline_load(&p->copy, e);
}

static int hold(struct pack *p, struct error *e)
{
	p->out.held = &p->command.tree;
	return out_hold(&p->out, p->onto, e);
}

/* What the directory has in another sort makes room. *ret: the tree that is changed then. */
static int make_room(struct pack *p, int from, struct unlike *u, struct offline **ret)
{
	struct offline *t = *ret = &p->command.tree;
	struct error e = ERROR_INIT;
	int r = p->exact ? hold(p, &e) : 0;

	if (r == 0 && p->exact)
		r = unlike_find(t, from, u);
	if (r == 0 && unlike_any(u, true)) {
		r = clear_copy(p, u, &e);
		*ret = &p->copy;
		unlike_finish(u);
		if (r == 0)
			r = unlike_find(&p->copy, from, u);
	}
	if (r == 0)
		r = unlike_remove(*ret, u, false);
	if (r < 0)
		offline_say(t, "%s", e.code ? error_text(&e) : strerror(-r));
	return r;
}

/* The lists of what the new map holds go into it with the rest. */
static int put_indexes(struct pack *p, struct files *f)
{
	struct index_update x = {.tree = f->t, .verbose = p->command.save.verbose};
	struct error e = ERROR_INIT;
	struct overlay_build s;
	int r = overlay_build(f->t->tree, &s, &e);

	if (r == 0) {
		r = index_update_run(&x, s.built.map, &e);
		overlay_build_finish(&s);
	}
	if (r < 0)
		offline_say(f->t, "%s", error_text(&e));
	f->left += x.unread;
	return r == 0 ? OUTCOME_DONE : r == -EOPNOTSUPP ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
}

/* Where a copy was changed, the map becomes that. */
static int save(struct pack *p, struct offline *t)
{
	struct error e = ERROR_INIT;
	int code;

	p->command.save.out = t == &p->copy ? &p->out : NULL;
	code = (int)change_save(t, &p->command.save);
	if (t != &p->copy || (code != OUTCOME_DONE && code != OUTCOME_LEFT) ||
		out_commit(&p->out, &e) == 0)
		return code;
	offline_say(t, "%s", error_text(&e));
	return e.code == -ESTALE ? OUTCOME_CONFLICT : OUTCOME_SAVE_FAILED;
}

static int fill(struct pack *p, int from, struct offline *t, const struct unlike *u)
{
	struct files f = {.t = t,
		.dirfd = from,
		.shown = p->dir,
		.u = u,
		.rules = tools_of(t->vol->format)->pack,
		.all = p->all,
		.held = &p->command.tree};
	int r = files_copy_in(&f), code;

	if (r == 0)
		r = files_tell_replaced(&f);
	if (r == 0 && p->exact)
		r = files_remove_others(&f);
	if (r < 0)
		offline_say(t, "%s", strerror(-r));
	p->command.save.origin = files_origin;
	p->command.save.origin_arg = &f;
	if (p->command.save.skip) {
		f.left += f.refused;
		f.refused = 0;
	}
	if (f.refused || io_is_full(r))
		code = OUTCOME_SAVE_FAILED;
	else if (r < 0 || f.unread)
		code = OUTCOME_REFUSED;
	else
		code = p->index ? put_indexes(p, &f) : OUTCOME_DONE;
	if (code == OUTCOME_DONE)
		code = save(p, t);
	files_finish(&f);
	return code == OUTCOME_DONE && f.left ? OUTCOME_LEFT : code;
}

static int pack(struct pack *p)
{
	CLEANUP(close_fd) int from = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_UNLIKE struct unlike u = {0};
	struct command *c = &p->command;
	struct offline *t;
	int r, code;

	if (from < 0) {
		say(stderr, "mapfs: %s: %s", p->dir, strerror(errno));
		return OUTCOME_REFUSED;
	}
	r = open_map(p, from);
	if (r < 0 && c->create && c->tree.vol)
		volume_discard(c->tree.vol);
	if (r < 0)
		return (int)offline_write_outcome(r);
	r = make_room(p, from, &u, &t);
	code = r < 0 ? OUTCOME_SAVE_FAILED : fill(p, from, t, &u);
	return c->create ? give_name(p, code) : code;
}

static int run(struct command *c)
{
	struct pack *p = (struct pack *)c;
	int code;

	if (p->format && !words_format_known(p->format))
		return cli_usage("pack: --format=%s is no format", p->format);
	if (c->n_names != (p->onto ? 1 : 2))
		return cli_usage("pack takes %s", c->line->takes);
	if (p->format && p->onto)
		return cli_usage("pack: --format goes with a new file");
	if (p->exact && !p->onto)
		return cli_usage("pack: --exact goes with --onto");
	if (!p->onto && streams_named(c->names[1]) && isatty(STDOUT_FILENO))
		return cli_usage("pack: a map is nothing for a terminal: name a file");
	p->dir = c->names[0];
	code = command_writes(c) ? pack(p) : OUTCOME_USAGE;
	offline_close(&p->copy);
	out_finish(&p->out);
	return code;
}

static const struct command_option options[] = {
	{"all", '\0', COMMAND_FLAG, offsetof(struct pack, all)},
	{"exact", '\0', COMMAND_FLAG, offsetof(struct pack, exact)},
	{"format", '\0', COMMAND_TEXT, offsetof(struct pack, format)},
	{"index", '\0', COMMAND_FLAG, offsetof(struct pack, index)},
	{"onto", '\0', COMMAND_TEXT, offsetof(struct pack, onto)},
	{"skip-refused", '\0', COMMAND_FLAG, offsetof(struct command, save.skip)}, COMMAND_VERBOSE,
	{0}};

const struct command_line cli_pack = {.options = options,
	.least = 1,
	.most = 2,
	.takes = "a directory, and a new file or --onto a file",
	.size = sizeof(struct pack),
	.start = &(const struct pack){.out.dirfd = -1, .command.save.left = true},
	.run = run};
