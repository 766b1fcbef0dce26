/* SPDX-License-Identifier: Zlib */
/* Exit codes of mapfs. They are stable, documented in mapfs(1) and sent over the control socket. */
#pragma once

enum outcome {
	OUTCOME_DONE = 0,
	OUTCOME_USAGE = 1,
	OUTCOME_REFUSED = 2,     /* the file is not a map, cannot be read, or is refused */
	OUTCOME_MOUNT = 3,       /* the mount failed */
	OUTCOME_SAVE_FAILED = 4, /* the old map and the journal are kept */
	OUTCOME_PARTIAL = 5,     /* saved, but something was left out or refused, or a warning */
	OUTCOME_CONFLICT = 6,    /* another program changed the map; saved beside it */
	OUTCOME_BUSY = 7,        /* busy, or already mounted for writing */
};

/* The more serious of two outcomes. */
enum outcome outcome_worse(enum outcome a, enum outcome b);
