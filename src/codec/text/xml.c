/* SPDX-License-Identifier: Zlib */
#include "codec/text/xml.h"

#include <errno.h>
#include <expat.h>
#include <string.h>

/* Expat 2.9 deprecates the functions without 64 in their names. Older versions have no others. */
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentLineNumber64   XML_GetCurrentLineNumber
#define XML_GetCurrentColumnNumber64 XML_GetCurrentColumnNumber
#endif

struct reading {
	XML_Parser parser;
	xml_element element;
	void *arg;
	unsigned depth;
	bool ended;      /* element returned false */
	const char *why; /* the reason of a refusal by us, not by expat; or NULL */
};

static void refuse_document(struct reading *r, const char *why)
{
	r->why = why;
	XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL start_element(void *arg, const char *name, const char **attributes)
{
	struct reading *r = arg;

	if (++r->depth > XML_DEPTH_MAX) {
		refuse_document(r, "elements are nested too deeply");
	} else if (r->element && !r->element(r->arg, name, (const char *const *)attributes)) {
		r->ended = true;
		XML_StopParser(r->parser, XML_FALSE);
	}
}

static void XMLCALL end_element(void *arg, const char *)
{
	((struct reading *)arg)->depth--;
}

static void XMLCALL start_doctype(void *arg, const char *, const char *, const char *, int)
{
	refuse_document(arg, "document types are not supported");
}

static int set_parse_error(const struct reading *r, struct error *e)
{
	enum XML_Error code = XML_GetErrorCode(r->parser);

	if (code == XML_ERROR_NO_MEMORY)
		return error_set(e, -ENOMEM, "out of memory");
	return error_set(e, -EINVAL, "line %lu, column %lu: %s",
		(unsigned long)XML_GetCurrentLineNumber64(r->parser),
		(unsigned long)XML_GetCurrentColumnNumber64(r->parser) + 1,
		r->why ? r->why : XML_ErrorString(code));
}

int xml_read(const void *data, size_t n, xml_element element, void *arg, struct error *e)
{
	/* A UTF-16 byte order mark overrides the encoding in the document. */
	bool utf16 = n >= 2 && (!memcmp(data, "\xFF\xFE", 2) || !memcmp(data, "\xFE\xFF", 2));
	struct reading r = {.element = element, .arg = arg};
	int result = 0;

	if (n > XML_BYTES_MAX)
		return error_set(
			e, -EINVAL, "XML has %zu bytes (at most %d)", n, (int)XML_BYTES_MAX);
	r.parser = XML_ParserCreate(utf16 ? "UTF-16" : NULL);
	if (!r.parser)
		return error_set(e, -ENOMEM, "out of memory");
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, start_element, end_element);
	XML_SetStartDoctypeDeclHandler(r.parser, start_doctype);
	if (XML_Parse(r.parser, data, (int)n, XML_TRUE) != XML_STATUS_OK && !r.ended)
		result = set_parse_error(&r, e);
	XML_ParserFree(r.parser);
	return result;
}
