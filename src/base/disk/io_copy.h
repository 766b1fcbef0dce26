/* SPDX-License-Identifier: Zlib */
/* io_copy: bytes from one file to another, through the seam of io.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Appends n bytes of `from`, from off on, where `to` stands: 0 or -errno. By copy_file_range where
 * both places are at the same byte of a page, else by a loop that is faster there. */
int io_copy(int from, uint64_t off, uint64_t n, int to);
/* ... and by that loop each part is read back and compared (-EIO: it differs): *ret_compared says
 * whether all was. to is open for reading, too. */
int io_copy_compared(int from, uint64_t off, uint64_t n, int to, bool *ret_compared);
