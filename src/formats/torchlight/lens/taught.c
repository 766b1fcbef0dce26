/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/lens/taught.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/wire/called.h"

/* An entry of the new archive that is shown by other names than those of the mount. */
struct shown {
	const struct names *names;
	uint32_t entry;
};

struct listing {
	struct shown *shown;
	size_t n, room;
	const struct names *mount;
	struct buffer *out;
};

static int by_names(const void *x, const void *y)
{
	const struct shown *a = x, *b = y;

	return array_order(names_depth(a->names), names_depth(b->names))
		       ?: array_order(a->entry, b->entry);
}

static int find_shown(struct listing *l, const struct tl_map *m, const struct tl_table *t)
{
	for (uint32_t i = 0; i < t->n_rows; i++) {
		CLEANUP(tl_content_unref)
		struct tl_content *c =
			t->rows[i].handle == TL_NONE ? NULL : tl_map_peek(m, t->rows[i].handle);

		if (!c || !c->names || c->names == l->mount)
			continue;
		if (!array_room(l->shown, l->n, l->room))
			return -ENOMEM;
		l->shown[l->n++] = (struct shown){c->names, i};
	}
	if (l->n)
		qsort(l->shown, l->n, sizeof(*l->shown), by_names);
	return 0;
}

static void put_names(struct buffer *out, const struct names *n)
{
	struct str text = names_text(n);

	for (const char *at = text.s, *end; at < text.s + text.n; at = end) {
		end = (const char *)memchr(at, '\n', (size_t)(text.s + text.n - at)) + 1;
		buffer_text(out, "name ");
		buffer_append(out, at, (size_t)(end - at));
	}
}

/* What was taught, the oldest first, each with the files that were written then. */
static int put_all(struct listing *l, const struct names *last)
{
	size_t first = names_depth(l->mount) + 1, n = names_depth(last) - first + 1, k = 0;
	CLEANUP(free) const struct names **versions = calloc(n + 1, sizeof(*versions));

	if (!versions)
		return -ENOMEM;
	for (size_t i = n; i-- > 0; last = names_base(last))
		versions[i] = last;
	for (size_t i = 0; i < n; i++) {
		put_names(l->out, versions[i]);
		while (k < l->n && names_depth(l->shown[k].names) < first + i)
			k++;
		for (; k < l->n && names_depth(l->shown[k].names) == first + i; k++)
			if (l->shown[k].names == versions[i])
				buffer_printf(l->out, "file %u\n", l->shown[k].entry);
	}
	return l->out->error;
}

static int put_taught(const struct tl_map *m, struct buffer *out, struct error *e)
{
	CLEANUP(tl_table_unref) struct tl_table *t = NULL;
	struct listing l = {.out = out};
	struct names *mount;
	int r = tl_mount_names(m, &mount, e);

	l.mount = mount;
	if (r == 0)
		r = tl_table_of(m, &t, e);
	if (r == 0)
		r = find_shown(&l, m, t);
	if (r == 0)
		r = put_all(&l, m->names);
	free(l.shown);
	return r < 0 && !(e && e->code) ? error_set(e, r, "no memory for names") : r;
}

static void put_kit(const struct tl_map *m, struct buffer *out)
{
	buffer_text(out, m->header_written ? "new\n" : "new header\n");
	if (!m->kit)
		return;
	buffer_text(out, "kit ");
	for (size_t i = 0; i < m->kit->size; i++)
		buffer_printf(out, "%02x", m->kit->data[i]);
	buffer_byte(out, '\n');
}

int tl_taught_put(const struct tl_map *m, struct buffer *out, struct error *e)
{
	if (m->shared->fresh)
		put_kit(m, out);
	return m->names ? put_taught(m, out, e) : 0;
}

/* All names of `list`, which is empty then, are known from now on. */
static int learn(struct names **names, struct buffer *list, struct error *e)
{
	struct names *more;
	int r = list->error ? list->error
			    : names_extend(*names, (const char *)list->data, list->size, &more, e);

	buffer_finish_free(list);
	if (r < 0)
		return r;
	names_unref(*names);
	*names = more;
	return 0;
}

static int show_by(struct tl_map *m, const char *number, struct names *names, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_base_content(m->base, (uint32_t)strtoul(number, NULL, 10), &c, e);

	/* What cannot be read is shown by no names. */
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	names_unref(c->names);
	c->names = names_ref(names);
	return 0;
}

static int take_kit(struct tl_map *m, const char *digits, size_t n)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	char pair[3] = "";

	for (size_t i = 0; i + 1 < n; i += 2) {
		memcpy(pair, digits + i, 2);
		buffer_byte(&out, (uint8_t)strtoul(pair, NULL, 16));
	}
	bytes_unref(m->kit);
	m->kit = NULL;
	return buffer_finish(&out, &m->kit);
}

static bool is_line(const char *line, size_t n, const char *what)
{
	return n == strlen(what) && memcmp(line, what, n) == 0;
}

static int take_line(struct tl_map *m, struct names **names, struct buffer *list, const char *line,
	size_t n, struct error *e)
{
	int r;

	if (m->header && (is_line(line, n, "new\n") || is_line(line, n, "new header\n"))) {
		m->header_written = line[3] == '\n';
		tl_header_unref(m->shared->fresh);
		m->shared->fresh = tl_header_ref(m->header);
		return 0;
	}
	if (n > 4 && memcmp(line, "kit ", 4) == 0)
		return take_kit(m, line + 4, n - 5);
	if (n > 5 && memcmp(line, "name ", 5) == 0) {
		buffer_append(list, line + 5, n - 5);
		return 0;
	}
	if (called_is(line, n))
		return 0;
	if (n < 6 || memcmp(line, "file ", 5) != 0)
		return error_set(e, -EINVAL, "the list of names has a line that is none");
	r = list->size ? learn(names, list, e) : 0;
	return r < 0 ? r : show_by(m, line + 5, *names, e);
}

int tl_taught_take(struct tl_map *m, const struct bytes *list, struct error *e)
{
	CLEANUP_BUFFER struct buffer more = BUFFER_INIT;
	struct names *mount;
	const char *at = list ? (const char *)list->data : NULL;
	const char *end = at ? at + list->size : NULL, *next;
	int r = list ? tl_mount_names(m, &mount, e) : 0;

	if (r < 0 || !list)
		return r;
	m->names = names_ref(mount);
	for (; r == 0 && at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (!next++)
			return error_set(e, -EINVAL, "the list of names ends in no line feed");
		r = take_line(m, &m->names, &more, at, (size_t)(next - at), e);
	}
	if (r == 0 && more.size)
		r = learn(&m->names, &more, e);
	return r < 0 && !(e && e->code) ? error_set(e, r, "no memory for names") : r;
}
