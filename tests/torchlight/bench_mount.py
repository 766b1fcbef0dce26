# SPDX-License-Identifier: Zlib
"""Measures how long a mount takes: the median of seven mounts of a minimal mod, and of one with 75 000 entries."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), str(HERE.parent / "mount"), str(HERE.parent / "mount" / "support")]

import places  # noqa: E402
from archives import large_mod, small_mod  # noqa: E402

TIMES = 7


def mounts(archive, point):
    took = []
    for _ in range(TIMES):
        begin = time.monotonic()
        subprocess.run([places.BINARY, archive, point], check=True)
        took.append(time.monotonic() - begin)
        subprocess.run([places.BINARY, "-u", point], check=True)
    return 1000 * statistics.median(took)


def main():
    with tempfile.TemporaryDirectory() as d:
        point = os.path.join(d, "mnt")
        os.mkdir(point)
        small, large = os.path.join(d, "SMALL.MOD"), os.path.join(d, "LARGE.MOD")
        pathlib.Path(small).write_bytes(small_mod())
        pathlib.Path(large).write_bytes(large_mod(75000))
        print("a minimal mod      %7.1f ms" % mounts(small, point))
        print("75 000 entries     %7.1f ms" % mounts(large, point))
        subprocess.run([places.BINARY, large, point], check=True)
        begin = time.monotonic()
        names = sum(len(files) for _, _, files in os.walk(point))
        print("listing %6d     %7.1f ms" % (names, 1000 * (time.monotonic() - begin)))
        subprocess.run([places.BINARY, "-u", point], check=True)


if __name__ == "__main__":
    main()
