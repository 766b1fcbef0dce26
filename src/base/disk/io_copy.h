/* SPDX-License-Identifier: Zlib */
/* io_copy: copy bytes from one file to another, calling the hook of io.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Copy n bytes at off in `from` to the file position of `to`. Uses copy_file_range if n is small or
 * both offsets are at the same byte of a page. Otherwise a loop is faster. -EIO if `from` is too
 * short. */
int io_copy(int from, uint64_t off, uint64_t n, int to);
/* Like io_copy, but the loop also reads each part back and compares it (-EIO if it differs). `to`
 * must be open for reading, too. *ret_compared: was everything compared? False after a failure. */
int io_copy_compared(int from, uint64_t off, uint64_t n, int to, bool *ret_compared);
