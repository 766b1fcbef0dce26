/* SPDX-License-Identifier: Zlib */
/*
 * apart: a call that a file system may never answer, made by a process of its own, which can be
 * killed, or left behind: who waits for such an answer cannot stop waiting.
 */
#pragma once

enum { APART_PATIENCE_MS = 4000 };

/* fn's result, an errno as an exit status; ETIMEDOUT where it took longer than limit_ms (-1: no
 * limit). What fn changes in memory is lost. */
int apart(int (*fn)(void *arg), void *arg, int limit_ms);
