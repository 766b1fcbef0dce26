/* SPDX-License-Identifier: Zlib */
/* What is written is what it was written from. */
#include <string.h>

#include "laws.h"

static bool same_file(const struct file *a, uint64_t na, const struct file *b, uint64_t nb)
{
	static uint8_t x[65536], y[65536];

	for (uint64_t at = 0; na == nb && at < na; at += sizeof(x)) {
		size_t n = na - at < sizeof(x) ? (size_t)(na - at) : sizeof(x);

		if (file_read(a, at, x, n, NULL) < 0 || file_read(b, at, y, n, NULL) < 0 ||
			memcmp(x, y, n) != 0)
			return false;
	}
	return na == nb;
}

static int write_files(struct run *run, const struct snapshot *s, struct replace **outs, bool force,
	struct source *ret, struct plan **plan, struct error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < (run->pak ? 2 : 1); i++)
		r = replace_begin(run->dirfd, i ? "out.PAK.MAN" : "out", -1, &outs[i], e);
	if (r == 0)
		r = run->f->edit->encode(s, outs, force, plan, e);
	for (int i = 0; r == 0 && i < (run->pak ? 2 : 1); i++) {
		r = replace_close(outs[i], e);
		ret->files[i] = r == 0 ? replace_file(outs[i]) : NULL;
		ret->sizes[i] = replace_written(outs[i]);
		ret->n_files++;
	}
	return r;
}

/* What was written holds, file by file, what it was written from. */
static void compare_written(struct run *run, const struct snapshot *s, const struct source *w)
{
	CLEANUP(snapshot_unref) struct snapshot *again = NULL;
	struct error e = ERROR_INIT;
	uint32_t n = tl_map_of(s)->shared->manifest->n_entries;

	if (run->f->open(w, &run->ctx, &again, &e) < 0) {
		broken(run, "", "the written archive is refused", error_text(&e));
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		CLEANUP(bytes_unref) struct bytes *a = NULL, *b = NULL;

		if (get_all(s, tl_id(TL_FILE, i), &a, NULL) < 0)
			continue;
		if (get_all(again, tl_id(TL_FILE, i), &b, &e) < 0)
			broken(run, "", "a written file", error_text(&e));
		else if (a->size != b->size || (a->size && memcmp(a->data, b->data, a->size) != 0))
			broken(run, "", "a written file", "has other bytes");
	}
}

static void check_rebase(
	struct run *run, const struct snapshot *s, const struct plan *p, const struct source *w)
{
	CLEANUP(snapshot_unref) struct snapshot *now = NULL;
	struct error e = ERROR_INIT;
	uint32_t n = tl_map_of(s)->shared->manifest->n_entries;

	if (run->f->edit->rebase(s, p, w, &now, &e) < 0) {
		broken(run, "", "rebase", error_text(&e));
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		CLEANUP(bytes_unref) struct bytes *a = NULL, *b = NULL;

		if (tl_map_file(tl_map_of(now), i))
			broken(run, "", "rebase", "a file is not read from the written archive");
		if (get_all(s, tl_id(TL_FILE, i), &a, NULL) == 0 &&
			(get_all(now, tl_id(TL_FILE, i), &b, &e) < 0 || a->size != b->size ||
				(a->size && memcmp(a->data, b->data, a->size) != 0)))
			broken(run, "", "rebase", "a file has other bytes");
	}
}

void check_rewrite(struct run *run, const struct snapshot *s, bool force, bool identical)
{
	struct replace *outs[2] = {NULL, NULL};
	struct source w = {.name = run->pak ? "out.PAK" : "out.MOD"};
	struct plan *plan = NULL;
	struct error e = ERROR_INIT;
	int r = write_files(run, s, outs, force, &w, &plan, &e);

	if (r == 0)
		r = run->f->edit->verify(s, plan, &w, &e);
	if (r < 0) {
		broken(run, "", force ? "forced rewrite" : "rewrite", error_text(&e));
	} else {
		compare_written(run, s, &w);
		check_rebase(run, s, plan, &w);
		for (unsigned i = 0; identical && i < w.n_files; i++)
			if (!same_file(w.files[i], w.sizes[i], run->source.files[i],
				    run->source.sizes[i]))
				broken(run, "", force ? "forced rewrite" : "rewrite",
					"differs from the file");
	}
	plan_free(plan);
	for (int i = 0; i < 2; i++) {
		file_unref(w.files[i]);
		replace_destroy(outs[i]);
	}
}
