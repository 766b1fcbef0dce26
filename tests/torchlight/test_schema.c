/* SPDX-License-Identifier: Zlib */
/* Meanings of names in a layout's text: the table, the user's lines, and learnt names. */
#include "support/tl_test.h"

#include <stdio.h>
#include <string.h>

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/names.h"

static struct names *shipped;

/* A layout with one object of that type, id 7, with these fields. */
static char *layout_of(const char *type, const char *fields)
{
	struct buffer text = BUFFER_INIT;
	char *made;

	buffer_printf(&text,
		"[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED INT>COUNT:1\n\t[OBJECTS]\n"
		"\t\t[BASEOBJECT]\n\t\t\t[PROPERTIES]\n\t\t\t\t<STRING>DESCRIPTOR:%s\n"
		"\t\t\t\t<STRING>NAME:%s\n\t\t\t\t<INTEGER64>ID:7\n"
		"\t\t\t\t<INTEGER64>PARENTID:-1\n%s\t\t\t[/PROPERTIES]\n"
		"\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n"
		"[/Layout]\n",
		type, type, fields);
	buffer_byte(&text, 0);
	assert_false(text.error);
	made = strdup((char *)text.data);
	buffer_finish_free(&text);
	return made;
}

struct result {
	struct buffer file;
	struct compiled_remarks remarks;
	struct error e;
	int r;
};

static void result_finish(struct result *r)
{
	buffer_finish_free(&r->file);
	buffer_finish_free(&r->remarks.names);
}

#define RESULT __attribute__((cleanup(result_finish))) struct result

static struct result compile(
	const char *type, const char *fields, const struct names *names, const struct buffer *old)
{
	CLEANUP(free) char *text = layout_of(type, fields);
	struct result r = {.e = ERROR_INIT};

	r.r = binlayout_encode(text, strlen(text), old ? old->data : NULL, old ? old->size : 0,
		names ? names : shipped, &r.remarks, &r.file, &r.e);
	return r;
}

static void assert_same(const struct result *a, const struct result *b)
{
	assert_int_equal(a->r, 0);
	assert_int_equal(b->r, 0);
	assert_int_equal(a->file.size, b->file.size);
	assert_memory_equal(a->file.data, b->file.data, a->file.size);
}

/* The name of the root is not stored. */
static void assert_text(
	const struct buffer *file, const struct names *names, const char *type, const char *fields)
{
	CLEANUP(free) char *want = layout_of(type, fields);
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;

	assert_int_equal(binlayout_decode(file->data, file->size, NULL, names ? names : shipped,
				 &text, NULL),
		0);
	buffer_byte(&text, 0);
	*strstr((char *)text.data, "[/PROPERTIES]") = 0;
	*strstr(want, "[/PROPERTIES]") = 0;
	assert_string_equal(
		strstr((char *)text.data, "[PROPERTIES]"), strstr(want, "[PROPERTIES]"));
}

static struct names *names_of(const char *list)
{
	struct names *n = NULL;

	assert_int_equal(names_extend(shipped, list, strlen(list), &n, NULL), 0);
	return n;
}

/* The list of the kit has it, and no pair shows it. */
static void names_that_no_pair_shows_come_from_the_kits_list(void **state)
{
	RESULT named = compile("Camera Shake",
		"\t\t\t\t<FLOAT>DIRECTIONX:1\n\t\t\t\t<FLOAT>DIRECTIONY:0\n"
		"\t\t\t\t<FLOAT>DIRECTIONZ:2\n\t\t\t\t<BOOL>FADES:true\n",
		NULL, NULL);
	RESULT numbered = compile("Camera Shake",
		"\t\t\t\t<HEX>P_97:0000803F0000000000000040\n\t\t\t\t<BOOL>P_102:true\n", NULL,
		NULL);

	(void)state;
	assert_same(&named, &numbered);
	assert_text(&named.file, NULL, "Camera Shake",
		"\t\t\t\t<FLOAT>DIRECTIONX:1\n\t\t\t\t<FLOAT>DIRECTIONY:0\n"
		"\t\t\t\t<FLOAT>DIRECTIONZ:2\n\t\t\t\t<BOOL>FADES:true\n");
}

/* Every code and every name of the table has one meaning. */
static void the_table_has_no_contradictions(void **state)
{
	size_t properties = 0, types = 0;
	struct str name;
	uint8_t back;
	int axis;

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		if (!layout_type_name(shipped, (uint8_t)type, &name))
			continue;
		types++;
		assert_true(layout_type_named(shipped, name, &back));
		assert_int_equal(back, type);
		for (unsigned code = 0; code < 256; code++) {
			const struct layout_property *p =
				layout_property_find(shipped, (uint8_t)type, (uint8_t)code);

			if (!p)
				continue;
			properties++;
			assert_ptr_equal(
				layout_property_named(shipped, (uint8_t)type, p->name, &axis), p);
			assert_int_equal(axis, -1);
		}
	}
	assert_int_equal(types, 158);
	/* All 2335 properties except the six that no compiled object has. */
	assert_int_equal(properties, 2329);
}

static void the_users_lines_name_types_and_properties(void **state)
{
	CLEANUP(names_unref)
	struct names *n = names_of("# a comment\n"
				   "200\tNew Thing\t97\tSIZE OF IT\tFLOAT\t9\t9\n"
				   "5\tUnit Spawner\t250\tMYSTERY\tSTRING\n"
				   "201\tNamed Only\t\t\t\n"
				   "5\tUnit Spawner\tx\tNO CODE\tFLOAT\n"
				   "A NAME\n");
	RESULT one = compile("New Thing", "\t\t\t\t<FLOAT>SIZE OF IT:1.5\n", n, NULL);
	RESULT two = compile("TYPE_200", "\t\t\t\t<FLOAT>P_97:1.5\n", NULL, NULL);
	RESULT three = compile("Unit Spawner", "\t\t\t\t<STRING>MYSTERY:long\n", n, NULL);
	RESULT four = compile("Named Only", "", n, NULL);
	RESULT bad = compile("Unit Spawner", "\t\t\t\t<FLOAT>NO CODE:1\n", n, NULL);
	struct str name;

	(void)state;
	assert_int_equal(one.r, 0);
	assert_text(&two.file, n, "New Thing", "\t\t\t\t<FLOAT>SIZE OF IT:1.5\n");
	assert_text(&three.file, NULL, "Unit Spawner", "\t\t\t\t<STRING>P_250:long\n");
	assert_text(&four.file, NULL, "TYPE_201", "");
	assert_int_equal(bad.r, -EINVAL);
	assert_true(names_find(n, name_hash(STR("A NAME")), &name));
}

static void the_users_lines_do_not_change_known_names(void **state)
{
	CLEANUP(names_unref)
	struct names *n = names_of("4\tUnit Trigger\t97\tOTHER\tBOOL\n4\tX\t99\tENABLED\tBOOL\n");
	RESULT a = compile("Unit Trigger", "\t\t\t\t<BOOL>ENABLED:true\n", n, NULL);
	RESULT b = compile("Unit Trigger", "\t\t\t\t<BOOL>P_97:true\n", NULL, NULL);
	RESULT c = compile("Unit Trigger", "\t\t\t\t<BOOL>OTHER:true\n", n, NULL);

	(void)state;
	assert_same(&a, &b);
	assert_int_equal(c.r, -EINVAL);
}

static const char unknown[] =
	"\t\t\t\t<BOOL>P_97:true\n\t\t\t\t<STRING>P_250:hello\n"
	"\t\t\t\t<FLOAT>P_251:0.1\n\t\t\t\t<HEX>P_252:0000803F0000000000000040\n"
	"\t\t\t\t<INTEGER64>P_253:-5\n\t\t\t\t<HEX>P_254:02000000803F00000040\n";
static const char kits[] =
	"\t\t\t\t<BOOL>ENABLED:true\n\t\t\t\t<STRING>GREETING:hello\n"
	"\t\t\t\t<FLOAT>TENTH:0.1\n\t\t\t\t<FLOAT>AIMX:1\n\t\t\t\t<FLOAT>AIMY:0\n"
	"\t\t\t\t<FLOAT>AIMZ:2\n\t\t\t\t<INTEGER64>MINUS FIVE:-5\n"
	"\t\t\t\t<STRING>STEPS:1,2\n";

static void names_are_learnt_from_a_text_and_its_compiled_file(void **state)
{
	RESULT old = compile("Unit Trigger", unknown, NULL, NULL);
	RESULT made = compile("Unit Trigger", kits, NULL, &old.file);
	CLEANUP(names_unref) struct names *n = NULL;

	(void)state;
	assert_same(&old, &made);
	buffer_byte(&made.remarks.names, 0);
	n = names_of((char *)made.remarks.names.data);
	assert_text(&old.file, n, "Unit Trigger", kits);
	/* They are valid for other files too. */
	{
		RESULT other = compile("Unit Trigger", "\t\t\t\t<FLOAT>TENTH:7\n", n, NULL);
		RESULT same = compile("Unit Trigger", "\t\t\t\t<FLOAT>P_251:7\n", NULL, NULL);

		assert_same(&other, &same);
	}
}

static void types_are_learnt_too(void **state)
{
	RESULT old = compile("TYPE_200", "\t\t\t\t<FLOAT>P_97:1.5\n", NULL, NULL);
	RESULT made = compile("New Thing", "\t\t\t\t<FLOAT>SIZE OF IT:1.5\n", NULL, &old.file);

	(void)state;
	assert_int_equal(made.r, 0);
	/* Except for the name, which is now that of the type, it is the old file. */
	assert_text(&made.file, NULL, "TYPE_200", "\t\t\t\t<FLOAT>P_97:1.5\n");
}

static void a_changed_value_is_recognized_by_its_place(void **state)
{
	RESULT old = compile("Unit Trigger",
		"\t\t\t\t<STRING>P_250:hello\n\t\t\t\t<BOOL>P_97:true\n\t\t\t\t<FLOAT>P_251:1\n",
		NULL, NULL);
	RESULT made = compile("Unit Trigger",
		"\t\t\t\t<STRING>GREETING:goodbye\n\t\t\t\t<BOOL>ENABLED:false\n"
		"\t\t\t\t<FLOAT>TENTH:2\n",
		NULL, &old.file);

	(void)state;
	assert_int_equal(made.r, 0);
	assert_text(&made.file, NULL, "Unit Trigger",
		"\t\t\t\t<STRING>P_250:goodbye\n\t\t\t\t<BOOL>ENABLED:false\n"
		"\t\t\t\t<FLOAT>P_251:2\n");
}

/*
 * A misspelled name beside the property's number must not give a second property with that number.
 */
static void a_property_written_by_number_gets_no_other_name(void **state)
{
	RESULT old = compile("Unit Trigger", "\t\t\t\t<FLOAT>P_250:1\n", NULL, NULL);
	RESULT made = compile("Unit Trigger", "\t\t\t\t<FLOAT>MISPELT:1\n\t\t\t\t<FLOAT>P_250:1\n",
		NULL, &old.file);

	RESULT place = compile("Unit Trigger", "\t\t\t\t<FLOAT>MISPELT:2\n\t\t\t\t<FLOAT>P_251:7\n",
		NULL, &old.file);

	(void)state;
	assert_int_equal(made.r, -EINVAL);
	assert_non_null(strstr(error_text(&made.e), "MISPELT"));
	assert_int_equal(place.r, -EINVAL);
}

static void an_unknown_name_that_the_old_file_does_not_explain_is_refused(void **state)
{
	RESULT old = compile(
		"Unit Trigger", "\t\t\t\t<FLOAT>P_250:1\n\t\t\t\t<FLOAT>P_251:2\n", NULL, NULL);
	RESULT one = compile("Unit Trigger", "\t\t\t\t<FLOAT>EITHER:3\n", NULL, &old.file);
	RESULT kind = compile(
		"Unit Trigger", "\t\t\t\t<STRING>A:x\n\t\t\t\t<STRING>B:y\n", NULL, &old.file);
	RESULT none = compile("Unit Trigger", "\t\t\t\t<FLOAT>EITHER:3\n", NULL, NULL);

	(void)state;
	assert_int_equal(one.r, -EINVAL);
	assert_int_equal(kind.r, -EINVAL);
	assert_int_equal(none.r, -EINVAL);
	assert_non_null(strstr(error_text(&none.e), "line 11, column"));
	assert_non_null(strstr(error_text(&none.e), "EITHER"));
	assert_int_equal(one.remarks.names.size, 0);
}

/* They have no property that a pair could show. */
static void descriptors_without_properties_have_their_names(void **state)
{
	static const struct {
		const char *name;
		uint8_t type;
	} known[] = {{"Pet Controller", 110}, {"Quest Description Controller", 117},
		{"Quest List Controller", 118}, {"UI State Controller", 131},
		{"Equipment Modifier Controller", 134}, {"Trade Controller", 157}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		RESULT r = compile(known[i].name, "", NULL, NULL);

		assert_int_equal(r.r, 0);
		assert_int_equal(r.file.data[8 + 4], known[i].type);
		assert_text(&r.file, NULL, known[i].name, "");
	}
}

/* A list cannot give the name of a known type to an unnamed one. */
static void an_added_list_cannot_take_the_name_of_a_type(void **state)
{
	CLEANUP(names_unref) struct names *n = names_of("200\tGroup\n201\tOwn Type\n");
	uint8_t type;

	(void)state;
	assert_true(layout_type_named(n, STR("Group"), &type));
	assert_int_equal(type, 1);
	assert_true(layout_type_named(n, STR("own type"), &type));
	assert_int_equal(type, 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_no_pair_shows_come_from_the_kits_list),
		cmocka_unit_test(the_table_has_no_contradictions),
		cmocka_unit_test(descriptors_without_properties_have_their_names),
		cmocka_unit_test(the_users_lines_name_types_and_properties),
		cmocka_unit_test(the_users_lines_do_not_change_known_names),
		cmocka_unit_test(names_are_learnt_from_a_text_and_its_compiled_file),
		cmocka_unit_test(types_are_learnt_too),
		cmocka_unit_test(a_changed_value_is_recognized_by_its_place),
		cmocka_unit_test(a_property_written_by_number_gets_no_other_name),
		cmocka_unit_test(an_unknown_name_that_the_old_file_does_not_explain_is_refused),
		cmocka_unit_test(an_added_list_cannot_take_the_name_of_a_type),
	};

	int failed;

	shipped = names_create();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	names_unref(shipped);
	return failed;
}
