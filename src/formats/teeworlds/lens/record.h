/* SPDX-License-Identifier: Zlib */
/* record: convert between a list of integers and a JSON object, by a table of keys. Items, quads,
 * sound sources and points of envelopes are records. */
#pragma once

#include "codec/text/json.h"
#include "formats/teeworlds/names/reference.h"

/* The sort of object that an integer refers to. Envelopes are distinguished by their use. */
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
	uint8_t first, n;   /* the integers; one is written as a number, several as an array */
	uint8_t row_length; /* if not 0, write an array of arrays of this length */
	uint8_t version;    /* the first version of a record that has the key; 0: all */
	bool is_fixed;      /* the file must not change the value */
	enum tw_refers ref; /* n must be 1 then */
	const struct json_word *words; /* names of values; NULL if values are numbers */
	int32_t min, max;              /* range of a changed value; both 0 if any is valid */
	int32_t initial;               /* the value in new records */
	const int32_t *initial_values; /* n initial values, if they differ; else NULL */
};

/* Editors' names for the types of layers, and for the kinds of tile layers. */
extern const struct json_word tw_type_words[], tw_kind_words[];

struct tw_record {
	const struct tw_key *keys;
	int32_t *v;
	uint32_t n;      /* length of v; the record has no key whose integers are beyond it */
	int32_t version; /* the record has no key of a later version */
};

/* How an item is stored, in all its versions. */
struct tw_layout {
	const struct tw_key *keys;
	uint16_t type;      /* the item type */
	uint8_t version_at; /* index of the integer that holds the version */
	/* Return a copy in another version (item/version.h). NULL if memory is exhausted. */
	struct tw_ints *(*convert)(const struct tw_ints *v, int32_t version);
};

/* A record of an item's integers; v is borrowed. Version 0 if v has no integer for it. */
struct tw_record tw_record_of(const struct tw_layout *l, struct tw_ints *v);

/* Write the keys that the record has, and their values, into a JSON object that is open in w. */
void tw_record_write(struct jsonw *w, const struct tw_map *m, const struct tw_record *rec);

/* Check that the value is an object, and that its keys are in the table or equal `extra` (may be
 * NULL). -EINVAL. */
int tw_record_expect(
	const struct json_at *at, const struct tw_key *keys, const char *extra, struct error *e);
/* Read the values of an object's keys into rec->v, on failure some; absent keys keep their values.
 * names may be NULL if no key of the table is a reference. -EINVAL: the record lacks a key, a value
 * has another type or range, a fixed value was changed, or as tw_ref_read. */
int tw_record_read(const struct json_at *at, const struct tw_naming *names,
	const struct tw_record *rec, struct error *e);
/* Make the integers of the item that a file describes: `old` (not NULL) with the values of the
 * file's keys. The version is that in the file, or else of `old`, but at least that which the keys
 * and the name stored in `old` need. tw_ints_unref drops *ret. Errors as tw_record_read. */
int tw_record_item(const struct json_at *root, const struct tw_naming *names,
	const struct tw_layout *l, const struct tw_ints *old, struct tw_ints **ret,
	struct error *e);
/* Set the integers of all keys that the record has to their initial values. */
void tw_record_reset(const struct tw_record *rec);

/* Write a reference: the stem of its object, null for -1, or the number if it means nothing. */
void tw_ref_write(struct jsonw *w, const struct tw_map *m, enum tw_refers ref, int32_t value);
/* Read a reference into *ret, which must hold the previous value: its stem is always accepted. null
 * becomes -1; an integer is not checked. If names->ret_unknown is not NULL, another stem sets
 * *names->ret_unknown to true, keeps *ret, and is not looked up: tw_ref_resolve does that later.
 * -EINVAL: another type; or, marked as unresolved in e, the stem names no object, or several. */
int tw_ref_read(const struct json_at *at, const struct tw_naming *names, enum tw_refers ref,
	int32_t *ret, struct error *e);
/* Look up a stem for which tw_ref_read set *names->ret_unknown. -EINVAL: it names no object, or
 * several; not marked as unresolved. */
int tw_ref_resolve(const struct tw_naming *names, enum tw_refers ref, const char *stem,
	int32_t *ret, struct error *e);
