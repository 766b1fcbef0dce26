# SPDX-License-Identifier: Zlib
"""A shorter list that still fails."""
import time


def shrink(ops, fails, seconds=60):
    """Drops halves, quarters ... and at last single ones, as long as `fails` says yes; no longer than that."""
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
