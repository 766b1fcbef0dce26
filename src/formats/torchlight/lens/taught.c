/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/lens/taught.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/lens/view.h"
#include "formats/torchlight/wire/called.h"

/* A version of the dictionary, and the lines of the files that are shown by it. */
struct version {
	const struct names *names;
	struct buffer files;
};

static void put_names(struct buffer *out, const struct names *n)
{
	struct str rest = names_text(n);

	while (rest.n) {
		buffer_text(out, "name ");
		buffer_str(out, str_cut(&rest, '\n'));
		buffer_byte(out, '\n');
	}
}

/* List the entries of the new archive that are shown by taught names. */
static void list_files(const struct tl_map *m, size_t mount, struct version *versions)
{
	const struct manifest *t = tl_manifest(m);

	for (uint32_t i = 0; i < t->n_entries; i++) {
		CLEANUP(tl_content_unref)
		struct tl_content *c = tl_map_peek(m, t->entries[i].handle);
		size_t depth = c && c->names ? names_depth(c->names) : 0;

		if (depth > mount)
			buffer_printf(&versions[depth - mount - 1].files, "file %u\n", i);
	}
}

static int put_taught(const struct tl_map *m, struct buffer *out, struct error *e)
{
	CLEANUP(free) struct version *versions = NULL;
	const struct names *last = m->names;
	struct names *names;
	size_t mount, n;
	int r = tl_mount_names(m, &names, e);

	if (r < 0)
		return r;
	mount = names_depth(names);
	n = names_depth(last) - mount;
	versions = calloc(n + 1, sizeof(*versions));
	if (!versions)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = n; i-- > 0; last = names_base(last))
		versions[i].names = last;
	list_files(m, mount, versions);
	for (size_t i = 0; i < n; i++) {
		struct buffer *files = &versions[i].files;

		put_names(out, versions[i].names);
		buffer_str(out, str_of_buffer(files));
		if (files->error)
			out->error = files->error;
		buffer_finish_free(files);
	}
	return 0;
}

int tl_taught_put(const struct tl_map *m, struct buffer *out, struct error *e)
{
	if (m->shared->fresh)
		buffer_text(out, m->header_written ? "new\n" : "new header\n");
	if (m->shared->fresh && m->kit) {
		buffer_text(out, "kit ");
		buffer_hex(out, m->kit->data, m->kit->size);
		buffer_byte(out, '\n');
	}
	return m->names ? put_taught(m, out, e) : 0;
}

/* Add the names of `list` to m's dictionary, and empty the list. */
static int learn_names(struct tl_map *m, struct buffer *list, struct error *e)
{
	int r = list->error;

	if (r == 0 && list->size)
		r = tl_names_add(&m->names, list->data, list->size, e);
	list->size = 0;
	return r;
}

static int set_shown_names(struct tl_map *m, const char *number, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_stored(m->shared, (uint32_t)strtoul(number, NULL, 10), &c, e);

	/* A file that cannot be read is shown as bytes. */
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	names_unref(c->names);
	c->names = names_ref(m->names);
	return 0;
}

/* Does the line begin with the word? Then remove the word. */
static bool skip_prefix(struct str *line, struct str word)
{
	if (line->n < word.n || memcmp(line->s, word.s, word.n) != 0)
		return false;
	*line = (struct str){line->s + word.n, line->n - word.n};
	return true;
}

static int take_line(struct tl_map *m, struct buffer *list, struct str line, struct error *e)
{
	CLEANUP_BUFFER struct buffer kit = BUFFER_INIT;
	int r;

	if (skip_prefix(&line, STR("name "))) {
		buffer_str(list, line);
		buffer_byte(list, '\n');
		return 0;
	}
	if (skip_prefix(&line, STR("file "))) {
		r = learn_names(m, list, e);
		return r < 0 ? r : set_shown_names(m, line.s, e);
	}
	if (skip_prefix(&line, STR("kit ")) && hex_read(line, &kit)) {
		bytes_unref(TAKE(m->kit));
		return buffer_finish(&kit, &m->kit);
	}
	if (m->header && (str_equal(line, STR("new")) || str_equal(line, STR("new header")))) {
		m->header_written = line.n == 3;
		modheader_unref(m->shared->fresh);
		m->shared->fresh = modheader_ref(m->header);
		return 0;
	}
	return called_is(line.s, line.n)
		       ? 0
		       : error_set(e, -EINVAL, "the list of names has an invalid line");
}

int tl_taught_take(struct tl_map *m, const struct bytes *list, struct error *e)
{
	CLEANUP_BUFFER struct buffer more = BUFFER_INIT;
	struct str rest = list ? str_of_bytes(list) : STR("");
	struct names *mount;
	int r = list ? tl_mount_names(m, &mount, e) : 0;

	if (r < 0 || !list)
		return r;
	if (!rest.n || rest.s[rest.n - 1] != '\n')
		return error_set(e, -EINVAL, "the list of names does not end in a line feed");
	m->names = names_ref(mount);
	while (r == 0 && rest.n)
		r = take_line(m, &more, str_cut(&rest, '\n'), e);
	if (r == 0)
		r = learn_names(m, &more, e);
	return r < 0 && !(e && e->code) ? error_set(e, r, "out of memory") : r;
}
