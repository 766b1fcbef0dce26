/* SPDX-License-Identifier: Zlib */
#include "tools/common/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/disk/io.h"
#include "base/name.h"
#include "base/output.h"
#include "base/print.h"
#include "tools/common/many.h"
#include "vfs/offline/change.h"
#include "vfs/offline/out.h"
#include "vfs/offline/streams.h"

void whole_report(struct whole_map *m, const char *fmt, ...)
{
	bool several = m->whole->in_place || m->whole->folder;
	CLEANUP(free) char *text = NULL, *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	line = text_printf("%s%s%s", several ? m->tree->file : "", several ? ": " : "",
		text ? text : "out of memory");
	buffer_text(&m->report, line ? replace_unprintable(line) : "out of memory");
	buffer_byte(&m->report, '\n');
}

void whole_say(void *arg, enum whole_event what, const char *line)
{
	struct whole_map *m = arg;

	m->is_incomplete |= what == WHOLE_LEFT;
	if (what == WHOLE_DONE)
		whole_report(m, "%s", line);
	else
		offline_print(m->tree, "%s%s", what == WHOLE_LEFT ? "unchanged: " : "", line);
}

void whole_use_images(struct whole *w, const struct images *images)
{
	w->n_extra_rules += images_rules(images, w->extra_rules + w->n_extra_rules);
}

/* A target folder for the maps of a source folder. */
struct folder {
	const char *name; /* its name on the command line; borrowed */
	size_t below;     /* offset of the path within the source folder in a map's name */
	int fd;           /* the caller closes it; -1 if the folder is missing in a dry run */
};

static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 &&
	       (!path[n] || path[n] == '/' || folder[n - 1] == '/');
}

/* Open the target folder, and create it unless dry. Runs outside the sandbox. -EINVAL: it is the
 * source folder or inside it. */
static int folder_open(
	const char *from, const char *to, bool dry, struct folder *ret, struct error *e)
{
	CLEANUP(free) char *in = realpath(from, NULL), *out = NULL;
	size_t n = strlen(from);
	bool made;

	/* many.h drops trailing slashes of a folder, too. */
	while (n > 1 && from[n - 1] == '/')
		n--;
	*ret = (struct folder){.name = to, .below = n + (from[n - 1] != '/'), .fd = -1};
	if (!in)
		return error_errno(e, "%s", from);
	made = !dry && mkdir(to, 0777) == 0;
	if (!dry && !made && errno != EEXIST)
		return error_errno(e, "%s", to);
	out = realpath(to, NULL);
	if (out && is_within(out, in)) {
		if (made)
			(void)rmdir(to);
		return error_set(e, -EINVAL, "%s: is in the source folder (use --in-place)", to);
	}
	ret->fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return ret->fd < 0 && !(dry && errno == ENOENT) ? error_errno(e, "%s", to) : 0;
}

/* Is the map in the target folder missing, or older than the source map? */
static bool folder_lacks(const struct folder *f, const struct offline *t)
{
	const struct timespec *in = &t->vol->map_stat.st_mtim, *out;
	struct stat st;

	if (f->fd < 0 || fstatat(f->fd, t->file + f->below, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return true;
	out = &st.st_mtim;
	return in->tv_sec != out->tv_sec ? in->tv_sec > out->tv_sec : in->tv_nsec > out->tv_nsec;
}

static int make_dir(void *, int dirfd, const char *name, struct error *e)
{
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

/* Like out_begin, for a map in the target folder. Creates missing parent directories. Opens an
 * existing map as ret->existing, and checks its journal. Call out_finish, also on failure. */
static int folder_begin(const struct folder *f, const struct offline *t,
	const struct vfs_options *how, struct out *ret, struct error *e)
{
	char name[NAME_MAX + 1];
	CLEANUP(close_fd)
	int fd = path_open_parent(f->fd, t->file + f->below, make_dir, NULL, name, e);
	struct stat st;
	int r;

	*ret = (struct out){.path = t->file, .dirfd = -1};
	if (fd < 0)
		return fd;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
		strcpy(ret->name, name);
		ret->dirfd = take_fd(&fd);
		return 0;
	}
	r = offline_open_at(&ret->own_existing, fd, name, t->file, how, e);
	if (r < 0)
		return r;
	ret->existing = &ret->own_existing;
	r = out_begin_held(ret, t->file, e);
	return r < 0 ? r : offline_check_journal(ret->existing, e);
}

static void note_outcome(struct whole *w, enum outcome code)
{
	pthread_mutex_lock(&w->lock);
	w->worst = outcome_worse(w->worst, code);
	pthread_mutex_unlock(&w->lock);
}

static enum outcome outcome_of(int r)
{
	return r == -ENOMEM ? OUTCOME_SAVE_FAILED : offline_write_outcome(r);
}

static void print_fault(void *arg, const struct format_fault *f)
{
	offline_print(arg, "%s: %s", f->is_warning ? "warning" : "refused", f->line);
}

/* In a dry run, check the map that `change` made as a save would. */
static enum outcome check_result(struct whole_map *m)
{
	const struct format_edit *edit = m->tree->vol->format->edit;
	struct error e = ERROR_INIT;

	if (!m->map || !edit->check ||
		edit->check(m->tree->vol->base, m->map, print_fault, m->tree, &e) == 0)
		return OUTCOME_DONE;
	offline_print(m->tree, "refused: %s", error_text(&e));
	return OUTCOME_SAVE_FAILED;
}

/* Change a map and save it to out, or in place if out is NULL. On failure nothing is changed, and
 * the report is empty. */
static enum outcome change_map(struct whole_map *m, struct out *out)
{
	struct whole *w = m->whole;
	struct change_save how = {.out = out};
	struct error e = ERROR_INIT;
	enum outcome code = OUTCOME_DONE;
	int r = w->change(m, &e);

	how.map = m->map;
	if (r == 0)
		code = w->dry ? check_result(m) : change_save(m->tree, &how);
	if (r < 0 && e.code)
		offline_print(m->tree, "%s", error_text(&e));
	if (r < 0) {
		code = outcome_of(r);
	}
	if (code != OUTCOME_DONE && code != OUTCOME_PARTIAL)
		buffer_finish_free(&m->report);
	snapshot_unref(TAKE(m->map));
	return m->is_incomplete ? outcome_worse(code, OUTCOME_PARTIAL) : code;
}

/* Change a map and commit the result to out, which messages call `shown`. */
static enum outcome change_to(struct whole_map *m, struct out *out, const char *shown)
{
	enum outcome code;
	struct error e = ERROR_INIT;
	int r = out_check(out, m->tree->vol->format, &e);

	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", shown, error_text(&e));
		return outcome_of(r);
	}
	m->tree->vol->store.store.spool_dirfd = out->dirfd;
	code = change_map(m, out);
	if (code == OUTCOME_DONE || code == OUTCOME_PARTIAL)
		r = out_commit(out, &e);
	if (r == 0)
		return code;
	print_line(stderr, "mapfs: %s: %s", out->path, error_text(&e));
	buffer_finish_free(&m->report);
	return r == -ESTALE ? OUTCOME_CONFLICT : OUTCOME_SAVE_FAILED;
}

/* Change a map into the target folder, unless the result there is up to date. */
static enum outcome change_into(struct whole_map *m, struct folder *f)
{
	struct whole *w = m->whole;
	struct vfs_options writes = w->options;
	struct out out = {.dirfd = -1};
	struct error e = ERROR_INIT;
	CLEANUP(free) char *shown = text_printf("%s/%s", f->name, m->tree->file + f->below);
	enum outcome code;
	int r;

	if (!folder_lacks(f, m->tree))
		return OUTCOME_DONE;
	if (w->dry)
		return change_map(m, NULL);
	writes.read_only = false;
	r = folder_begin(f, m->tree, &writes, &out, &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", shown, error_text(&e));
	code = r < 0 ? outcome_of(r) : change_to(m, &out, shown);
	out_finish(&out);
	return code;
}

static int visit_map(void *arg, struct offline *t, struct buffer *out)
{
	struct whole *w = arg;
	struct whole_map m = {.whole = w, .tree = t, .dirfd = t->vol->dirfd, .report = BUFFER_INIT};

	note_outcome(w, w->folder ? change_into(&m, w->folder)
			: w->out  ? change_to(&m, w->out, w->out->path)
				  : change_map(&m, NULL));
	if (!w->out)
		buffer_append(out, m.report.data, m.report.size);
	else if (streams_named(w->out->path))
		fwrite(m.report.data, 1, m.report.size, stderr);
	else
		output_report_lines(&m.report);
	buffer_finish_free(&m.report);
	return 0;
}

static int report_refused(void *arg, const char *file, const struct error *why, struct buffer *out)
{
	struct whole *w = arg;

	if (w->refused)
		w->refused(w->arg, file, why, out);
	else
		print_line(stderr, "mapfs: %s: %s", file, error_text(why));
	note_outcome(w, offline_write_outcome(why->code));
	return 0;
}

static const char FOLDER_REFUSED[] =
	"is a folder: use --in-place to change its maps, or give a target folder";

static int visit_all(struct whole *w, int n)
{
	struct many m = {.visit = visit_map,
		.on_refused = report_refused,
		.arg = w,
		.options = &w->options,
		.debug = w->debug,
		.writes = !w->dry && !w->out,
		.skips_repeated = true,
		.progress = (w->in_place || w->folder) && isatty(STDERR_FILENO),
		.folder_error = w->in_place || w->folder ? NULL : FOLDER_REFUSED,
		.extra_rules = w->extra_rules,
		.n_extra_rules = w->n_extra_rules};
	int r;

	r = many_visit_all(&m, w->names, n);
	return (int)(r < 0 ? outcome_worse(w->worst, OUTCOME_REFUSED) : w->worst);
}

bool whole_is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int run_to_out(struct whole *w)
{
	struct out out = {.dirfd = -1};
	struct error e = ERROR_INIT;
	int r = out_begin(&out, w->names[1], &w->options, &e), code;

	if (r == 0 && out.existing)
		r = offline_check_journal(out.existing, &e);
	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", w->names[1], error_text(&e));
		code = (int)outcome_of(r);
	} else {
		w->extra_rules[w->n_extra_rules++] = out_rule(&out);
		w->out = &out;
		w->options.read_only = true;
		code = visit_all(w, 1);
	}
	out_finish(&out);
	return code;
}

/* Change the maps of a folder into another one. The sources are only read. */
static int run_to_folder(struct whole *w)
{
	struct error e = ERROR_INIT;
	struct folder folder;
	int r = folder_open(w->names[0], w->names[1], w->dry, &folder, &e), code = OUTCOME_REFUSED;

	if (r < 0) {
		print_line(stderr, "mapfs: %s", error_text(&e));
	} else {
		if (!w->dry)
			w->extra_rules[w->n_extra_rules++] =
				out_rule(&(struct out){.dirfd = folder.fd});
		w->folder = &folder;
		w->options.read_only = true;
		code = visit_all(w, 1);
	}
	close_fd_cleanup(&folder.fd);
	return code;
}

int whole_run(struct whole *w)
{
	bool out = !w->in_place && w->n_names == 2;

	pthread_mutex_init(&w->lock, NULL);
	if (out && whole_is_folder(w->names[0]))
		return run_to_folder(w);
	return out && !w->dry ? run_to_out(w) : visit_all(w, out ? 1 : w->n_names);
}
