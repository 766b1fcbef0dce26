/* SPDX-License-Identifier: Zlib */
/* Stored and shown paths in a finalized archive. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

const char *tl_own_string(struct finalizer *st, char *take)
{
	struct tl_table *t = st->table;

	if (!take || !array_reserve(t->owned, t->n_owned, t->room_owned)) {
		free(take);
		st->error = -ENOMEM;
		return "";
	}
	t->owned[t->n_owned++] = take;
	return take;
}

const char *tl_own_buffer(struct finalizer *st, struct buffer *take)
{
	char *s = take->error ? NULL : str_dup(str_of_buffer(take));

	buffer_finish_free(take);
	return tl_own_string(st, s);
}

void tl_put_stored(struct buffer *out, const char *name, bool keep)
{
	char stored[NAME_MAX + 1];
	size_t n = name_unescape(name, strnlen(name, NAME_MAX), stored);

	for (size_t i = 0; !keep && i < n; i++)
		stored[i] = char_upper(stored[i]);
	buffer_append(out, stored, n);
}

/* A directory that did not move keeps the case of its name. depth ends the recursion if the tree
 * has a cycle, which would be a bug. */
static void put_dir(
	const struct finalizer *st, uint32_t dir, bool shown, struct buffer *out, unsigned depth)
{
	const struct tl_state *s = &st->dirs[dir];
	const struct tree *t = st->sh->tree;
	bool placed = s->outcome == TL_PLACED;
	const char *name;
	uint32_t above;

	if (depth > UINT16_MAX || !tl_dir_parent(st->m, dir, &above, &name))
		return;
	put_dir(st, placed ? s->dir : above, shown, out, depth + 1);
	if (shown)
		buffer_text(out, s->name ? s->name : name);
	else
		tl_put_stored(out, placed ? s->name : name,
			!placed && dir < t->n_dirs && !t->dirs[dir].is_renamed);
	buffer_byte(out, '/');
}

const char *tl_new_path(struct finalizer *st, uint32_t dir, bool shown)
{
	struct buffer b = BUFFER_INIT;

	put_dir(st, dir, shown, &b, 0);
	return tl_own_buffer(st, &b);
}
