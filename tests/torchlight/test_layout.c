/* SPDX-License-Identifier: Zlib */
/* Compiled layouts made by hand, byte for byte, and their texts. */
#include "support/tl_test.h"

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/compiled.h"

static struct error err;
static struct names *shipped;

/* One object with an unknown type and an unknown property. */
static void make_layout(struct buffer *b)
{
	buffer_byte(b, 11);
	buffer_byte(b, 4);
	buffer_u32(b, 0);
	buffer_u16(b, 1);
	buffer_u32(b, 75);
	buffer_byte(b, 222);
	buffer_u64(b, 5);
	put_ss16(b, "me");
	buffer_byte(b, 4);
	buffer_u16(b, 5); /* P_1: an integer */
	buffer_byte(b, 1);
	buffer_u32(b, 9);
	buffer_u16(b, 5); /* P_2: a float */
	buffer_byte(b, 2);
	buffer_u32(b, 0x3FC00000);
	buffer_u16(b, 9); /* P_3: a string */
	buffer_byte(b, 3);
	put_ss16(b, "abc");
	buffer_u16(b, 4); /* P_4: three bytes */
	buffer_byte(b, 4);
	buffer_append(b, "\x01\x02\x03", 3);
	buffer_u32(b, 18); /* extra data of a type that usually has none */
	buffer_append(b, "0123456789ABCDEFGH", 18);
	buffer_u16(b, 0);
}

static void unknown_parts_of_a_layout_come_back(void **state)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct compiled_context ctx = {.path = "MEDIA/X.LAYOUT"};
	struct error readonly = ERROR_INIT;

	(void)state;
	make_layout(&file);
	assert_int_equal(compiled_decode(COMPILED_LAYOUT, &ctx, file.data, file.size, &text,
				 &readonly, &err),
		0);
	assert_int_equal(readonly.code, 0);
	assert_string_equal(text_of(&text),
		"[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED "
		"INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n"
		"\t\t\t[PROPERTIES]\n\t\t\t\t<STRING>DESCRIPTOR:TYPE_222\n\t\t\t\t<STRING>NAME:me\n"
		"\t\t\t\t<INTEGER64>ID:5\n\t\t\t\t<INTEGER64>PARENTID:-1\n\t\t\t\t<INTEGER>P_1:9\n"
		"\t\t\t\t<FLOAT>P_2:1.5\n\t\t\t\t<STRING>P_3:abc\n\t\t\t\t<HEX>P_4:010203\n"
		"\t\t\t\t[EXTRADATA]\n\t\t\t\t\t<HEX>BYTES:303132333435363738394142434445464748\n"
		"\t\t\t\t[/EXTRADATA]\n\t\t\t[/PROPERTIES]\n\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n"
		"\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n");
}

static int encode_over(const char *properties, const struct buffer *old, struct buffer *out)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;

	buffer_printf(&text,
		"[Layout]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n%s[/PROPERTIES]\n"
		"[/BASEOBJECT]\n[/OBJECTS]\n[/Layout]\n",
		properties);
	return binlayout_encode((char *)text.data, text.size, old ? old->data : NULL,
		old ? old->size : 0, shipped, NULL, out, &err);
}

static int encode_object(const char *properties, struct buffer *out)
{
	return encode_over(properties, NULL, out);
}

static void wrong_layouts_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *properties, *why;
	} cases[] = {
		{"<STRING>DESCRIPTOR:Nothing\n<INTEGER64>ID:1\n",
			"line 5, column 20: unknown DESCRIPTOR 'Nothing' (TYPE_0 to TYPE_255 for "
			"those without a name)"},
		{"<STRING>DESCRIPTOR:Light\n", "line 4, column 1: [PROPERTIES] without ID"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:x\n",
			"line 6, column 15: ID is not a 64-bit integer"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<FLOAT>NO SUCH:1\n",
			"line 7, column 16: unknown property 'NO SUCH' (P_0 to P_255 for those "
			"without a name) "
			"(DESCRIPTOR Light)"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<FLOT>POSITIONX:1\n",
			"line 7, column 17: <FLOT> is not a type (DESCRIPTOR Light)"},
		{"<STRING>DESCRIPTOR:Group\n<INTEGER64>ID:1\n<BOOL>LEVEL UNIQUE:maybe\n",
			"line 7, column 20: 'maybe' is not a valid BOOL (DESCRIPTOR Group)"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<FLOAT>POSITIONX:far\n",
			"line 7, column 18: 'far' is not a decimal number (DESCRIPTOR Light)"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<HEX>P_1:0\n",
			"line 7, column 10: '0' is not a valid HEX (DESCRIPTOR Light)"},
		{"<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n[LOGICGROUP]\n[/LOGICGROUP]\n",
			"line 7, column 1: [LOGICGROUP] is not allowed in this object (DESCRIPTOR "
			"Light)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

		assert_int_equal(encode_object(cases[i].properties, &out), -EINVAL);
		assert_string_equal(error_text(&err), cases[i].why);
	}
}

/* Content without a place in a compiled layout would be lost silently. */
static void content_that_a_layout_cannot_store_is_refused(void **state)
{
#define OBJECT(inside)                                                                             \
	"[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Logic Group\n<INTEGER64>ID:1\n" inside     \
	"[/PROPERTIES]\n[/BASEOBJECT]\n"
#define LAYOUT(inside) "[Layout]\n[OBJECTS]\n" inside "[/OBJECTS]\n[/Layout]\n"
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"[UNIT]\n<STRING>NAME:x\n[/UNIT]\n", "line 1, column 1: [UNIT] has no [OBJECTS]"},
		{"[Layout]\n<STRING>NAME:x\n[/Layout]\n",
			"line 2, column 1: NAME is not allowed in [Layout]"},
		{"[Layout]\n[UNIT]\n[/UNIT]\n[/Layout]\n",
			"line 2, column 1: [UNIT] is not allowed in [Layout]"},
		{"[Layout]\n[OBJECTS]\n[/OBJECTS]\n[OBJECTS]\n[/OBJECTS]\n[/Layout]\n",
			"line 4, column 1: [OBJECTS] is twice in [Layout]"},
		{LAYOUT("[BASEOBJECT]\n<STRING>A:x\n[PROPERTIES]\n<STRING>DESCRIPTOR:Light\n"
			"<INTEGER64>ID:1\n[/PROPERTIES]\n[/BASEOBJECT]\n"),
			"line 4, column 1: A is not allowed in [BASEOBJECT]"},
		{LAYOUT(OBJECT("[LOGICGROUP]\n[/LOGICGROUP]\n[LOGICGROUP]\n[/LOGICGROUP]\n")),
			"line 9, column 1: [LOGICGROUP] is twice in [PROPERTIES]"},
		{LAYOUT(OBJECT("[LOGICGROUP]\n[LOGICOBJECT]\n<FLOAT>Z:1\n[/LOGICOBJECT]\n"
			       "[/LOGICGROUP]\n")),
			"line 9, column 1: Z is not allowed in [LOGICOBJECT]"},
		{LAYOUT(OBJECT("[LOGICGROUP]\n[LOGICOBJECT]\n<FLOAT>X:1\n<FLOAT>x:2\n"
			       "[/LOGICOBJECT]\n[/LOGICGROUP]\n")),
			"line 10, column 1: x is twice in [LOGICOBJECT]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

		assert_int_equal(binlayout_encode(cases[i].text, strlen(cases[i].text), NULL, 0,
					 shipped, NULL, &out, &err),
			-EINVAL);
		assert_string_equal(error_text(&err), cases[i].why);
	}
#undef LAYOUT
#undef OBJECT
}

static void a_vector_is_one_property_in_any_order(void **state)
{
	CLEANUP_BUFFER struct buffer a = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

	(void)state;
	assert_int_equal(
		encode_object("<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<FLOAT>POSITIONX:1\n"
			      "<FLOAT>POSITIONY:2\n<FLOAT>POSITIONZ:0\n",
			&a),
		0);
	assert_int_equal(
		encode_object("<STRING>DESCRIPTOR:Light\n<INTEGER64>ID:1\n<FLOAT>POSITIONY:2\n"
			      "<FLOAT>POSITIONX:1\n",
			&b),
		0);
	/* One property of 13 bytes: code and three floats. */
	assert_int_equal(a.data[8 + 4 + 1 + 8 + 2], 1);
	assert_int_equal(a.data[8 + 4 + 1 + 8 + 3], 13);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
}

static void a_group_node_stores_its_fields(void **state)
{
	static const char properties[] =
		"<STRING>DESCRIPTOR:Group\n<INTEGER64>ID:77\n<STRING>CHOICE:Weight\n"
		"<UNSIGNED INT>NUMBER:3\n<STRING>ACTIVE THEMES:-5,6\n"
		"[DATAGROUP]\n<INTEGER>TAG:9\n[/DATAGROUP]\n";
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer garbage = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	size_t node;

	(void)state;
	assert_int_equal(encode_object(properties, &file), 0);
	node = word_at(&file, 2) + 35;
	assert_int_equal(word_at(&file, node), 77);
	assert_int_equal(file.data[node + 8], 1);       /* choice */
	assert_int_equal(word_at(&file, node + 9), 1);  /* randomization */
	assert_int_equal(file.data[node + 13], 3);      /* number */
	assert_int_equal(word_at(&file, node + 14), 8); /* offset of the Group */
	assert_int_equal(word_at(&file, node + 25), 2); /* active themes */
	assert_int_equal(word_at(&file, node + 29), (uint32_t)-5);
	assert_int_equal(binlayout_decode(file.data, file.size, NULL, shipped, &text, &err), 0);
	assert_non_null(strstr(text_of(&text),
		"\t\t\t\t<UNSIGNED INT>NUMBER:3\n\t\t\t\t<STRING>ACTIVE THEMES:-5,6\n"
		"\t\t\t\t[DATAGROUP]\n\t\t\t\t\t<INTEGER>TAG:9\n"
		"\t\t\t\t[/DATAGROUP]\n"));
	/* The byte of uninitialized memory stays with the Group's id. */
	file.data[node + 22] = 206;
	assert_int_equal(binlayout_encode((char *)text.data, text.size, file.data, file.size,
				 shipped, NULL, &garbage, &err),
		0);
	assert_int_equal(garbage.size, file.size);
	file.data[1] = 54; /* A new file has the kit's version, like the old one. */
	assert_memory_equal(garbage.data, file.data, file.size);
}

/* The modding kit writes these as fields of the Group and compiles them into its node. */
static void a_group_shows_the_fields_of_its_node_as_the_kit_does(void **state)
{
#define GROUP  "<STRING>DESCRIPTOR:Group\n<INTEGER64>ID:77\n"
#define UNIQUE "<BOOL>LEVEL UNIQUE:true\n<BOOL>NO TAG FOUND:1\n"
	static const char fields[] =
		GROUP UNIQUE "<UNSIGNED INT>RANDOMIZATION:2\n<UNSIGNED INT>NUMBER:4\n"
			     "<STRING>ACTIVE THEMES:5,\n<STRING>DEACTIVE THEMES:6,7\n"
			     "<STRING>TAG:%s\n";
	static const char block[] =
		GROUP UNIQUE "[DATAGROUP]\n<UNSIGNED INT>RANDOMIZATION:2\n"
			     "<UNSIGNED INT>NUMBER:4\n<STRING>ACTIVE THEMES:5\n"
			     "<STRING>DEACTIVE THEMES:6,7\n<INTEGER>TAG:12\n[/DATAGROUP]\n";
	CLEANUP_BUFFER struct buffer number = BUFFER_INIT, name = BUFFER_INIT, a = BUFFER_INIT,
				     b = BUFFER_INIT, c = BUFFER_INIT, shown = BUFFER_INIT;

	(void)state;
	buffer_printf(&number, fields, "12");
	buffer_printf(&name, fields, "PORTAL");
	assert_int_equal(encode_object(text_of(&number), &a), 0);
	assert_int_equal(encode_object(block, &b), 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	/* The name of a TAG is its number in the file. */
	assert_int_equal(encode_over(text_of(&name), &a, &c), 0);
	assert_int_equal(a.size, c.size);
	assert_memory_equal(a.data, c.data, a.size);
	/* A name with an unknown number is kept. */
	c.size = 0;
	assert_int_equal(encode_object(text_of(&name), &c), 0);
	assert_int_equal(binlayout_decode(c.data, c.size, NULL, shipped, &shown, &err), 0);
	assert_non_null(strstr(text_of(&shown), "<STRING>TAG:PORTAL\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_parts_of_a_layout_come_back),
		cmocka_unit_test(wrong_layouts_are_refused_with_their_place),
		cmocka_unit_test(content_that_a_layout_cannot_store_is_refused),
		cmocka_unit_test(a_vector_is_one_property_in_any_order),
		cmocka_unit_test(a_group_node_stores_its_fields),
		cmocka_unit_test(a_group_shows_the_fields_of_its_node_as_the_kit_does),
	};

	int failed;

	shipped = names_create();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	names_unref(shipped);
	return failed;
}
