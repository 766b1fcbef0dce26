# SPDX-License-Identifier: Zlib
"""No content disappears silently: content that cannot be saved stays in a file, and a message names it."""
import errno
import os
import stat
import subprocess
import sys

import pytest

import box as boxes
import parts
from editing import sync

SETTINGS = "info/settings.cfg"
PHOTO = "images/photo.jpg"
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def kept(box):
    return [n for n in box.beside() if n.endswith(".kept")]


def test_replayed_changes_mean_the_same_under_other_options(box, small):
    m = box.mount(small, "raw=rw")
    blob = sorted(os.listdir(m / "raw/data"))[-1]
    turned = m.get("raw/data/" + blob)[::-1]
    m.put("raw/data/" + blob, turned)
    box.kill_worker()
    m = box.mount(small, "raw=off")
    assert "with its options: -o raw=rw\n" in m.result.err
    assert m.get("raw/data/" + blob) == turned
    m.put("info/author", b"me\n")
    box.kill_worker()
    m = box.mount(small)
    assert m.get("raw/data/" + blob) == turned
    boxes.put(m / PHOTO, b"JPEG", NEW)
    sync(m)
    m.put("info/author", b"you\n")
    box.kill_worker()
    m = box.mount(small, "raw=off")
    assert "with its options: -o raw=rw\n" in m.result.err
    m.unmount()
    m = box.mount(small, "raw=off")
    assert "options" not in m.result.err and not os.path.exists(m / "raw")
    m.unmount()
    assert parts.author(small) == b"you\0"


def test_a_damaged_journal_is_reported_and_kept(box, small):
    m = box.mount(small)
    m.put("info/author", b"me\n")
    m.put(SETTINGS, b"sv_one 1\n")
    box.kill_worker()
    name, = [n for n in box.beside() if "mapfs-journal" in n]
    path = os.path.join(box.maps, name)
    raw = bytearray(boxes.get(path))
    raw[raw.index(b"me\n")] ^= 1
    boxes.put(path, bytes(raw))
    assert "damaged" in box.run("recover", small).out
    m = box.mount(small)
    assert "damaged" in m.result.err
    assert m.get(SETTINGS) == b"sv_one 1\n"
    r = m.unmount(code=5)
    assert kept(box) == [name + ".kept"] and name + ".kept" in r.out
    box.allow("*.kept")
    assert name + ".kept: set aside, 1 change" in box.run("recover", small).out
    out = os.path.join(box.root, "out")
    os.chmod(small, 0o600)
    assert box.run("recover", small, "--extract", out).code == 0
    path = os.path.join(out, SETTINGS)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


# Use a process of its own: a child forked from the author has the file open, too, and closes it.
AUTHOR = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"sv_ha")
print("begun", flush=True)
sys.stdin.readline()
os.write(fd, b"lf 1\\n")
os.close(fd)
"""


def test_a_sync_does_not_validate_a_half_written_file(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"sv_whole 1\n")
    with subprocess.Popen([sys.executable, "-c", AUTHOR, m / SETTINGS], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as author:
        assert author.stdout.readline() == b"begun\n"
        assert box.run(m.point, program="sync").code == 0
        assert parts.settings(small) == b"sv_whole 1\0"
        m.unmount(code=7)
        assert parts.settings(small) == b"sv_whole 1\0"
        author.stdin.close()
        assert author.wait() == 0
    m.unmount()
    assert parts.settings(small) == b"sv_half 1\0"
    assert box.beside() == []


def test_a_write_beyond_the_size_limit_is_refused_at_once(box, small):
    m = box.mount(small)
    for size in (1 << 27, 1 << 34, 1 << 40):
        assert boxes.refused(os.truncate, m / SETTINGS, size) == errno.EFBIG
    fd = os.open(m / SETTINGS, os.O_WRONLY)
    assert boxes.refused(os.pwrite, fd, b"x", 4 << 30) == errno.EFBIG
    os.close(fd)
    m.unmount()
    assert box.beside() == []


def test_a_save_does_not_mix_with_in_place_writes_of_another_program(box, small):
    m = box.mount(small)
    m.put("info/author", b"me\n")
    raw = boxes.get(small)
    with open(small, "r+b") as f:
        f.seek(len(raw) // 2)
        f.write(b"\0" * 64)
    theirs = boxes.get(small)
    r = m.unmount(code=4)
    assert m.mounted() and "another program overwrote parts of" in r.out
    m.unmount("--force", code=4)
    assert boxes.get(small) == theirs
    assert [n for n in box.beside() if "mapfs-conflict" in n] == []
    box.allow("*mapfs-journal*")
    assert "1 change" in box.run("recover", small).out


@pytest.mark.parametrize("how", [[], ["--discard"]], ids=["saved", "discarded"])
def test_each_report_names_the_conflict_file_until_the_end(box, small, how):
    m = box.mount(small)
    m.put("info/author", b"me\n")
    other = small + ".new"
    boxes.put(other, boxes.get(small) + b"x", NEW)
    os.rename(other, small)
    r = box.run(m.point, program="sync")
    assert (r.code, "Stale file handle" in r.err) == (1, True)
    r = m.unmount(*how, code=6)
    assert os.path.basename(small) + ".mapfs-conflict" in r.out
    box.allow("*.mapfs-conflict")
