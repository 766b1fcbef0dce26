/* SPDX-License-Identifier: Zlib */
/* The paths of a finalized archive, as they are stored. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

const char *tl_table_own(struct tl_table *t, char *take)
{
	char **owned;

	if (!take)
		return NULL;
	if ((t->n_owned & (t->n_owned - 1)) == 0) {
		owned = realloc(t->owned, (t->n_owned ? 2 * t->n_owned : 1) * sizeof(*owned));
		if (!owned) {
			free(take);
			return NULL;
		}
		t->owned = owned;
	}
	t->owned[t->n_owned++] = take;
	return take;
}

void tl_put_stored(struct buffer *out, const char *name)
{
	char stored[NAME_MAX + 1];
	size_t n = strnlen(name, NAME_MAX);

	n = name_unescape(name, n, stored);
	for (size_t i = 0; i < n; i++)
		if (stored[i] >= 'a' && stored[i] <= 'z')
			stored[i] = (char)(stored[i] - 32);
	buffer_append(out, stored, n);
}

/* A directory of the mount that stays: its name as it is stored, in whichever case. */
static void put_kept(struct buffer *out, const char *name)
{
	char stored[NAME_MAX + 1];
	size_t n = name_unescape(name, strlen(name), stored);

	buffer_append(out, stored, n);
}

/* depth is for a tree that was tied into a loop, which nobody should be able to do. */
static void put_dir(
	struct finalizing *st, uint32_t dir, bool shown, struct buffer *out, unsigned depth)
{
	const struct tl_state *s = &st->dirs[dir];
	const struct tree *t = st->sh->tree;
	const char *name;
	uint32_t above;

	if (depth > UINT16_MAX || !tl_dir_above(st->m, dir, &above, &name))
		return;
	put_dir(st, s->what == TL_PLACED ? s->dir : above, shown, out, depth + 1);
	if (shown)
		buffer_text(out, s->name ? s->name : name);
	else if (s->what == TL_PLACED)
		tl_put_stored(out, s->name);
	else
		(dir < t->n_dirs && !t->dirs[dir].called ? put_kept : tl_put_stored)(out, name);
	buffer_byte(out, '/');
}

const char *tl_table_own_buffer(struct tl_table *t, struct buffer *take)
{
	char *s;

	buffer_byte(take, 0);
	s = take->error ? NULL : strdup((const char *)take->data);
	buffer_finish_free(take);
	return tl_table_own(t, s);
}

const char *tl_finalized_path(struct finalizing *st, uint32_t dir)
{
	struct buffer b = BUFFER_INIT;

	put_dir(st, dir, false, &b, 0);
	return tl_table_own_buffer(st->table, &b);
}

const char *tl_shown_path(struct finalizing *st, uint32_t dir)
{
	struct buffer b = BUFFER_INIT;

	put_dir(st, dir, true, &b, 0);
	return tl_table_own_buffer(st->table, &b);
}
