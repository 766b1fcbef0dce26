/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/picture/imageset.h"

#include <errno.h>
#include <string.h>

#include "formats/torchlight/text/number.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void cut_off(struct str *s, size_t n)
{
	s->s += n;
	s->n -= n;
}

static void skip_blanks(struct str *s)
{
	while (s->n && is_blank(s->s[0]))
		cut_off(s, 1);
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
		*ret_name = (struct str){ret_inside->s, 0};
		while (ret_name->n < ret_inside->n && !is_blank(ret_name->s[ret_name->n]) &&
			ret_name->s[ret_name->n] != '/')
			ret_name->n++;
		cut_off(ret_inside, ret_name->n);
		return true;
	}
	return false;
}

/* The next attribute of a tag: name="value". */
static bool next_attribute(struct str *rest, struct str *ret_name, struct str *ret_value)
{
	const char *end;

	skip_blanks(rest);
	*ret_name = (struct str){rest->s, 0};
	while (ret_name->n < rest->n && !is_blank(rest->s[ret_name->n]) &&
		rest->s[ret_name->n] != '=')
		ret_name->n++;
	cut_off(rest, ret_name->n);
	skip_blanks(rest);
	if (!rest->n || rest->s[0] != '=')
		return false;
	cut_off(rest, 1);
	skip_blanks(rest);
	if (!rest->n || (rest->s[0] != '"' && rest->s[0] != '\''))
		return false;
	end = memchr(rest->s + 1, rest->s[0], rest->n - 1);
	if (!end)
		return false;
	*ret_value = (struct str){rest->s + 1, (size_t)(end - rest->s) - 1};
	cut_off(rest, ret_value->n + 2);
	return true;
}

/* false: the tag has none of that name. */
static bool attribute(struct str inside, struct str name, struct str *ret)
{
	struct str found;

	while (next_attribute(&inside, &found, ret))
		if (str_equal_nocase(found, name))
			return true;
	return false;
}

static int number(struct str inside, const char *name, uint32_t *ret, struct error *e)
{
	struct str value;

	if (!attribute(inside, str_of(name), &value) || !value.n || value.s[0] == '-' ||
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
				!attribute(inside, STR("Imagefile"), &value) || !value.n)
				break;
			set = true;
			buffer_str(ret_file, value);
			if (!cut)
				return ret_file->error;
		} else if (str_equal_nocase(name, STR("Image")) &&
			   attribute(inside, STR("Name"), &value) &&
			   str_equal_nocase(value, str_of(cut))) {
			return read_cut(inside, ret_cut, e);
		}
	}
	if (!set)
		return error_set(e, -EINVAL, "not an image set: no Imageset with an Imagefile");
	return error_set(e, -ENOENT, "it has no part '%s'", cut);
}
