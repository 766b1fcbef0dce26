/* SPDX-License-Identifier: Zlib */
/*
 * record: integers as the keys of a JSON object, by a table (layout rules 16 to 20). An item, a
 * quad, a sound source and a point of an envelope are all records.
 */
#pragma once

#include "codec/text/json.h"
#include "formats/teeworlds/names/reference.h"

/* What an integer refers to; envelopes by what they move. */
enum tw_refers {
	TW_REF_NONE,
	TW_REF_IMAGE,
	TW_REF_SOUND,
	TW_REF_POSITION_ENVELOPE,
	TW_REF_COLOR_ENVELOPE,
	TW_REF_SOUND_ENVELOPE,
};

struct tw_key {
	const char *name;   /* NULL ends a table */
	uint8_t first, n;   /* which integers; one is a bare number, several are an array */
	uint8_t row_length; /* not 0: the array is one of arrays of that many */
	uint8_t version;    /* records of older versions lack the key */
	bool is_fixed;      /* cannot be changed through the file */
	enum tw_refers ref;
	const struct json_word *words; /* for values that have a name; NULL: numbers */
	int32_t min, max;              /* of a value that is changed; both 0: any */
	int32_t initial;               /* in new records */
	const int32_t *initial_values; /* ... where the integers differ; else NULL */
};

/* What editors call a layer's type and kind (layout rule 16). */
extern const struct json_word tw_type_words[], tw_kind_words[];

/* The integers of one record. */
struct tw_record {
	const struct tw_key *keys;
	int32_t *v;
	uint32_t n;      /* that there are; keys that need more are absent */
	int32_t version; /* keys of later versions are absent */
};

/* Items of a sort, which may be of several versions. */
struct tw_layout {
	const struct tw_key *keys;
	uint16_t type;      /* of the items; a name that they have a file does not take away */
	uint8_t version_at; /* the integer that says it */
	struct tw_ints *(*convert)(const struct tw_ints *v, int32_t version); /* item/version.h */
};

/* An item as a record. */
struct tw_record tw_record_of(const struct tw_layout *l, struct tw_ints *v);

/* The keys with their values, inside an object that the caller opened. */
void tw_record_write(struct jsonw *w, const struct tw_map *m, const struct tw_record *rec);

/* The object has no keys but the table's and `extra` (may be NULL). */
int tw_record_expect(
	const struct json_at *at, const struct tw_key *keys, const char *extra, struct error *e);
/*
 * Takes over the values of the keys that are there; absent keys keep their values. -EINVAL: a key
 * that the record lacks, a fixed one that differs, a value that is changed to one out of its range,
 * a stem that names nothing. names: NULL where no key refers to anything.
 */
int tw_record_read(const struct json_at *at, const struct tw_naming *names,
	const struct tw_record *rec, struct error *e);
/*
 * The item that a file wants: `old` with the version that the file says, or that its keys take, and
 * with their values. Refuses as tw_record_read does.
 */
int tw_record_item(const struct json_at *root, const struct tw_naming *names,
	const struct tw_layout *l, const struct tw_ints *old, struct tw_ints **ret,
	struct error *e);
/* All integers that keys show become their initial values. */
void tw_record_reset(const struct tw_record *rec);

/* A reference: a stem, null for -1, and the bare number where it points at nothing. *ret is what it
 * was before. */
void tw_ref_write(struct jsonw *w, const struct tw_map *m, enum tw_refers ref, int32_t value);
int tw_ref_read(const struct json_at *at, const struct tw_naming *names, enum tw_refers ref,
	int32_t *ret, struct error *e);
/* Look up a stem that tw_ref_read has left alone (tw_naming.ret_unknown). */
int tw_ref_resolve(const struct tw_naming *names, enum tw_refers ref, const char *stem,
	int32_t *ret, struct error *e);
