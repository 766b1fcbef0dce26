/* SPDX-License-Identifier: Zlib */
/* Bytes being written: a stage begins as the file's content, or empty. */
#ifndef VFS_TREE_STAGE_H
#define VFS_TREE_STAGE_H

#include "vfs/tree/node.h"

/* A stage with the file's content (or empty). 1: c waits for the content and will run again. */
int stage_begin(struct vfs *v, struct node *n, bool empty, struct call *c);
int stage_new(struct node *n);
/* Gives the node a stage that holds content (a replayed draft). */
int stage_fill(struct node *n, const struct extent *content, struct error *e);
void stage_drop(struct node *n);
/* The bytes of a draft, or of what waits, which outlive what is written on; NULL: not needed. */
void stage_keep(struct stage *s, const struct extent *closed);
/* Somebody is at it again: what stands in it was not closed, and its own close judges it. */
bool stage_is_open(const struct stage *s);

/* Is what is written to it judged when it is closed? Scratch is not. */
bool file_judged(const struct node *n);
/* Where nobody has n open any more, what was written and accepted makes room for the canonical
 * form. True: it did, and the kernel's cache is to be invalidated. */
bool file_retire(struct node *n);

#endif
