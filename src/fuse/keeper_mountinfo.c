/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_mountinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && octal(s[1]) && octal(s[2]) && octal(s[3])) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static uid_t owner_of(const char *options)
{
	const char *found = options ? strstr(options, "user_id=") : NULL;

	if (!found || (found != options && found[-1] != ','))
		return 0;
	return (uid_t)strtoul(found + strlen("user_id="), NULL, 10);
}

struct line {
	const char *dev, *type, *options;
	char *point;
};

/*
 * "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue": the third field
 * is the device, the fifth the mount point; after the lone "-" come type, source and options.
 */
static bool parse_line(char *text, struct line *ret)
{
	char *fields[5];
	char *rest = text;

	for (size_t i = 0; i < 5; i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	rest = strstr(rest, " - ");
	if (!rest)
		return false;
	rest += strlen(" - ");
	unescape(fields[4]);
	ret->dev = fields[2];
	ret->point = fields[4];
	ret->type = strsep(&rest, " ");
	strsep(&rest, " ");
	ret->options = rest;
	return true;
}

/* Calls fn for each line; the table is in the order of mounting. */
static int each_line(const char *table, void (*fn)(void *arg, const struct line *l), void *arg)
{
	CLEANUP(free) char *text = NULL;
	size_t room = 0;
	struct line l;
	FILE *f;

	f = fopen(table, "re");
	if (!f)
		return -errno;
	while (getline(&text, &room, f) > 0) {
		text[strcspn(text, "\n")] = '\0';
		if (parse_line(text, &l))
			fn(arg, &l);
	}
	fclose(f);
	return 0;
}

struct by_point {
	const char *point;
	struct mount_entry *ret;
	bool found;
};

static void match_point(void *arg, const struct line *l)
{
	struct by_point *m = arg;

	if (strcmp(l->point, m->point) != 0)
		return;
	m->found = true;
	snprintf(m->ret->dev, sizeof(m->ret->dev), "%s", l->dev);
	m->ret->mapfs = strcmp(l->type, "fuse.mapfs") == 0;
	m->ret->owner = strncmp(l->type, "fuse", 4) == 0 ? owner_of(l->options) : 0;
}

int mountinfo_find(const char *table, const char *point, struct mount_entry *ret)
{
	struct by_point m = {.point = point, .ret = ret};
	int r = each_line(table, match_point, &m);

	return r < 0 || m.found ? r : -ENOENT;
}

struct by_device {
	const char *dev;
	char *point;
};

static void match_device(void *arg, const struct line *l)
{
	struct by_device *m = arg;

	if (strcmp(l->dev, m->dev) != 0)
		return;
	free(m->point);
	m->point = strdup(l->point);
}

int mountinfo_find_device(const char *table, const char *dev, char **ret_point)
{
	struct by_device m = {.dev = dev};
	int r = each_line(table, match_device, &m);

	if (r < 0 || !m.point) {
		free(m.point);
		return r < 0 ? r : -ENOENT;
	}
	*ret_point = m.point;
	return 0;
}
