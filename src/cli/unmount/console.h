/* SPDX-License-Identifier: Zlib */
/* console: the output of the unmount of one target: the report on standard output, messages and
 * progress on standard error. */
#pragma once

#include "base/buffer.h"
#include "fuse/control.h"
#include "base/disk/names.h"

struct console {
	const char *name;     /* of the target, as the user typed it; borrowed */
	bool is_one_of_many;  /* prefix lines of the report with the name */
	bool shows_progress;  /* print progress */
	bool is_drawn;        /* progress is on the terminal now */
	bool has_saved;       /* console_report printed that the map was written */
	int64_t drawn_ms;     /* elapsed_ms of the last progress */
	struct names printed; /* the report so far */
};

void console_finish(struct console *c);

/* Print a message "mapfs: NAME: ..." and a newline. */
void console_say(struct console *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print a line of the report, unless an equal one was printed. */
void console_report(struct console *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Draw the PROGRESS m behind verb ("saving") if shows_progress: after 1 s, then twice a second. */
void console_progress(
	struct console *c, const char *verb, const struct control_msg *m, int64_t elapsed_ms);
