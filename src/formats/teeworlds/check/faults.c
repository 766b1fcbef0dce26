/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/check/faults.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"

enum { TEXT_MAX = 2 * TW_PATH_MAX };

static int key_cmp(const void *pa, const void *pb)
{
	const struct tw_fault_key *a = pa, *b = pb;

	return array_order(a->code, b->code) ?: array_order(a->place.at, b->place.at)
		?: array_order(a->place.what, b->place.what);
}

void tw_faults_settle(struct tw_faults *f)
{
	if (f->n)
		qsort(f->keys, f->n, sizeof(*f->keys), key_cmp);
}

void tw_faults_finish(struct tw_faults *f)
{
	free(f->keys);
}

struct tw_digits tw_digits(int64_t v)
{
	struct tw_digits d;

	snprintf(d.text, sizeof(d.text), "%" PRId64, v);
	return d;
}

struct tw_text tw_text(const char *fmt, ...)
{
	struct tw_text t;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t.text, sizeof(t.text), fmt, ap);
	va_end(ap);
	return t;
}

void tw_place_path(const struct tw_map *m, struct tw_place place, char dst[TW_PATH_MAX])
{
	dst[0] = '\0';
	switch (place.at) {
	case TW_AT_GROUP:
		tw_path_group(m, place.what, dst);
		break;
	case TW_AT_LAYER:
		tw_path_layer(m, place.what, dst);
		break;
	case TW_AT_OBJECT:
		tw_path_object(m, place.what, dst);
		break;
	case TW_AT_INFO:
		snprintf(dst, TW_PATH_MAX, "info/%s", tw_info_names[place.what]);
		break;
	case TW_AT_DATA:
		snprintf(dst, TW_PATH_MAX, "raw/data/%05" PRIu32, place.what);
		break;
	case TW_AT_MAP:
		break;
	}
}

static void tell(struct tw_faults *f, const struct tw_fault_key *key, struct format_fault *fault)
{
	char path[TW_PATH_MAX], line[TW_PATH_MAX + TEXT_MAX];

	tw_place_path(f->m, key->place, path);
	snprintf(line, sizeof(line), "%s%s%s", path, path[0] ? ": " : "", fault->text);
	fault->warned = key->code == TW_F_WARNED;
	fault->path = path;
	fault->line = line;
	f->refused |= !fault->warned;
	f->why(f->arg, fault);
}

void tw_fault(struct tw_faults *f, enum tw_fault_code code, struct tw_place place,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
{
	const struct tw_fault_key key = {code, place};
	struct format_fault fault = {.field = field, .value = value, .bound = bound};
	char text[TEXT_MAX];
	va_list ap;

	if (!f->why) {
		if (array_room(f->keys, f->n, f->room))
			f->keys[f->n++] = key;
		else
			f->failed = true;
		return;
	}
	if (f->before && f->before->n &&
		bsearch(&key, f->before->keys, f->before->n, sizeof(key), key_cmp))
		return;
	va_start(ap, fmt);
	if (fmt)
		vsnprintf(text, sizeof(text), fmt, ap);
	else
		snprintf(text, sizeof(text), "%s is %s (%s)", field, value, bound);
	va_end(ap);
	fault.text = text;
	tell(f, &key, &fault);
}
