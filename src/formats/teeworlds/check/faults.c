/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/check/faults.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "codec/zlib/checksum.h"
#include "formats/teeworlds/names/paths.h"

enum { TEXT_MAX = 2 * TW_PATH_MAX };

static int compare_keys(const void *pa, const void *pb)
{
	const struct tw_fault_key *a = pa, *b = pb;

	return array_compare(a->code, b->code) ?: array_compare(a->place.at, b->place.at)
		?: array_compare(a->place.number, b->place.number) ?: array_compare(a->sum, b->sum);
}

void tw_faults_settle(struct tw_faults *f)
{
	if (f->n)
		qsort(f->keys, f->n, sizeof(*f->keys), compare_keys);
}

void tw_faults_finish(struct tw_faults *f)
{
	free(f->keys);
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

/* Write the path of an item. In a map that shows only raw/, a layer is "layer 3". */
static void write_item_path(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	if (m->items[item].type == TW_GROUP)
		tw_path_group(m, item, dst);
	else if (m->items[item].type == TW_LAYER)
		tw_path_layer(m, item, dst);
	else
		tw_path_item(m, item, dst);
}

static void report_fault(
	struct tw_faults *f, const struct tw_fault_key *key, struct format_fault *fault)
{
	char path[TW_PATH_MAX] = "", line[TW_PATH_MAX + TEXT_MAX];
	uint32_t what = key->place.number;

	if (key->place.at == TW_AT_ITEM)
		write_item_path(f->m, what, path);
	else if (key->place.at == TW_AT_INFO)
		snprintf(path, sizeof(path), "info/%s", tw_info_names[what]);
	else if (key->place.at == TW_AT_DATA)
		snprintf(path, sizeof(path), "raw/data/%05" PRIu32, what);
	snprintf(line, sizeof(line), "%s%s%s", path, path[0] ? ": " : "", fault->text);
	fault->is_warning = key->code >= TW_F_WARNED;
	fault->path = path;
	fault->line = line;
	fault->record = key;
	f->refused |= !fault->is_warning;
	f->report(f->arg, fault);
}

void tw_fault_add(struct tw_faults *f, enum tw_fault_code code, struct tw_place place,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
{
	struct tw_fault_key key = {code, place, 0};
	struct format_fault fault = {.field = field, .value = value, .bound = bound};
	char text[TEXT_MAX];
	va_list ap;

	if (code >= TW_F_WARNED)
		key.sum = checksum_crc32(
			checksum_crc32(0, field, strlen(field) + 1), value, strlen(value));
	if (!f->report) {
		if (array_reserve(f->keys, f->n, f->room))
			f->keys[f->n++] = key;
		else
			f->out_of_memory = true;
		return;
	}
	if (f->before && f->before->n &&
		bsearch(&key, f->before->keys, f->before->n, sizeof(key), compare_keys))
		return;
	va_start(ap, fmt);
	if (fmt)
		vsnprintf(text, sizeof(text), fmt, ap);
	else
		snprintf(text, sizeof(text), "%s is %s (%s)", field, value, bound);
	va_end(ap);
	fault.text = text;
	report_fault(f, &key, &fault);
}

bool tw_fault_short(struct tw_faults *f, enum tw_fault_code code, uint32_t handle, uint32_t least)
{
	uint32_t n = f->m->items[handle].ints->n;

	if (n < least)
		tw_fault_add(f, code, tw_in_item(handle), "integers", tw_digits(n).text,
			tw_text("at least %u", least).text, "has %u integers (at least %u)", n,
			least);
	return n < least;
}
