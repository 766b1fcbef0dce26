/* SPDX-License-Identifier: Zlib */
#include "formats/format.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/format.h"
#include "formats/torchlight/format.h"
#include "formats/triclon/format.h"

const struct format *const formats[] = {
	&format_triclon, /* by its tag alone, so it may be called .map */
	&format_teeworlds,
	&format_torchlight_mod,
	&format_torchlight_pak,
	NULL,
};

struct snapshot *snapshot_ref(const struct snapshot *s)
{
	struct snapshot *mine = (struct snapshot *)(uintptr_t)s;

	if (mine)
		atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
	return mine;
}

void snapshot_unref(struct snapshot *s)
{
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
		s->format->free(s);
}

const char *format_option(const char *const *options, const char *key)
{
	const char *found = NULL;
	size_t n = strlen(key);

	for (; options && *options; options++) {
		if (strncmp(*options, key, n) != 0)
			continue;
		if ((*options)[n] == '=')
			found = *options + n + 1;
		else if ((*options)[n] == '\0')
			found = "";
	}
	return found;
}

int format_find(const struct source *src, const struct format **ret, struct error *e)
{
	uint8_t head[256];
	size_t n = src->sizes[0] < sizeof(head) ? (size_t)src->sizes[0] : sizeof(head);
	int r;

	r = file_read(src->files[0], 0, head, n, e);
	if (r < 0)
		return r;
	for (size_t i = 0; formats[i]; i++) {
		if (formats[i]->probe(src, head, n)) {
			*ret = formats[i];
			return 0;
		}
	}
	return error_set(e, -EINVAL, "not a map of a known format");
}

void touched_add(struct touched *t, entry_id id)
{
	if (!t || t->all)
		return;
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		entry_id *ids = room > 4096 ? NULL : realloc(t->ids, room * sizeof(*ids));

		if (!ids) {
			t->all = true;
			return;
		}
		t->ids = ids;
		t->room = room;
	}
	t->ids[t->n++] = id;
}

void touched_finish(struct touched *t)
{
	free(t->ids);
	*t = (struct touched){0};
}
