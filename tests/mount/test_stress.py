# SPDX-License-Identifier: Zlib
"""Concurrent readers, writers and saves: each confirmed write stays true."""
import os
import subprocess
import sys

import box as boxes
import datafile
import parts
import places

# Each writer has a file of its own and reads its writes back; readers read everything.
WRITER = """
import os, sys
name, rounds = sys.argv[1], int(sys.argv[2])
for i in range(rounds):
    data = (b"%d" % i).ljust(1 + i % 15, b".") + b"\\n"
    with open(name, "wb", buffering=0) as f:
        f.write(data[:3])
        f.write(data[3:])
    if i % 7 == 0:
        fd = os.open(name, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
    with open(name, "rb") as f:
        got = f.read()
    assert got == data, (got, data)
"""
READER = """
import os, sys
for i in range(int(sys.argv[2])):
    for base, dirs, names in os.walk(sys.argv[1]):
        for name in names:
            with open(os.path.join(base, name), "rb") as f:
                f.read()
"""
SYNCER = """
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
for i in range(int(sys.argv[2])):
    os.fsync(fd)
"""


def run_together(*jobs):
    running = [subprocess.Popen([sys.executable, "-c", code, *map(str, args)],
                                stderr=subprocess.PIPE) for code, *args in jobs]
    for p in running:
        _, err = p.communicate(timeout=200)
        assert p.returncode == 0, err.decode()


def test_writers_readers_and_saves_work_at_once(box):
    m = box.mount(box.add(datafile.small_map(image=(256, 256))), "cache=1M")
    names = ["author", "version", "credits", "license"]
    run_together(*[(WRITER, m / ("info/" + n), 200) for n in names],
             (READER, m.point, 15), (READER, m.point, 15), (SYNCER, m.point, 20))
    m.unmount()
    for n in range(1, 5):
        assert parts.info_text(m.map, n) == b"199..\0"


def test_two_writers_of_one_file_leave_the_content_of_one(box, small):
    m = box.mount(small)
    code = """
import sys
for i in range(100):
    with open(sys.argv[1], "ab", buffering=0) as f:
        f.write(sys.argv[2].encode() + b"\\n")
"""
    run_together((code, m / "info/settings.cfg", "one"), (code, m / "info/settings.cfg", "two"))
    lines = m.get("info/settings.cfg").splitlines()[2:]
    m.unmount()
    assert lines.count(b"one") == 100 and lines.count(b"two") == 100


def test_readers_of_a_large_map_work_with_a_small_cache(box):
    copy = box.add(places.debian_map("ddnet/data/maps/Tsunami.map"))
    raw = boxes.get(copy)
    m = box.mount(copy, "cache=1M")
    run_together((READER, m.point, 2), (READER, m.point, 2), (READER, m / "images", 3))
    assert os.path.isdir(m / "info")
    m.unmount()
    assert boxes.get(copy) == raw
