# SPDX-License-Identifier: Zlib
"""Shrinking of a failing list."""
import time


def shrink(ops, fails, seconds=60):
    """Remove halves, quarters ... and single elements while `fails` returns True, within the time limit."""
    end, n = time.monotonic() + seconds, max(len(ops) // 2, 1)
    while True:
        at, before = 0, len(ops)
        while at < len(ops):
            if time.monotonic() > end:
                return ops
            fewer = ops[:at] + ops[at + n:]
            if fewer and fails(fewer):
                ops = fewer
            else:
                at += n
        if n > 1:
            n //= 2
        elif len(ops) == before:
            return ops
