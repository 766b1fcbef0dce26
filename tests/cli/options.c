/* SPDX-License-Identifier: Zlib */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line/options.h"
#include "cli/line/words.h"

static int add_options(struct options *o, const char *list)
{
	struct error e = ERROR_INIT;
	int r = options_add(o, list, &e);

	/* A refusal names the option; a success has no message. */
	assert_int_equal(r < 0, e.text[0] != '\0');
	return r;
}

static int add_options_to_defaults(const char *list)
{
	struct options o;
	int r;

	options_init(&o);
	r = add_options(&o, list);
	options_finish(&o);
	return r;
}

static void the_defaults_are_writable_and_a_share_of_memory(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	assert_false(o.rq.vfs_options.read_only);
	assert_false(o.rq.allow_other);
	assert_false(o.rq.vfs_options.have_uid || o.rq.vfs_options.have_gid ||
		     o.rq.vfs_options.file_mask || o.rq.vfs_options.dir_mask);
	assert_in_range(o.rq.vfs_options.cache, 1, 268435456);
	assert_int_equal(options_cache_default(536870912), 33554432);
	assert_int_equal(options_cache_default(3221225472), 201326592);
	assert_int_equal(options_cache_default(4294967296), 268435456);
	assert_int_equal(options_cache_default(68719476736), 268435456);
	assert_null(o.rq.vfs_options.options[0]);
	options_finish(&o);
}

static void options_of_mount_are_ignored(void **state)
{
	static const char *const lists[] = {"rw,dev,suid", "nofail,x-systemd.automount,_netdev",
		"user,noauto,exec,async", "users,owner,group,defaults", "X-mount.mkdir",
		"comment=a word", "user=ann", "noatime,nodiratime,relatime", "nodev,nosuid", "",
		",", ",,rw,", "fsname=my map,subtype=x,auto_unmount,kernel_cache",
		"direct_io,noforget,default_permissions,big_writes,nonempty",
		"use_ino,attr_timeout=1,max_read=4096"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(add_options_to_defaults(lists[i]), 0);
}

static void security_contexts_are_passed_to_the_kernel(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(
		add_options(&o, "ro,context=\"u:r:t:s0:c1,c2\",rootcontext=u:r,noexec"), 0);
	assert_true(o.rq.vfs_options.read_only && o.rq.noexec);
	assert_string_equal(o.rq.security[0], "context=\"u:r:t:s0:c1,c2\"");
	assert_string_equal(o.rq.security[1], "rootcontext=u:r");
	assert_null(o.rq.security[2]);
	assert_null(o.rq.vfs_options.options[0]);
	options_finish(&o);
}

static void the_later_of_allow_other_and_allow_root_counts(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(add_options(&o, "allow_root"), 0);
	assert_true(o.rq.allow_other && o.rq.allow_root);
	assert_int_equal(add_options(&o, "allow_other"), 0);
	assert_true(o.rq.allow_other && !o.rq.allow_root);
	options_finish(&o);
}

static void unknown_options_are_refused(void **state)
{
	static const char *const lists[] = {"nosuch", "rww", "r", "ro=1", "uid", "cache", "raw",
		"raw=", "raw=maybe", "raw=rw ", "remount", "rw,nosuch", "allow_roots"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(add_options_to_defaults(lists[i]), -EINVAL);
}

static void the_refused_option_is_named(void **state)
{
	struct error e = ERROR_INIT;
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(options_add(&o, "ro,frob=7,rw", &e), -EINVAL);
	assert_non_null(strstr(e.text, "frob=7"));
	options_finish(&o);
}

static void the_later_of_ro_and_rw_counts(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	add_options(&o, "ro");
	assert_true(o.rq.vfs_options.read_only);
	add_options(&o, "rw");
	assert_false(o.rq.vfs_options.read_only);
	add_options(&o, "rw,ro");
	assert_true(o.rq.vfs_options.read_only);
	options_finish(&o);
}

static void owner_and_mask_must_be_numbers(void **state)
{
	static const char *const wrong[] = {"uid=", "uid=-1", "uid=+1", "uid= 1", "uid=ann",
		"uid=1x", "uid=4294967295", "gid=4294967295", "gid=0x10", "umask=8", "umask=1000",
		"umask=", "umask=-1", "fmask=8", "dmask=", "fmask"};
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(add_options(&o, "uid=4294967294,gid=0,umask=027"), 0);
	assert_true(o.rq.vfs_options.have_uid && o.rq.vfs_options.have_gid);
	assert_int_equal(o.rq.vfs_options.uid, 4294967294);
	assert_int_equal(o.rq.vfs_options.gid, 0);
	assert_int_equal(o.rq.vfs_options.file_mask, 027);
	assert_int_equal(o.rq.vfs_options.dir_mask, 027);
	options_finish(&o);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(add_options_to_defaults(wrong[i]), -EINVAL);
}

static void files_and_directories_have_separate_masks(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	add_options(&o, "umask=077,fmask=133");
	assert_int_equal(o.rq.vfs_options.file_mask, 0133);
	assert_int_equal(o.rq.vfs_options.dir_mask, 077);
	add_options(&o, "dmask=022");
	assert_int_equal(o.rq.vfs_options.file_mask, 0133);
	assert_int_equal(o.rq.vfs_options.dir_mask, 022);
	add_options(&o, "umask=0");
	assert_int_equal(o.rq.vfs_options.file_mask | o.rq.vfs_options.dir_mask, 0);
	options_finish(&o);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t size;
	} right[] = {{"0", 0}, {"1", 1}, {"1K", 1024}, {"1k", 1024}, {"64M", 67108864},
		{"3g", 3221225472}, {"18446744073709551615", UINT64_MAX},
		{"17179869183G", 18446744072635809792U}};
	static const char *const wrong[] = {"", "K", "-1", "+1", " 1", "1 ", "1KB", "1KK", "1T",
		"1.5M", "0x10", "18446744073709551616", "17179869184G"};

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		uint64_t size = 99;

		assert_int_equal(options_size(right[i].text, &size), 0);
		assert_true(size == right[i].size);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t size;

		assert_int_equal(options_size(wrong[i], &size), -EINVAL);
	}
}

static void settings_of_a_format_are_passed_on_in_order(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	add_options(&o, "raw=rw,ro,raw=off");
	add_options(&o, "raw=ro");
	assert_string_equal(o.rq.vfs_options.options[0], "raw=rw");
	assert_string_equal(o.rq.vfs_options.options[1], "raw=off");
	assert_string_equal(o.rq.vfs_options.options[2], "raw=ro");
	assert_null(o.rq.vfs_options.options[3]);
	options_finish(&o);
	assert_null(o.rq.vfs_options.options[0]);
}

static void the_variant_of_a_triclon_map_can_be_forced(void **state)
{
	static const char *const right[] = {"endian=little", "endian=big", "endian=le", "endian=be",
		"lists=bytes", "lists=count", "points=none", "points=bytes", "points=count"};
	static const char *const wrong[] = {"endian", "endian=", "endian=middle", "endian=little ",
		"ENDIAN=little", "lists", "lists=none", "lists=Count", "points", "points=all",
		"points=8"};
	struct options o;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		options_init(&o);
		assert_int_equal(add_options(&o, right[i]), 0);
		assert_string_equal(o.rq.vfs_options.options[0], right[i]);
		assert_null(o.rq.vfs_options.options[1]);
		options_finish(&o);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(add_options_to_defaults(wrong[i]), -EINVAL);
	options_init(&o);
	assert_int_equal(add_options(&o, "endian=big,lists=count,ro,points=none"), 0);
	assert_string_equal(o.rq.vfs_options.options[0], "endian=big");
	assert_string_equal(o.rq.vfs_options.options[1], "lists=count");
	assert_string_equal(o.rq.vfs_options.options[2], "points=none");
	assert_null(o.rq.vfs_options.options[3]);
	options_finish(&o);
}

static void the_refused_value_of_a_known_option_is_named(void **state)
{
	struct error e = ERROR_INIT;
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(options_add(&o, "points=none,lists=none", &e), -EINVAL);
	assert_string_equal(e.text, "option lists: invalid value \"none\" (must be bytes or count)");
	options_finish(&o);
}

static void new_offers_the_formats_that_can_create_maps(void **state)
{
	char *all;

	(void)state;
	assert_true(words_format_known("teeworlds"));
	assert_false(words_format_known("zz"));
	assert_false(words_format_known(""));
	all = words_formats();
	for (size_t i = 0; formats[i]; i++)
		assert_int_equal(strstr(all, formats[i]->name) != NULL, formats[i]->can_create);
	free(all);
}

static void assert_only_numbers_are_accepted(const struct format_setting *s)
{
	const uint32_t taken[] = {s->min, s->max}, refused[] = {s->min - 1, s->max + 1};
	char option[64];

	assert_true(s->min > 1);
	for (size_t i = 0; i < 2; i++) {
		snprintf(option, sizeof(option), "%s=%u", s->key, taken[i]);
		assert_int_equal(add_options_to_defaults(option), 0);
		snprintf(option, sizeof(option), "%s=%u", s->key, refused[i]);
		assert_int_equal(add_options_to_defaults(option), -EINVAL);
	}
}

static void every_setting_of_a_format_is_accepted_and_explained(void **state)
{
	(void)state;
	for (size_t i = 0; formats[i]; i++) {
		for (const struct format_setting *s = formats[i]->settings; s && s->key; s++) {
			char option[64];

			assert_ptr_equal(words_option(s->key)->values, s->values);
			assert_true(strlen(s->help) > 0);
			snprintf(option, sizeof(option), "%s=%s", s->key,
				s->values ? s->values[0]
				: s->max  ? "0"
					  : "/dev/null");
			assert_int_equal(add_options_to_defaults(option), 0);
			if (s->max)
				assert_only_numbers_are_accepted(s);
		}
	}
}

static void a_file_in_an_option_is_kept_as_an_absolute_path(void **state)
{
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(add_options(&o, "names=/dev/../dev/null"), 0);
	assert_string_equal(o.rq.vfs_options.options[0], "names=/dev/null");
	options_finish(&o);
	assert_int_equal(add_options_to_defaults("names=/no/such/file"), -ENOENT);
}

static void a_backslash_escapes_a_comma_in_a_value(void **state)
{
	struct error e = ERROR_INIT;
	struct options o;

	(void)state;
	options_init(&o);
	assert_int_equal(add_options(&o, "comment=a\\,nosuch,ro"), 0);
	assert_true(o.rq.vfs_options.read_only);
	assert_int_equal(options_add(&o, "a\\,b\\\\c\\d", &e), -EINVAL);
	assert_non_null(strstr(e.text, "\"a,b\\c\\d\""));
	options_finish(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_writable_and_a_share_of_memory),
		cmocka_unit_test(options_of_mount_are_ignored),
		cmocka_unit_test(security_contexts_are_passed_to_the_kernel),
		cmocka_unit_test(the_later_of_allow_other_and_allow_root_counts),
		cmocka_unit_test(unknown_options_are_refused),
		cmocka_unit_test(the_refused_option_is_named),
		cmocka_unit_test(the_later_of_ro_and_rw_counts),
		cmocka_unit_test(owner_and_mask_must_be_numbers),
		cmocka_unit_test(files_and_directories_have_separate_masks),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(settings_of_a_format_are_passed_on_in_order),
		cmocka_unit_test(the_variant_of_a_triclon_map_can_be_forced),
		cmocka_unit_test(the_refused_value_of_a_known_option_is_named),
		cmocka_unit_test(new_offers_the_formats_that_can_create_maps),
		cmocka_unit_test(every_setting_of_a_format_is_accepted_and_explained),
		cmocka_unit_test(a_file_in_an_option_is_kept_as_an_absolute_path),
		cmocka_unit_test(a_backslash_escapes_a_comma_in_a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
