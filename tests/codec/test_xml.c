/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/xml.h"

static struct error err;
static char seen[400];

static bool list_element(void *arg, const char *name, const char *const *attributes)
{
	strcat(strcat(seen, name), " ");
	for (; *attributes; attributes += 2)
		sprintf(seen + strlen(seen), "%s=%s ", attributes[0], attributes[1]);
	return !arg || strcmp(arg, name) != 0;
}

static int read_text(const char *text, const char *last)
{
	seen[0] = 0;
	error_clear(&err);
	return xml_read(text, strlen(text), list_element, (void *)last, &err);
}

static void elements_come_in_order_with_their_attributes(void **state)
{
	(void)state;
	assert_int_equal(read_text("<?xml version='1.0'?><!-- <no/> -->\n"
				   "<a x='1' y=\"&lt;&#50;\"><b/>text<![CDATA[<c/>]]></a>\n",
				 NULL),
		0);
	assert_string_equal(seen, "a x=1 y=<2 b ");
}

/* The rest of the document is not read. */
static void reading_ends_when_the_caller_stops_it(void **state)
{
	(void)state;
	assert_int_equal(read_text("<a><b/><c/></wrong", "b"), 0);
	assert_string_equal(seen, "a b ");
}

static void utf16_is_read_with_any_declared_encoding(void **state)
{
	static const char text[] = "<?xml version='1.0' encoding='UTF-8'?><a/>";
	char wide[2 * sizeof(text)] = "\xFF\xFE";

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		wide[2 * i + 2] = text[i];
		wide[2 * i + 3] = 0;
	}
	assert_int_equal(xml_read(wide, 2 * sizeof(text), NULL, NULL, &err), 0);
	assert_int_equal(xml_read(wide, 2 * sizeof(text) - 1, NULL, NULL, &err), -EINVAL);
}

static void text_that_is_not_well_formed_is_refused_with_its_place(void **state)
{
	static const char *const bad[] = {"", "a", "<a>", "<a></b>", "<a/><b/>", "<a/>x",
		"<a b=c/>", "<a b='1' b='2'/>", "<a>&e;</a>", " <?xml version='1.0'?><a/>",
		"<a>\x01</a>", "<a>\xFF</a>", "<STRING>NAME:SWORD"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i], NULL), -EINVAL);
		assert_non_null(strstr(error_text(&err), "line 1, column "));
	}
	assert_int_equal(read_text("<a>\n <b></a>\n", NULL), -EINVAL);
	assert_string_equal(error_text(&err), "line 2, column 7: mismatched tag");
}

/* Neither nested entities nor files of the machine are read. */
static void a_document_type_is_refused(void **state)
{
	(void)state;
	assert_int_equal(read_text("<!DOCTYPE a [<!ENTITY e 'e'>]><a>&e;</a>", NULL), -EINVAL);
	assert_non_null(strstr(error_text(&err), "document types are not supported"));
	assert_int_equal(read_text("<!DOCTYPE a SYSTEM '/etc/passwd'><a/>", NULL), -EINVAL);
}

static void depth_and_size_are_bounded(void **state)
{
	char *deep = calloc(1, 7 * (XML_DEPTH_MAX + 2)), *large = calloc(1, XML_BYTES_MAX + 2);

	(void)state;
	for (int i = 0; i < XML_DEPTH_MAX; i++)
		memcpy(deep + 3 * i, "<a>", 3);
	for (int i = 0; i < XML_DEPTH_MAX; i++)
		memcpy(deep + 3 * XML_DEPTH_MAX + 4 * i, "</a>", 4);
	assert_int_equal(xml_read(deep, strlen(deep), NULL, NULL, &err), 0);
	memmove(deep + 4, deep, strlen(deep));
	memcpy(deep, "<b> ", 4);
	strcat(deep, "</b>");
	assert_int_equal(xml_read(deep, strlen(deep), NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(error_text(&err), "nested too deep"));
	memset(large, ' ', XML_BYTES_MAX + 1);
	memcpy(large, "<a/>", 4);
	assert_int_equal(xml_read(large, XML_BYTES_MAX, NULL, NULL, &err), 0);
	assert_int_equal(xml_read(large, XML_BYTES_MAX + 1, NULL, NULL, &err), -EINVAL);
	free(deep);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_come_in_order_with_their_attributes),
		cmocka_unit_test(reading_ends_when_the_caller_stops_it),
		cmocka_unit_test(utf16_is_read_with_any_declared_encoding),
		cmocka_unit_test(text_that_is_not_well_formed_is_refused_with_its_place),
		cmocka_unit_test(a_document_type_is_refused),
		cmocka_unit_test(depth_and_size_are_bounded),
	};

	return cmocka_run_group_tests_name("codec: xml", tests, NULL, NULL);
}
