/* SPDX-License-Identifier: Zlib */
/* Faults in the tables of a file that a game refuses or warns of, but mapfs accepts. A save
 * corrects them. A fault that may continue in later entries of a table is reported only once. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/datafile/tables.h"

enum { TYPES_MAX = 65536 };

static void report_field(
	struct tw_faults *f, const char *field, int64_t value, const char *word, int64_t bound)
{
	tw_fault_add(f, TW_F_FILE, tw_in_map(), field, tw_digits(value).text,
		tw_text("%s%" PRId64, word, bound).text, NULL);
}

static void report_element(struct tw_faults *f, const char *table, uint32_t i, const char *member,
	int64_t value, const char *word, int64_t bound)
{
	report_field(f, tw_text("%s[%" PRIu32 "]%s", table, i, member).text, value, word, bound);
}

/* Programs before 2010 did not count data_sizes in size and swaplen. */
static void check_length(struct tw_faults *f, const struct datafile_header *h, const char *field,
	int32_t value, int64_t right)
{
	if (h->version == 4 && value == right - 4 * (int64_t)h->num_data && value != right)
		tw_fault_add(f, TW_F_FILE_LENGTH, tw_in_map(), field, tw_digits(value).text,
			tw_digits(right).text, NULL);
	else if (value != right)
		report_field(f, field, value, "", right);
}

static void check_header(struct tw_faults *f, const struct datafile_tables *t)
{
	const struct datafile_header *h = &t->h;
	int64_t end = (int64_t)t->data_at + h->data_size;

	if (h->num_item_types > TYPES_MAX)
		report_field(f, "num_item_types", h->num_item_types, "at most ", TYPES_MAX);
	if ((int64_t)t->file_size != end)
		report_field(f, "file size", (int64_t)t->file_size, "", end);
	check_length(f, h, "size", h->size, end - 16);
	check_length(f, h, "swaplen", h->swaplen, end - 16 - h->data_size);
}

static void check_types(struct tw_faults *f, const struct datafile_tables *t)
{
	for (int32_t i = 0; i < t->h.num_item_types; i++) {
		int32_t num = load_i32(t->types + 12 * (size_t)i + 8);

		if (num > 0)
			continue;
		report_element(f, "item_types", (uint32_t)i, ".num", num, "at least ", 1);
		return;
	}
}

/* Items must fill their section without gaps. They are within it, since the map was opened. */
static void check_items(struct tw_faults *f, const struct datafile_tables *t)
{
	int64_t end = 0;

	for (int32_t i = 0; i < t->h.num_items; i++) {
		int32_t off = load_i32(t->item_offsets + 4 * (size_t)i);

		if (off != end) {
			report_element(f, "item_offsets", (uint32_t)i, "", off, "", end);
			return;
		}
		end = off + (int64_t)8 + load_i32(t->items->data + off + 4);
	}
	if (end != t->h.item_size)
		report_field(f, "item_size", t->h.item_size, "", end);
}

static void check_offsets(struct tw_faults *f, const struct datafile_tables *t)
{
	int64_t before = -1;

	for (int32_t i = 0; i < t->h.num_data; i++) {
		int32_t off = load_i32(t->data_offsets + 4 * (size_t)i);

		if (off < t->h.data_size && (i ? off > before : off == 0)) {
			before = off;
			continue;
		}
		if (off >= t->h.data_size)
			report_element(
				f, "data_offsets", (uint32_t)i, "", off, "below ", t->h.data_size);
		else
			report_element(f, "data_offsets", (uint32_t)i, "", off, i ? "above " : "",
				i ? before : 0);
		return;
	}
}

void tw_check_file(struct tw_faults *f)
{
	__attribute__((cleanup(datafile_tables_finish))) struct datafile_tables t = {0};
	struct error e = ERROR_INIT;
	struct stat st;

	if (!f->m->file || fstat(f->m->file->fd, &st) < 0 ||
		datafile_read_tables(f->m->file, (uint64_t)st.st_size, &t, &e) < 0) {
		f->out_of_memory |= e.code == -ENOMEM;
		return;
	}
	check_header(f, &t);
	check_types(f, &t);
	check_items(f, &t);
	check_offsets(f, &t);
}
