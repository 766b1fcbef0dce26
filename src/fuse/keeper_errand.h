/* SPDX-License-Identifier: Zlib */
/*
 * errand: what reaches the mount, and so may block, since the mount's answers come from the worker.
 */
#ifndef FUSE_KEEPER_ERRAND_H
#define FUSE_KEEPER_ERRAND_H

/*
 * fsync files of the mount at point, whose device is dev ("0:57"); paths is NULL-ended and comes
 * from the worker, so nothing outside the mount is opened whatever it says. 0, or an errno.
 */
struct errand_flush {
	const char *point;
	const char *dev;
	char **paths;
};
int errand_flush(const struct errand_flush *f);

#endif
