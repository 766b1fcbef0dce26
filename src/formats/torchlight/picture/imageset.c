/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/picture/imageset.h"

#include <errno.h>
#include <strings.h>

#include "codec/text/xml.h"
#include "formats/torchlight/text/number.h"

struct search {
	const char *cut;     /* name of the part, or NULL */
	struct buffer *file; /* the texture's path */
	struct imageset_cut *ret;
	bool is_set, found;
	int error; /* an invalid number */
	struct error *e;
};

/* The value of an attribute, its name in any case; "" if there is none. */
static struct str attribute(const char *const *attributes, const char *name)
{
	while (*attributes && strcasecmp(*attributes, name) != 0)
		attributes += 2;
	return str_of(*attributes ? attributes[1] : "");
}

static void read_number(
	struct search *s, const char *const *attributes, const char *name, uint32_t *ret)
{
	struct str value = attribute(attributes, name);

	if (!s->error && (!value.n || value.s[0] == '-' || !number_get_u32(value, ret)))
		s->error = error_set(s->e, -EINVAL, "%s of the part is not a number", name);
}

static bool find_image(void *arg, const char *name, const char *const *attributes)
{
	struct search *s = arg;
	struct str value = attribute(attributes, s->is_set ? "Name" : "Imagefile");

	if (!s->is_set) {
		s->is_set = value.n && !strcasecmp(name, "Imageset");
		buffer_str(s->file, value);
		return s->is_set && s->cut;
	}
	if (strcasecmp(name, "Image") != 0 || !str_equal_nocase(value, str_of(s->cut)))
		return true;
	s->found = true;
	read_number(s, attributes, "XPos", &s->ret->x);
	read_number(s, attributes, "YPos", &s->ret->y);
	read_number(s, attributes, "Width", &s->ret->w);
	read_number(s, attributes, "Height", &s->ret->h);
	return false;
}

int imageset_find(const struct bytes *xml, const char *cut, struct buffer *ret_file,
	struct imageset_cut *ret_cut, struct error *e)
{
	struct search s = {.cut = cut, .file = ret_file, .ret = ret_cut, .e = e};
	int r = xml_read(xml->data, xml->size, find_image, &s, e);

	if (r == 0 && !s.is_set)
		r = error_set(e, -EINVAL, "not an image set: no Imageset with an Imagefile");
	else if (r == 0 && cut && !s.found)
		r = error_set(e, -ENOENT, "the image set has no part '%s'", cut);
	return r < 0 ? r : s.error ? s.error : ret_file->error;
}
