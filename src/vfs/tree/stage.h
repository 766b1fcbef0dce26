/* SPDX-License-Identifier: Zlib */
/* Bytes being written: a stage begins as the file's content, or empty. */
#pragma once

#include "vfs/tree/node.h"

/* A stage with the file's content (or empty). 1: c waits for the content and will run again. */
int stage_begin(struct vfs *v, struct node *n, bool empty, struct call *c);
void stage_drop(struct node *n);

/* Is what is written to it judged when it is closed? Scratch is not. */
bool file_judged(const struct node *n);
/* Where nobody has n open any more, what was closed is shown from where it is kept. True: what is
 * shown is another thing than what was written, and the kernel's cache is to be invalidated. */
bool file_retire(struct node *n);
