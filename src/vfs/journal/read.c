/* SPDX-License-Identifier: Zlib */
#include "vfs/journal/read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "vfs/files/sidecar.h"

enum { TEXTS_MAX = 16 << 10 }; /* bytes that all texts of a record may take */

/* Number of strings at the start of a record of this type; -1 if the type is unknown. */
static int text_count(uint32_t type)
{
	switch (type) {
	case JOURNAL_HEADER:
		return 4;
	case JOURNAL_DRAFT:
	case JOURNAL_RENAME:
		return 2;
	case JOURNAL_PUT:
	case JOURNAL_DROP:
	case JOURNAL_SAVED:
	case JOURNAL_MKDIR:
	case JOURNAL_REMOVE:
		return 1;
	case JOURNAL_NAMES:
		return 0;
	default:
		return -1;
	}
}

void journal_record_finish(struct journal_record *r)
{
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	extent_finish(&r->content);
	*r = (struct journal_record){0};
}

bool journal_record_op(const struct journal_record *r, struct journal_op *ret)
{
	bool has_content = r->type == JOURNAL_PUT || r->type == JOURNAL_DRAFT;
	const char *second = r->n_texts > 1 ? r->texts[1] : "";

	if (r->damaged || !r->n_texts || r->type == JOURNAL_HEADER || r->type == JOURNAL_SAVED)
		return false;
	*ret = (struct journal_op){
		r->type, r->texts[0], second, second, has_content ? &r->content : NULL};
	return true;
}

/* Are the paths valid? No mount writes invalid ones. */
static bool paths_lead_inside(const struct journal_record *r)
{
	if (r->type == JOURNAL_HEADER || r->type == JOURNAL_SAVED || !r->n_texts)
		return true;
	return path_check(r->texts[0]) == 0 &&
	       (r->type != JOURNAL_RENAME || path_check(r->texts[1]) == 0);
}

/* Parse a record. Returns 1 or -errno. A record that cannot be parsed gets type 0. */
static int parse_record(const struct record *rec, struct journal_record *ret, struct error *e)
{
	int texts = rec->is_damaged ? -1 : text_count(rec->type);
	size_t want = texts < 0 ? 0 : (size_t)texts, n = 0, begin = 0;
	size_t size = rec->payload.size < TEXTS_MAX ? (size_t)rec->payload.size : TEXTS_MAX;
	CLEANUP(free) char *head = NULL;
	int r;

	*ret = (struct journal_record){.damaged = rec->is_damaged, .crc = rec->crc};
	if (rec->is_damaged && text_count(rec->type) >= 0)
		ret->type = (enum journal_type)rec->type;
	if (texts < 0)
		return 1;
	head = malloc(size + 1);
	if (!head)
		return error_set(e, -ENOMEM, "out of memory");
	r = want ? extent_read(&rec->payload, 0, head, size, e) : 0;
	if (r < 0)
		return r;
	head[size] = '\0';
	while (n < want && begin <= size) {
		ret->texts[n] = strdup(head + begin);
		if (!ret->texts[n]) {
			journal_record_finish(ret);
			return error_set(e, -ENOMEM, "out of memory");
		}
		begin += strlen(head + begin) + 1;
		ret->n_texts = ++n;
	}
	/* The NUL of the last string may be missing, but only at the end of the record. */
	if (n < want || begin > size + (size == rec->payload.size)) {
		journal_record_finish(ret);
		return 1;
	}
	ret->type = (enum journal_type)rec->type;
	if (!paths_lead_inside(ret)) {
		journal_record_finish(ret);
		ret->type = (enum journal_type)rec->type;
		ret->damaged = true;
		return 1;
	}
	begin = begin < size ? begin : size;
	ret->content = extent_ref(&rec->payload);
	ret->content.off += begin;
	ret->content.size -= begin;
	return 1;
}

int journal_record_next(struct reclog *l, struct reclog_pos *pos, struct journal_record *ret,
	bool *ret_torn, struct error *e)
{
	struct record rec;
	int r = reclog_next(l, pos, &rec, ret_torn, e);

	if (r <= 0)
		return r;
	r = parse_record(&rec, ret, e);
	extent_finish(&rec.payload);
	return r;
}

static const char infix[] = ".mapfs-journal-";

/* The part after the map's name in the file name of a journal; NULL if it is not a journal's. */
static const char *suffix_of(const char *file)
{
	const char *at = NULL, *next = file;

	while ((next = strstr(next, infix)))
		at = next++;
	return at && strspn(at + strlen(infix), "0123456789abcdef") == IDENTITY_SIZE - 1 ? at
											 : NULL;
}

static const char *identity_in(const char *file)
{
	return suffix_of(file) + strlen(infix);
}

/* The part after the identity and its -N: "", or a dot and why the journal was set aside. */
static const char *ending_of(const char *identity)
{
	const char *at = identity + IDENTITY_SIZE - 1;

	return *at == '-' && at[1] ? at + 1 + strspn(at + 1, "0123456789") : at;
}

bool journal_is_set_aside(const char *file)
{
	return *ending_of(identity_in(file)) == '.';
}

unsigned journal_is_of(const char *file, const char *identity)
{
	const char *own = identity_in(file);

	if (strncmp(own, identity, IDENTITY_SIZE - 1) != 0 || *ending_of(own))
		return 0;
	return own[IDENTITY_SIZE - 1] ? (unsigned)strtoul(own + IDENTITY_SIZE, NULL, 10) : 1;
}

static bool is_of_map(const char *file, const char *map)
{
	const char *suffix = suffix_of(file), *end;
	char name[NAME_MAX + 1];

	if (!suffix)
		return false;
	end = ending_of(suffix + strlen(infix));
	if (*end && *end != '.')
		return false;
	sidecar_name(name, map, suffix);
	return strcmp(name, file) == 0;
}

/* At least the length of the suffix, for which sidecar_name may truncate the map's name. */
enum { SUFFIX_MAX = 128 };

struct finding {
	const char *map;
	int (*fn)(void *arg, const char *file);
	void *arg;
};

static int pass_matching(void *arg, const char *file)
{
	const struct finding *f = arg;

	return is_of_map(file, f->map) ? f->fn(f->arg, file) : 0;
}

int journal_each_sidecar(struct sidecar_cache *b, const char *map,
	int (*fn)(void *arg, const char *file), void *arg, struct error *e)
{
	struct finding f = {map, fn, arg};
	char stem[NAME_MAX + 1];
	int r;

	snprintf(stem, sizeof(stem), "%.*s", NAME_MAX - SUFFIX_MAX, map);
	r = sidecar_cache_each(b, stem, pass_matching, &f, e);
	return r < 0 ? r : 0;
}

int journal_each_file(int dirfd, const char *map, int (*fn)(void *arg, const char *file), void *arg,
	struct error *e)
{
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *b = sidecar_cache_create(dirfd);

	return b ? journal_each_sidecar(b, map, fn, arg, e)
		 : error_set(e, -ENOMEM, "out of memory");
}
