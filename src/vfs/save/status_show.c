/* SPDX-License-Identifier: Zlib */
/* Show a status as extended attributes, whose size is limited. */
#include <stdlib.h>
#include <string.h>

#include "vfs/save/status.h"

static void append_text(struct buffer *b, const char *s)
{
	buffer_append(b, s, strlen(s) + 1);
}

void status_add(struct buffer *records, const struct status_entry *e)
{
	append_text(records, e->word);
	append_text(records, e->path);
	append_text(records, e->reason ? e->reason : "");
}

static const char *next_text(const struct buffer *b, size_t *at)
{
	const char *text, *end;

	if (*at >= b->size)
		return NULL;
	text = (const char *)b->data + *at;
	end = memchr(text, '\0', b->size - *at);
	if (end)
		*at += (size_t)(end - text) + 1;
	return end ? text : NULL;
}

bool status_next(const struct buffer *records, size_t *at, struct status_entry *ret)
{
	if (records->error)
		return false;
	ret->word = next_text(records, at);
	ret->path = ret->word ? next_text(records, at) : NULL;
	ret->reason = ret->path ? next_text(records, at) : NULL;
	return ret->reason != NULL;
}

void status_line(struct buffer *text, const struct status_entry *e)
{
	buffer_printf(text, "%s ", e->word);
	for (const char *c = e->path; *c; c++)
		buffer_byte(text, *c == '\n' ? '?' : (uint8_t)*c);
	if (*e->reason)
		buffer_printf(text, ": %s", e->reason);
	buffer_byte(text, '\n');
}

bool status_is_attribute(const char *name)
{
	size_t n = strlen(STATUS_ATTRIBUTE);
	size_t digits;

	if (strncmp(name, STATUS_ATTRIBUTE, n) != 0)
		return false;
	if (!name[n])
		return true;
	digits = strspn(name + n + 1, "0123456789");
	return name[n] == '.' && digits && digits < 10 && !name[n + 1 + digits];
}

/* Room for the line "more N". */
enum { LAST_LINE = 32 };

static void show_lines(const struct buffer *records, struct buffer *ret)
{
	struct status_entry e;
	size_t at = 0, more = 0;

	while (status_next(records, &at, &e)) {
		size_t before = ret->size;

		if (!more)
			status_line(ret, &e);
		if (more || ret->size > STATUS_MAX - LAST_LINE) {
			ret->size = more ? ret->size : before;
			more++;
		}
	}
	if (more)
		buffer_printf(ret, "more %zu\n", more);
}

static void show_records(const struct buffer *records, size_t from, struct buffer *ret)
{
	struct status_entry e;
	size_t at = 0;

	for (size_t i = 0; status_next(records, &at, &e); i++) {
		size_t before = ret->size;

		if (i < from)
			continue;
		status_add(ret, &e);
		if (ret->size <= STATUS_MAX)
			continue;
		ret->size = before;
		if (before)
			break;
		/* Do not skip a record whose path is too long: show "?" as its path. */
		status_add(ret, &(struct status_entry){e.word, "?", ""});
	}
}

void status_show(const char *name, const struct buffer *records, struct buffer *ret)
{
	size_t n = strlen(STATUS_ATTRIBUTE);

	if (records->error)
		ret->error = records->error;
	else if (name[n])
		show_records(records, strtoul(name + n + 1, NULL, 10), ret);
	else
		show_lines(records, ret);
}
