/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "tools/edit/edit.h"

struct words {
	char **v;
	int n, next;
};

static const struct {
	const char *name, *arguments;
	bool needs_layer;
} kinds[] = {
	[EDIT_REPLACE] = {"replace", "OLD[:FLAGS]=NEW[:FLAGS] or FIELD:OLD=NEW", true},
	[EDIT_FILL] = {"fill", "X,Y,W,H ID[:FLAGS] or X,Y,W,H FIELD:VALUE", true},
	[EDIT_CLEAR] = {"clear", "X,Y,W,H", true},
	[EDIT_AREA] = {"area", "X,Y,W,H OTHER [X2,Y2]", false},
	[EDIT_CROP] = {"crop", "X,Y,W,H with W and H of at least 2", false},
	[EDIT_EXTEND] = {"extend", "L,T,R,B", false},
	[EDIT_SHIFT] = {"shift", "DX,DY", false},
	[EDIT_GAMETILES] = {"gametiles", "LAYER ID", false},
};

static const struct {
	const char *name;
	int32_t min, max;
} fields[] = {{"id", 0, 255}, {"flags", 0, 255}, {"number", 0, 255}, {"force", 0, 255},
	{"max_speed", 0, 255}, {"angle", INT16_MIN, INT16_MAX}, {"delay", 0, 255}};

static const struct {
	const char *name;
	int32_t value;
} flag_names[] = {{"NONE", 0}, {"XFLIP", 1}, {"YFLIP", 2}, {"OPAQUE", 4}, {"ROTATE", 8}};

static const char *next_word(struct words *w)
{
	return w->next < w->n ? w->v[w->next++] : NULL;
}

/* Parse a number at *at, and move *at behind it. */
static bool take_number(const char **at, int32_t min, int32_t max, int32_t *ret)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(*at, &end, 10);
	if (end == *at || errno || n < min || n > max || strchr(" +", **at))
		return false;
	*at = end;
	*ret = (int32_t)n;
	return true;
}

/* Parse n numbers with commas between them: a whole word. */
static bool take_numbers(const char *word, int n, int32_t min, int32_t *ret)
{
	for (int i = 0; word && i < n; i++)
		if ((i && *word++ != ',') || !take_number(&word, min, EDIT_SIDE_MAX, &ret[i]))
			return false;
	return word && !*word;
}

/* A corner, and sides of at least `side`. */
static bool take_box(const char *word, int32_t side, int32_t *ret)
{
	return take_numbers(word, 4, 0, ret) && ret[2] >= side && ret[3] >= side;
}

/* Parse "XFLIP+ROTATE" or a number. */
static bool take_flags(const char *text, size_t n, int32_t *ret)
{
	const char *end = text + n, *at = text;

	if (take_number(&at, 0, 255, ret))
		return at == end;
	*ret = 0;
	for (size_t i, length; text <= end; text += length + 1) {
		length = strcspn(text, "+=");
		for (i = 0; i < sizeof(flag_names) / sizeof(*flag_names); i++)
			if (strlen(flag_names[i].name) == length &&
				strncmp(flag_names[i].name, text, length) == 0)
				break;
		if (i == sizeof(flag_names) / sizeof(*flag_names))
			return false;
		*ret |= flag_names[i].value;
	}
	return true;
}

/* Index of the field in `fields` that begins the text, with a colon; 0 ("id") if there is none. */
static bool take_field(const char **text, size_t *ret)
{
	size_t n = strcspn(*text, ":=");

	*ret = 0;
	if ((*text)[0] == '-' || ((*text)[0] >= '0' && (*text)[0] <= '9'))
		return true;
	while (*ret < sizeof(fields) / sizeof(*fields) &&
		(strlen(fields[*ret].name) != n || strncmp(fields[*ret].name, *text, n) != 0))
		++*ret;
	*text += n;
	return *ret < sizeof(fields) / sizeof(*fields) && *(*text)++ == ':';
}

/* Parse VALUE[:FLAGS], which ends at `stop`. */
static bool take_value(const char **text, size_t field, char stop, struct edit_value *ret)
{
	size_t n;

	*ret = (struct edit_value){fields[field].name, 0, EDIT_ANY};
	if (!take_number(text, fields[field].min, fields[field].max, &ret->value))
		return false;
	if (**text == ':' && field == 0) {
		n = strcspn(++*text, "=");
		if (!take_flags(*text, n, &ret->flags))
			return false;
		*text += n;
	}
	return **text == stop;
}

static bool take_fill(const char *word, struct edit_value *ret)
{
	size_t field;

	return word && take_field(&word, &field) && take_value(&word, field, '\0', ret);
}

static bool take_replace(const char *word, struct edit_operation *o)
{
	size_t field;

	if (!word || !take_field(&word, &field) || !take_value(&word, field, '=', &o->old))
		return false;
	word++;
	return take_value(&word, field, '\0', &o->fresh);
}

static bool take_area(struct words *w, struct edit_operation *o)
{
	if (!take_box(next_word(w), 1, o->box) || !(o->name = next_word(w)))
		return false;
	memcpy(o->source, o->box, sizeof(o->source));
	if (w->next < w->n && take_numbers(w->v[w->next], 2, 0, o->source))
		w->next++;
	return true;
}

static bool take_gametiles(struct words *w, struct edit_operation *o)
{
	const char *id;

	o->name = next_word(w);
	id = next_word(w);
	o->fresh = (struct edit_value){"id", 0, 0};
	return id && take_number(&id, 0, 255, &o->fresh.value) && !*id;
}

static bool take_arguments(struct words *w, struct edit_operation *o)
{
	switch (o->kind) {
	case EDIT_REPLACE:
		return take_replace(next_word(w), o);
	case EDIT_FILL:
		return take_box(next_word(w), 1, o->box) && take_fill(next_word(w), &o->fresh);
	case EDIT_CLEAR:
		return take_box(next_word(w), 1, o->box);
	case EDIT_AREA:
		return take_area(w, o);
	case EDIT_CROP:
		return take_box(next_word(w), 2, o->box);
	case EDIT_EXTEND:
		return take_numbers(next_word(w), 4, 0, o->box);
	case EDIT_SHIFT:
		return take_numbers(next_word(w), 2, -EDIT_SIDE_MAX, o->box);
	case EDIT_GAMETILES:
		break;
	}
	return take_gametiles(w, o);
}

static char *join_words(char **v, int n)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	for (int i = 0; i < n; i++)
		buffer_printf(&out, "%s%s", i ? " " : "", v[i]);
	return out.error ? NULL : text_copy((const char *)out.data, out.size);
}

static int parse_one(struct edit *how, struct words *w, struct error *e)
{
	struct edit_operation o = {0};
	const char *name = next_word(w);
	int first = w->next - 1;
	size_t kind = 0, n = sizeof(kinds) / sizeof(*kinds);

	while (kind < n && strcmp(kinds[kind].name, name) != 0)
		kind++;
	if (kind == n)
		return error_set(e, -EINVAL,
			"unknown operation %.40s (replace, fill, clear, area, crop, extend, shift "
			"or gametiles)",
			name);
	o.kind = (enum edit_kind)kind;
	if (!take_arguments(w, &o))
		return error_set(e, -EINVAL, "%s expects %s", name, kinds[kind].arguments);
	if (kinds[kind].needs_layer && !how->layers)
		return error_set(e, -EINVAL, "%s needs --layer", name);
	o.text = join_words(w->v + first, w->next - first);
	if (!o.text || !array_reserve(how->operations, how->n, how->room)) {
		free(o.text);
		return error_set(e, -ENOMEM, "out of memory");
	}
	how->operations[how->n++] = o;
	return 0;
}

int edit_parse(struct edit *how, char **words, int n, struct error *e)
{
	struct words w = {words, n, 0};
	int r = 0;

	while (r == 0 && w.next < w.n)
		r = parse_one(how, &w, e);
	return r;
}

void edit_finish(struct edit *how)
{
	for (size_t i = 0; i < how->n; i++)
		free(how->operations[i].text);
	free(how->operations);
	how->operations = NULL;
	how->n = how->room = 0;
}
