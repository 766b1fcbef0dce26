/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/picture/imageset.h"

#include <errno.h>
#include <string.h>

#include "formats/torchlight/text/number.h"

static const char blanks[] = " \t\n\r";

static void cut_off(struct str *s, size_t n)
{
	s->s += n;
	s->n -= n;
}

static void skip_blanks(struct str *s)
{
	while (s->n && strchr(blanks, *s->s))
		cut_off(s, 1);
}

/* What stands before the first of some characters; *rest begins with that one. */
static struct str cut_until(struct str *rest, const char *ends)
{
	struct str part = {rest->s, 0};

	while (part.n < rest->n && !strchr(ends, part.s[part.n]))
		part.n++;
	cut_off(rest, part.n);
	return part;
}

/* The next element's name and what stands in its tag. Comments and declarations are passed over. */
static bool next_tag(struct str *rest, struct str *ret_name, struct str *ret_inside)
{
	const char *open, *close;

	while (rest->n && (open = memchr(rest->s, '<', rest->n))) {
		cut_off(rest, (size_t)(open - rest->s));
		if (rest->n >= 4 && !memcmp(rest->s, "<!--", 4)) {
			close = memmem(rest->s + 4, rest->n - 4, "-->", 3);
			cut_off(rest, close ? (size_t)(close - rest->s) + 3 : rest->n);
			continue;
		}
		close = memchr(rest->s, '>', rest->n);
		if (!close)
			return false;
		*ret_inside = (struct str){rest->s + 1, (size_t)(close - rest->s) - 1};
		cut_off(rest, (size_t)(close - rest->s) + 1);
		if (!ret_inside->n || strchr("?!/", ret_inside->s[0]))
			continue;
		*ret_name = cut_until(ret_inside, " \t\n\r/");
		return true;
	}
	return false;
}

/* name="value" among those of a tag. false: there is none of that name. */
static bool attribute(struct str inside, const char *name, struct str *ret)
{
	struct str found;
	const char *end;

	do {
		skip_blanks(&inside);
		found = cut_until(&inside, " \t\n\r=");
		skip_blanks(&inside);
		if (!inside.n || *inside.s != '=')
			return false;
		cut_off(&inside, 1);
		skip_blanks(&inside);
		if (!inside.n || !strchr("\"'", *inside.s))
			return false;
		end = memchr(inside.s + 1, *inside.s, inside.n - 1);
		if (!end)
			return false;
		*ret = (struct str){inside.s + 1, (size_t)(end - inside.s) - 1};
		cut_off(&inside, ret->n + 2);
	} while (!str_equal_nocase(found, str_of(name)));
	return true;
}

static int number(struct str inside, const char *name, uint32_t *ret, struct error *e)
{
	struct str value;

	if (!attribute(inside, name, &value) || !value.n || value.s[0] == '-' ||
		!number_get_u32(value, ret))
		return error_set(e, -EINVAL, "%s of the part is no number", name);
	return 0;
}

static int read_cut(struct str inside, struct imageset_cut *ret, struct error *e)
{
	int r = number(inside, "XPos", &ret->x, e);

	if (r == 0)
		r = number(inside, "YPos", &ret->y, e);
	if (r == 0)
		r = number(inside, "Width", &ret->w, e);
	if (r == 0)
		r = number(inside, "Height", &ret->h, e);
	return r;
}

int imageset_find(struct str text, const char *cut, struct buffer *ret_file,
	struct imageset_cut *ret_cut, struct error *e)
{
	struct str name, inside, value;
	bool set = false;

	while (next_tag(&text, &name, &inside)) {
		if (!set) {
			if (!str_equal_nocase(name, STR("Imageset")) ||
				!attribute(inside, "Imagefile", &value) || !value.n)
				break;
			set = true;
			buffer_str(ret_file, value);
			if (!cut)
				return ret_file->error;
		} else if (str_equal_nocase(name, STR("Image")) &&
			   attribute(inside, "Name", &value) &&
			   str_equal_nocase(value, str_of(cut))) {
			return read_cut(inside, ret_cut, e);
		}
	}
	if (!set)
		return error_set(e, -EINVAL, "not an image set: no Imageset with an Imagefile");
	return error_set(e, -ENOENT, "it has no part '%s'", cut);
}
